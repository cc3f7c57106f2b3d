"""Judgements of pairs, before any model: reading, links, folds, propagation."""

from fuzzypairs.pairs.pairset import PairSet

__all__ = ["PairSet"]
