"""Which pairs to judge: drawn without ever listing all of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.pairs.reading import is_count

__all__ = ["SAMPLERS", "draw_balanced", "draw_chain_free", "draw_uniform"]

Rows = NDArray[np.int64]


def draw_uniform(classes: Any, count: int, rng: np.random.Generator) -> Rows:
    """Draw distinct pairs, all equally likely, shape (count, 2)."""
    n_samples = len(classes)
    _check_count(count, n_samples * (n_samples - 1) // 2, "pairs")
    return _distinct(
        lambda size: rng.integers(n_samples, size=(size, 2)), count, n_samples
    )


def draw_balanced(classes: Any, count: int, rng: np.random.Generator) -> Rows:
    """Draw distinct pairs, the first, third, ... of one class, the others of two.

    Samples are lined up class by class, so that the others of a class are a step
    within its block away, and those of other classes a step from the block's end.
    """
    n_samples = len(classes)
    _, label = np.unique(classes, return_inverse=True)
    line = np.argsort(label, kind="stable")
    sizes = np.bincount(label)
    size = sizes[label[line]]
    start = (np.cumsum(sizes) - sizes)[label[line]]

    def draw_same(n_draws: int) -> Rows:
        at = rng.choice(n_samples, n_draws, p=(size - 1) / (size - 1).sum())
        step = rng.integers(1, size[at])
        other = start[at] + (at - start[at] + step) % size[at]
        return np.column_stack([line[at], line[other]])

    def draw_different(n_draws: int) -> Rows:
        rest = n_samples - size
        at = rng.choice(n_samples, n_draws, p=rest / rest.sum())
        other = (start[at] + size[at] + rng.integers(rest[at])) % n_samples
        return np.column_stack([line[at], line[other]])

    n_same, n_different = count - count // 2, count // 2
    most = int((sizes * (sizes - 1)).sum()) // 2
    _check_count(n_same, most, "pairs of one class")
    all_pairs = n_samples * (n_samples - 1) // 2
    _check_count(n_different, all_pairs - most, "pairs of two classes")
    pairs = np.empty((count, 2), dtype=np.int64)
    pairs[::2] = _distinct(draw_same, n_same, n_samples)
    pairs[1::2] = _distinct(draw_different, n_different, n_samples)
    return pairs


def draw_chain_free(classes: Any, count: int, rng: np.random.Generator) -> Rows:
    """Draw pairs of which no two share a sample."""
    n_samples = len(classes)
    _check_count(count, n_samples // 2, "pairs without a common sample")
    line: Rows = rng.permutation(n_samples)
    return line[: 2 * count].reshape(count, 2)


SAMPLERS: dict[str, Callable[[Any, int, np.random.Generator], Rows]] = {
    "uniform": draw_uniform,
    "balanced": draw_balanced,
    "chain-free": draw_chain_free,
}


def _check_count(count: int, most: int, what: str) -> None:
    if not is_count(count, 0, most):
        raise ValueError(f"{count!r} {what} are asked for: expected 0 to {most}")


def _distinct(draw: Callable[[int], Rows], count: int, n_samples: int) -> Rows:
    """Repeat `draw` until there are `count` distinct pairs, in the order drawn.

    A draw that repeats a pair or joins a sample to itself is rejected, so that pairs
    need not be listed to be drawn without replacement.
    """
    keys = np.empty(0, dtype=np.int64)
    while keys.size < count:
        i, j = np.sort(draw(2 * count), axis=1).T
        keys = np.concatenate([keys, (i * n_samples + j)[i < j]])
        keys = keys[np.sort(np.unique(keys, return_index=True)[1])]
    return np.column_stack(np.divmod(keys[:count], n_samples))
