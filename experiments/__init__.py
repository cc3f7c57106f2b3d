"""Experiments that the pages of docs/ report, each run by one command."""
