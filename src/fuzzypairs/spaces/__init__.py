"""Spaces that samples live in: what a prototype is, and how far it is."""
