"""Random choices: pairs to judge, and folds of judgements."""

from typing import Any

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs.reading import Ends, is_count, read_links
from fuzzypairs.validation import read_generator, shown

__all__ = ["Seed", "choose_pairs", "deal_units"]

Seed = int | np.random.Generator | None


def choose_pairs(
    pairs: Any,
    n_pairs: int | None,
    rows: Ints,
    n_samples: int,
    random_state: Seed,
) -> Ends:
    """Return pairs to judge: those given, or `n_pairs` drawn from `rows`."""
    if (pairs is None) == (n_pairs is None):
        raise PairsError("expected either pairs (to judge) or n_pairs (to draw)")
    if n_pairs is None:
        return read_links(pairs, n_samples, "pairs")
    most = rows.size * (rows.size - 1) // 2
    if not is_count(n_pairs, 0, most):
        raise PairsError(
            f"n_pairs is {shown(n_pairs)}, expected 0 to {most}: "
            f"all pairs of {rows.size} known samples"
        )
    i, j = _draw(rows.size, n_pairs, read_generator(random_state))
    return Ends(rows[i], rows[j], n_samples)


def _draw(n_rows: int, n_pairs: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw distinct pairs i < j uniformly, without listing all of them."""
    keys = np.empty(0, dtype=np.int64)
    while keys.size < n_pairs:
        i, j = rng.integers(n_rows, size=(2, 2 * n_pairs + 8))
        keys = np.concatenate([keys, (i * n_rows + j)[i < j]])
        # In order of arrival: cutting a sorted list would favour small rows.
        keys = keys[np.sort(np.unique(keys, return_index=True)[1])]
    i, j = np.divmod(keys[:n_pairs], n_rows)
    return i, j


def deal_units(
    unit: Ints, loads: Floats, n_folds: int, rng: np.random.Generator
) -> Ints:
    """Return the fold of each item: all items of a unit in one, folds about equal.

    Units are assigned by decreasing size, in random order among equals, each to the
    fold where it adds least to the sum of squared loads (n_items, n_kinds): with one
    kind of load, to the smallest fold.
    """
    size = np.bincount(unit)
    load = np.column_stack([np.bincount(unit, kind) for kind in loads.T])
    order = rng.permutation(size.size)
    order = order[np.argsort(-size[order], kind="stable")]
    filled = np.zeros((n_folds, loads.shape[1]))
    fold = np.empty(size.size, dtype=np.int64)
    for one in order:
        fold[one] = np.argmin(filled @ load[one])
        filled[fold[one]] += load[one]
    return fold[unit]
