"""Hostile cases of the estimators on Dask collections."""

from collections.abc import Iterator
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from fuzzypairs.distributed import DaskFDC, DaskFuzzyCMeans
from hostile import values
from hostile.outcomes import Case, off_simplex

QUICK = {"n_clusters": 3, "n_init": 1, "max_iter": 20, "random_state": 0}
MODELS = {"DaskFDC": DaskFDC, "DaskFuzzyCMeans": DaskFuzzyCMeans}
OF_WEIGHTS = ("sample_weight", "weights", "weight")


def in_blocks(given: Any, n_rows: int = 10) -> Any:
    """Return a Dask collection of what Dask can split, anything else as it is."""
    import dask.array as da
    import dask.dataframe as dd
    from dask.delayed import delayed

    if isinstance(given, pd.DataFrame) and len(given):
        return dd.from_pandas(given.reset_index(drop=True), npartitions=3)
    if sparse.issparse(given) and given.format == "csr":
        # One block: rows of a broken one cannot be taken.
        whole = delayed(lambda: given)()
        return da.from_delayed(whole, given.shape, given.dtype)
    if isinstance(given, np.ndarray) and given.ndim and given.size:
        return da.from_array(given, chunks=(n_rows, *given.shape[1:]))
    return given


def changed(change: Any) -> Any:
    """Return blocks of which the last is not what Dask was told."""
    import dask.array as da

    parts = in_blocks(values.POINTS)
    last = parts.blocks[-1].map_blocks(change, dtype=float, meta=np.empty((0, 0)))
    return da.concatenate([parts.blocks[:-1], last])


# Blocks that only a Dask collection can hold.
REFUSED = {
    "fewer rows": lambda: changed(lambda part: part[:1]),
    "more rows": lambda: changed(lambda part: np.vstack([part, part])),
    "fewer columns": lambda: changed(lambda part: part[:, :1]),
    "more columns": lambda: changed(lambda part: np.hstack([part, part])),
    "one dimension": lambda: changed(lambda part: part[0]),
    "texts": lambda: changed(lambda part: part.astype(str)),
    "objects": lambda: changed(lambda part: part.astype(object)),
    "NaN": lambda: changed(lambda part: part * np.nan),
    "largest": lambda: changed(lambda part: np.sign(part) * 1.7e308),
}


def fit(name: str, X: Any, params: Any = None, new: Any = ..., **given: Any) -> Any:
    """Fit to blocks, and return the memberships of new ones."""
    import dask

    given = {key: value() for key, value in given.items()}
    if name == "DaskFDC":
        given.setdefault("pairs", values.TRIPLES)
    with dask.config.set(scheduler="synchronous"):
        model = MODELS[name](**{**QUICK, **(params or {})}).fit(X, **given)
        U = np.asarray(model.predict_proba(X if new is ... else new))
        for some in (U, model.memberships_.compute()):
            if wrong := off_simplex(some, len(some), model.n_clusters_):
                raise AssertionError(f"memberships {wrong}")
    return model.cluster_centers_


def of_blocks() -> Iterator[Case]:
    for name in MODELS:
        for refused, some in ((True, values.REFUSED_X), (False, values.X)):
            for what, X in some.items():
                run = lambda name=name, X=X: fit(name, in_blocks(X()), pairs=list)  # noqa: E731
                yield Case(f"X {what}: {name}", ("X",), run, refused)
                run = lambda name=name, X=X: fit(  # noqa: E731
                    name, in_blocks(values.POINTS), new=in_blocks(X())
                )
                is_wrong = refused and what != "no rows"
                yield Case(f"X {what}: {name}.predict_proba()", ("X",), run, is_wrong)
        for what, X in REFUSED.items():
            run = lambda name=name, X=X: fit(name, X())  # noqa: E731
            yield Case(f"X block {what}: {name}", ("X",), run, refused=True)
            if "rows" not in what:  # nothing is wrong with the rows of new blocks
                run = lambda name=name, X=X: fit(  # noqa: E731
                    name, in_blocks(values.POINTS), new=X()
                )
                title = f"X block {what}: {name}.predict_proba()"
                yield Case(title, ("X",), run, what != "objects")
        for refused, some in ((True, values.REFUSED_WEIGHTS), (False, values.WEIGHTS)):
            for what, weight in some.items():
                for place in ("", " in blocks"):
                    given = partial(_weights, weight, place)
                    run = lambda name=name, given=given: fit(  # noqa: E731
                        name, in_blocks(values.POINTS), sample_weight=given
                    )
                    title = f"weight {what}{place}: {name}"
                    yield Case(title, OF_WEIGHTS, run, refused)
        for parameter in signature(MODELS[name].__init__).parameters:
            for what, value in values.PARAMETERS.items() if parameter != "self" else ():
                run = lambda name=name, parameter=parameter, value=value: fit(  # noqa: E731
                    name, in_blocks(values.POINTS), {parameter: value()}
                )
                yield Case(f"{parameter}={what}: {name}", (parameter,), run)
    for refused, some in ((True, values.REFUSED_PAIRS), (False, values.PAIRS)):
        for what, pairs in some.items():
            run = lambda pairs=pairs: fit(  # noqa: E731
                "DaskFDC", in_blocks(values.POINTS), pairs=pairs
            )
            words = ("pairs", "judgements", "grade", "i", "j")
            yield Case(f"pairs {what}: DaskFDC", words, run, refused)


def _weights(weight: Any, place: str) -> Any:
    return in_blocks(weight()) if place else weight()
