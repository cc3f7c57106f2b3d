"""From data and judgements to a `Result`, in one call."""

import time
from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from fuzzypairs import FDC, GuidedFDC
from fuzzypairs._typing import Show
from fuzzypairs.analysis.analysis_result import Result
from fuzzypairs.analysis.fit_rows import TRIED, fit_rows
from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.analysis.rows import Rows, tell_nobody
from fuzzypairs.exceptions import warnings_as_notes
from fuzzypairs.tables.cluster_names import cluster_names

__all__ = ["analyse", "analyse_rows"]


def analyse(
    data: Any,
    pairs: Any = None,
    *,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    embedding: str | None = None,
    n_clusters: int | Sequence[int] | None = None,
    model: FDC | GuidedFDC | None = None,
    progress: Show = tell_nobody,
    **reading: Any,
) -> Result:
    """Cluster rows of any kind with judgements: what the command `fit` does.

    Parameters
    ----------
    data : path, DataFrame, array of shape (n_rows, n_features) or list of str
        A file of a table, a folder of pictures or of texts, a file of embeddings
        (``*.npy``, ``*.npz``), a table, embeddings, or texts. Columns of a table are
        prepared: numbers are standardised, categories one-hot encoded, gaps filled.
    pairs : path, or what `PairSet.coerce` accepts, default=None
        Judgements: a file of them, also one of the labelling page, a DataFrame
        ``a, b, grade`` by ids, or judgements by row number.
    id : str, default=None
        The column that names the rows. None: the index of a DataFrame that has names,
        or the column that has all ids that a file of judgements names.
    text, image, embedding : str, default=None
        The column of texts, of names of pictures, or of lists of numbers, which are
        clustered instead of the columns.
    n_clusters : int or sequence of int, default=None
        The largest number of clusters, or numbers to choose from by held-out
        judgements; 2 to 8 if None.
    model : FDC or GuidedFDC, default=None
        With the settings of the fit; ``GuidedFDC(random_state=0, n_jobs=-1)`` if None.
    progress : callable, default=tell_nobody
        Is given what is being done, how much is done, and how much there is.
    **reading
        Further arguments of `fuzzypairs.analysis.row_reader.RowReader`: `with_`,
        `show`, `images`, `embeddings`, `features`, `truth`, `drop`, `scale` and others.

    Returns
    -------
    result : Result
        With `memberships`, `model`, `verdict`, `violated`, `report()` and
        `save(folder)`.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs import analyse
    >>> wines = pd.DataFrame({"acid": [1.0, 1.2, 6.0, 6.3], "soil": list("aabb")},
    ...                      index=["oak", "ash", "elm", "fir"])
    >>> judged = pd.DataFrame({"a": ["oak"], "b": ["elm"], "grade": [-0.8]})
    >>> result = analyse(wines, judged, n_clusters=2)
    >>> result.memberships["label"].nunique(), len(result.violated)
    (2, 0)
    """
    reader = RowReader(
        id=id, text=text, image=image, embedding=embedding, progress=progress, **reading
    )
    return analyse_rows(reader.read(data, pairs), n_clusters, model, progress=progress)


def analyse_rows(
    rows: Rows,
    n_clusters: int | Sequence[int] | None = None,
    model: FDC | GuidedFDC | None = None,
    *,
    progress: Show = tell_nobody,
) -> Result:
    """Fit a model to rows that were read; see `analyse`."""
    started = time.perf_counter()
    numbers = [n_clusters] if isinstance(n_clusters, int) else n_clusters or TRIED
    numbers = sorted({int(k) for k in numbers})
    if numbers[0] > rows.n_rows:
        raise ValueError(
            f"n_clusters is {numbers[0]} but the number of rows of {rows.source.path} "
            f"is {rows.n_rows}: ask for fewer clusters"
        )
    blank = GuidedFDC(random_state=0, n_jobs=-1) if model is None else clone(model)
    with warnings_as_notes() as notes:
        fitted, choice = fit_rows(blank, rows.X, rows.pairs, numbers, show=progress)
    seconds = {"read": rows.seconds, "fit": time.perf_counter() - started}
    called = cluster_names(fitted.labels_, rows.named, fitted.n_clusters_)
    names = [name or f"cluster {number}" for number, name in enumerate(called)]
    return Result(
        rows, fitted, choice, seconds, [*rows.notes, *notes],
        cluster_names=names if any(called) else (),
    )  # fmt: skip
