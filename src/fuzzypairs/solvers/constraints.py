"""Must-links and cannot-links: judgements that count by their sign alone."""

import numpy as np

from fuzzypairs._typing import Ints, Mask
from fuzzypairs.pairs import PairSet

__all__ = ["contradicted_links", "link_groups", "links"]


def links(pairs: PairSet, chosen: Mask) -> Ints:
    """Return both samples of the chosen pairs, shape (n_links, 2), sorted."""
    return np.column_stack([pairs.i[chosen], pairs.j[chosen]])


def link_groups(pairs: PairSet, must: Mask) -> Ints:
    """Return the group of each sample that chains of must-links make.

    Groups of two or more are numbered by their first samples; every other sample is
    a group of its own, numbered after these.
    """
    n_groups, group = pairs.select(must).components()
    return np.where(group >= 0, group, n_groups + np.arange(pairs.n_samples))


def contradicted_links(pairs: PairSet, must: Mask, cannot: Mask) -> Ints:
    """Return the cannot-links within a chain of must-links, shape (n_links, 2)."""
    group = link_groups(pairs, must)
    return links(pairs, cannot & (group[pairs.i] == group[pairs.j]))
