"""Folds of judgements: those that a fit is given, and those held out from it."""

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.sampling import deal_units

__all__ = ["FEWEST_PAIRS", "Folds", "Split", "hold_out"]

# Fewer held-out judgements cannot separate good settings from chance: the share of 20
# that is satisfied has a standard error of about 0.1.
FEWEST_PAIRS = 20


class Split(NamedTuple):
    """Judgements for one fit, and which of `Folds.pairs` are held out from it."""

    train: PairSet
    test: Mask  # (n_pairs,)


@dataclass(frozen=True, eq=False)
class Folds:
    """Judgements split into folds, repeatedly."""

    pairs: PairSet  # the informative ones
    splits: list[Split]  # fold by fold, repeat by repeat
    unit: Ints  # (n_pairs,) judgements of different units are independent
    shares_samples: bool  # whether held-out and training judgements share samples


def hold_out(
    pairs: PairSet, n_splits: int, n_repeats: int, rng: np.random.Generator
) -> Folds:
    """Split judgements into folds so that held-out ones do not follow from others.

    Parameters
    ----------
    pairs : PairSet
        Judgements; those of grade 0 are left out.
    n_splits, n_repeats : int
        Number of folds, at least 2, and number of random splits into folds.
    rng : Generator

    Returns
    -------
    folds : Folds
        ``n_splits * n_repeats`` splits.

    Notes
    -----
    1. Groups joined by chains of judgements (`PairSet.components`) stay together, since
       a held-out judgement may follow from others of its group. Folds have about the
       same strength of alike and of unlike judgements.
    2. A group with more than one fold's share of the strength is cut into blocks of
       at most a share, which grow from random samples along the strongest links.
       A judgement is then held out if both of its samples are, used for training if
       neither is, and not used if one is.
    3. If that leaves fewer than `FEWEST_PAIRS` held-out judgements, or fewer than
       `n_splits` of either kind, or if answers judged several pairs at once, units of
       judgements (`PairSet.unit`) are split. Held-out and training judgements then
       share samples, and scores favour fits with a large weight of judgements.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.pairs.folds import hold_out
    >>> from fuzzypairs.pairs import PairSet
    >>> pairs = PairSet.from_labels(np.arange(200) % 2, n_pairs=40, random_state=0)
    >>> folds = hold_out(pairs, 4, 1, np.random.default_rng(0))
    >>> [(len(train), int(test.sum())) for train, test in folds.splits]
    [(30, 10), (30, 10), (30, 10), (30, 10)]
    """
    pairs = pairs.informative
    if pairs.answers is None:  # blocks of samples would cut answers
        blocks = [cut_groups(pairs, n_splits, rng) for _ in range(n_repeats)]
        folds = [deal(block, pairs, n_splits, rng) for block in blocks]
        if all(is_enough(fold, pairs, n_splits) for fold in folds):
            splits = [split_at(one, f, pairs) for one in folds for f in range(n_splits)]
            return Folds(pairs, splits, blocks[0][pairs.i], shares_samples=False)
    each = pairs.unit
    splits = []
    for _ in range(n_repeats):
        fold = deal_units(each, loads_of(pairs), n_splits, rng)
        splits += [Split(pairs.select(fold != f), fold == f) for f in range(n_splits)]
    return Folds(pairs, splits, each, shares_samples=True)


def is_enough(fold: Ints, pairs: PairSet, n_splits: int) -> bool:
    """Tell whether enough judgements lie within folds of samples."""
    grade = pairs.grade[fold[pairs.i] == fold[pairs.j]]
    fewest_of_a_kind = min((grade > 0).sum(), (grade < 0).sum())
    return bool(grade.size >= FEWEST_PAIRS and fewest_of_a_kind >= n_splits)


def split_at(fold: Ints, held_out: int, pairs: PairSet) -> Split:
    """Hold out the judgements within one fold of samples; train on those outside."""
    left, right = fold[pairs.i] == held_out, fold[pairs.j] == held_out
    return Split(pairs.select(~left & ~right), left & right)


def deal(block: Ints, pairs: PairSet, n_splits: int, rng: np.random.Generator) -> Ints:
    """Return the fold of each sample: whole blocks, -1 for samples in no judgement."""
    ends = np.concatenate([pairs.i, pairs.j])
    fold_of = np.full(pairs.n_samples, -1, dtype=np.int64)
    # A judgement between two blocks weighs half in each.
    fold_of[ends] = deal_units(block[ends], loads_of(pairs, 2), n_splits, rng)
    return fold_of


def loads_of(pairs: PairSet, n_parts: int = 1) -> Floats:
    """Return alike and unlike strengths (n_parts * n_pairs, 2), of total 1 each."""
    grade = np.tile(pairs.grade, n_parts)[:, None] * [1.0, -1.0]
    loads = np.maximum(grade, 0.0) / n_parts
    return np.asarray(loads / np.maximum(loads.sum(axis=0), np.finfo(float).tiny))


def cut_groups(pairs: PairSet, n_splits: int, rng: np.random.Generator) -> Ints:
    """Return the block of each sample: its group, or part of a large group."""
    n_groups, group = pairs.components()
    strength = np.abs(pairs.grade)
    share = strength.sum() / n_splits
    too_large = np.bincount(group[pairs.i], strength, n_groups) > share
    block = group.copy()
    n_blocks = n_groups
    graph = abs(pairs.to_sparse())
    for large in np.flatnonzero(too_large):
        rows = np.flatnonzero(group == large)
        part = grow_blocks(graph[rows][:, rows], share, rng)
        block[rows] = n_blocks + part
        n_blocks += int(part.max()) + 1
    # Renumbered, so that no number is unused.
    touched = block >= 0
    block[touched] = np.unique(block[touched], return_inverse=True)[1]
    return block


def grow_blocks(
    graph: "sparse.csr_array[np.float64]", most: float, rng: np.random.Generator
) -> Ints:
    """Cut a connected graph of strengths into blocks of `most` or less.

    A block starts at a random sample and adds the neighbour with the largest share of
    its strength inside the block, up to `most`. A sample with more than `most` is a
    block of its own. Each sample of a pair has half of its strength.
    """
    volume = (np.asarray(graph.sum(axis=1)).ravel() / 2).tolist()
    block = np.full(graph.shape[0], -1, dtype=np.int64)
    number = -1
    for seed in rng.permutation(block.size).tolist():
        if block[seed] >= 0:
            continue
        number += 1
        room, inside, border = most, {seed: 0.0}, [(0.0, seed)]
        while border:
            _, sample = heappop(border)
            is_full = volume[sample] > room and sample != seed
            if block[sample] >= 0 or is_full:
                continue
            block[sample] = number
            room -= volume[sample]
            begin, end = graph.indptr[sample : sample + 2]
            near = graph.indices[begin:end].tolist()
            links = graph.data[begin:end].tolist()
            for other, link in zip(near, links, strict=True):
                inside[other] = inside.get(other, 0.0) + link
                heappush(border, (-inside[other] / volume[other], other))
    return block
