"""Fuzzy clustering guided by graded judgements of pairs."""

from fuzzypairs._version import __version__
from fuzzypairs.cluster.dsc import DSC
from fuzzypairs.cluster.fcm import FuzzyCMeans
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.fhss import FHSS
from fuzzypairs.cluster.pcca import PCCA
from fuzzypairs.cluster.ssdc import SSDC
from fuzzypairs.files import load, save
from fuzzypairs.pairs import PairSet

__all__ = [
    "DSC",
    "FDC",
    "FHSS",
    "PCCA",
    "SSDC",
    "FuzzyCMeans",
    "PairSet",
    "__version__",
    "load",
    "save",
]
