"""Fuzzy clustering guided by graded judgements of pairs."""
