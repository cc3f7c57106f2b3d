"""Judgements of rows in blocks: by row numbers, or by ids."""

from typing import Any, NamedTuple

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.blocks.block_rows import Blocks
from fuzzypairs.exceptions import PairsError
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.reading import annotators_of, read_columns

__all__ = ["NamedPairs", "check_places", "name_pairs", "read_judgements"]


class NamedPairs(NamedTuple):
    """Judgements of rows by ids: pairs of places in `ids`."""

    ids: Any  # a pandas Index
    pairs: PairSet


def read_judgements(pairs: Any, blocks: Blocks) -> NamedPairs | PairSet | None:
    """Return judgements by ids, or by row numbers; None if there are none."""
    if pairs is None or isinstance(pairs, NamedPairs):
        return pairs
    if blocks.reading.id_column is not None and not isinstance(pairs, PairSet):
        return name_pairs(pairs)
    if blocks.lengths is None:
        raise ValueError(
            "pairs name rows by their numbers, but X has unknown chunk sizes, so that "
            "no row has a number; call X.compute_chunk_sizes() (for a DataFrame "
            "X.to_dask_array(lengths=True)), or set id_column and name rows by ids"
        )
    return PairSet.coerce(pairs, sum(blocks.lengths))


def name_pairs(pairs: Any) -> NamedPairs:
    """Read judgements (id, id, grade): triples, or a DataFrame a, b, grade, annotator.

    Examples
    --------
    >>> named = name_pairs([("oak", "elm", 0.5), ("elm", "fir", -1.0)])
    >>> list(named.ids), list(named.pairs)
    (['oak', 'elm', 'fir'], [(0, 1, 0.5), (1, 2, -1.0)])
    """
    import pandas as pd

    if hasattr(pairs, "columns"):
        fields = next(
            (f for f in (("a", "b"), ("i", "j")) if set(f) <= set(pairs.columns)), None
        )
        if fields is None or "grade" not in pairs.columns:
            raise PairsError(
                f"has the columns {list(pairs.columns)}, expected a, b, grade",
                place="pairs",
            )
        a, b, grade = (pairs[name].to_numpy() for name in (*fields, "grade"))
        judges = annotators_of(pairs)
    else:
        a, b, grade = read_columns(pairs, ("a", "b", "grade"), "pairs")
        judges = None
    n = len(grade)
    both = [*a, *b] if not isinstance(a, np.ndarray) else np.concatenate([a, b])
    codes, ids = pd.factorize(pd.Series(both), use_na_sentinel=True)
    if (codes < 0).any():
        raise PairsError("has no id", place="pairs", index=int(np.argmin(codes)) % n)
    numbers = np.asarray(grade, dtype=np.float64)
    ends = codes[:n], codes[n:]
    return NamedPairs(ids, PairSet(*ends, numbers, len(ids), judges))


def check_places(found: Ints, ids: Any) -> None:
    """Refuse ids that no row has, or several."""
    count = np.bincount(found, minlength=len(ids))
    if not count.all():
        missing = [ids[n] for n in np.flatnonzero(count == 0)[:3]]
        some = ", ".join(map(str, missing))
        raise PairsError(
            f"names {np.count_nonzero(count == 0)} ids that no row of X has, such as "
            f"{some}; ids must have the type of the id column",
            place="pairs",
        )
    if (count > 1).any():
        raise PairsError(
            f"names {ids[int(np.argmax(count))]}, which several rows of X have; ids "
            "must be unique",
            place="pairs",
        )
