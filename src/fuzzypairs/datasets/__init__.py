"""Example data, and simulated supervisors that judge pairs of it."""

from fuzzypairs.datasets.annotators import biased_pairs, blur_pairs, flip_pairs
from fuzzypairs.datasets.loading import available, load
from fuzzypairs.datasets.registry import DatasetInfo, describe
from fuzzypairs.datasets.supervisors import (
    pairs_from_memberships,
    ratings_to_memberships,
    simulate_pairs,
)

__all__ = [
    "DatasetInfo",
    "available",
    "biased_pairs",
    "blur_pairs",
    "describe",
    "flip_pairs",
    "load",
    "pairs_from_memberships",
    "ratings_to_memberships",
    "simulate_pairs",
]
