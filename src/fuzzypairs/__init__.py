"""Fuzzy clustering guided by graded judgements of pairs."""

from fuzzypairs._version import __version__
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.files import load, save
from fuzzypairs.pairs import PairSet

__all__ = ["FDC", "PairSet", "__version__", "load", "save"]
