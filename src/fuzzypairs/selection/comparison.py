"""Methods compared on the same data: scores, times and labels."""

import textwrap
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.cluster import KMeans

from fuzzypairs import criteria
from fuzzypairs._typing import Floats, Ints, Show
from fuzzypairs.baselines.dsc import DSC
from fuzzypairs.baselines.fhss import FHSS
from fuzzypairs.baselines.pcca import PCCA
from fuzzypairs.baselines.ssdc import SSDC
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.fuzzy_c_means import FuzzyCMeans
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import check_integer, check_seed, naming, read_array

# By name: an estimator with its defaults, for a number of clusters and a seed.
METHODS: dict[str, Callable[[int, int], Any]] = {
    # As many starts as the others make.
    "k-means": lambda k, seed: KMeans(k, n_init=10, random_state=seed),
    "FuzzyCMeans": lambda k, seed: FuzzyCMeans(k, random_state=seed),
    "PCCA": lambda k, seed: PCCA(k, random_state=seed),
    "SSDC": lambda k, seed: SSDC(),
    "DSC": lambda k, seed: DSC(k),
    "FHSS": lambda k, seed: FHSS(k),
    "FDC": lambda k, seed: FDC(k, random_state=seed),
    "GuidedFDC": lambda k, seed: GuidedFDC(k, random_state=seed),
}
# Those that take no judgements.
WITHOUT_PAIRS = ("k-means", "FuzzyCMeans")

# Criteria that compare labels with true classes.
CRITERIA = ("normalized_ari", "nmi", "rand_index", "hungarian_accuracy")

# Characters of an error or a warning that are kept.
MAX_MESSAGE = 400


@dataclass(frozen=True, eq=False)
class MethodResult:
    """The clusters of one method, and their scores.

    Attributes
    ----------
    method : str
        Its name in `METHODS`.
    n_clusters : int or None
        Clusters found; None, like all that follows, if the method failed.
    seconds : float or None
        Time of the fit.
    normalized_ari, nmi, rand_index, hungarian_accuracy : float or None
        Agreement with the truth, None without one. Unassigned rows count as one more
        cluster.
    pair_agreement : float or None
        Share of the judgements that the clusters satisfy, by strength; None if all
        judgements are 0.
    n_unassigned : int or None
        Rows in no cluster.
    note : str
        Its warnings, and how many rows are in no cluster.
    error : str
        Why the method failed; empty if it did not.
    labels : ndarray of shape (n_samples,) or None
        Clusters; -1 for rows in none.

    Examples
    --------
    >>> from fuzzypairs.selection.comparison import MethodResult
    >>> MethodResult("SSDC", error="needs 9 GB").as_dict()["error"]
    'needs 9 GB'
    """

    method: str
    n_clusters: int | None = None
    seconds: float | None = None
    normalized_ari: float | None = None
    nmi: float | None = None
    rand_index: float | None = None
    hungarian_accuracy: float | None = None
    pair_agreement: float | None = None
    n_unassigned: int | None = None
    note: str = ""
    error: str = ""
    labels: Ints | None = field(default=None, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return all but the labels, ready for JSON."""
        return {name: v for name, v in asdict(self).items() if name != "labels"}


def pick_methods(names: Sequence[str]) -> list[str]:
    """Return methods as they are spelt in `METHODS`, each once, in its order.

    Examples
    --------
    >>> from fuzzypairs.selection.comparison import pick_methods
    >>> pick_methods(["fdc", "K-Means"])
    ['k-means', 'FDC']
    """
    spelt = {name.lower(): name for name in METHODS}
    for name in names:
        if name.strip().lower() not in spelt:
            raise ValueError(
                f"methods: there is no method {name!r}; expected some of "
                f"{', '.join(METHODS)}"
            )
    wanted = {spelt[name.strip().lower()] for name in names}
    return [name for name in METHODS if name in wanted]


def compare(
    X: ArrayLike,
    pairs: Any = None,
    n_clusters: int = 8,
    *,
    truth: ArrayLike | None = None,
    methods: Sequence[str] = tuple(METHODS),
    random_state: int = 0,
    progress: Show | None = None,
) -> list[MethodResult]:
    """Run methods with their defaults on the same data and judgements.

    A method that fails does not end the comparison: its outcome holds the error.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Data, with features of one scale.
    pairs : PairSet or what `PairSet.coerce` accepts, default=None
        Judgements of rows of X. k-means and fuzzy c-means take none.
    n_clusters : int, default=8
        Clusters to find. SSDC finds their number itself, and FHSS if there are
        judgements.
    truth : array-like of shape (n_samples,), default=None
        True classes; rows where it is None are not scored.
    methods : sequence of str, default=all
        Names in `METHODS`, in any case.
    random_state : int, default=0
        Seeds the starts of those methods that draw them.
    progress : callable, default=None
        Called as ``progress(method, done, total)`` before each method.

    Returns
    -------
    outcomes : list of MethodResult
        One for each method, in the order of `METHODS`.

    Notes
    -----
    Methods satisfy the judgements that they were given more often than others:
    `pair_agreement` measures how closely they follow them, not how good clusters are.

    Examples
    --------
    >>> from fuzzypairs.selection.comparison import compare
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]]
    >>> for row in compare(X, [(0, 1, 0.9)], 2, methods=["k-means", "FDC"]):
    ...     print(row.method, row.n_clusters, row.pair_agreement)
    k-means 2 1.0
    FDC 2 1.0
    """
    data = read_array("X", X, dtype=np.float64)
    judged = PairSet.coerce(pairs, n_samples=len(data))
    k = check_integer("n_clusters", n_clusters, 1)
    with naming("truth"):
        classes = None if truth is None else np.asarray(truth, dtype=object)
    if classes is not None and classes.shape != (len(data),):
        raise ValueError(
            f"truth has shape {classes.shape} but X has {len(data)} rows; expected "
            "one class for each"
        )
    with naming("methods"):
        names = pick_methods(methods)
    check_seed(random_state)
    outcomes = []
    for done, name in enumerate(names):
        if progress is not None:
            progress(name, done, len(names))
        outcomes.append(_run(name, data, judged, k, classes, random_state))
    return outcomes


def _run(
    name: str,
    X: Floats,
    pairs: PairSet,
    n_clusters: int,
    truth: np.ndarray | None,
    seed: int,
) -> MethodResult:
    """Fit one method, and score it."""
    judged = {} if name in WITHOUT_PAIRS else {"pairs": pairs}
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.perf_counter()
            model = METHODS[name](n_clusters, seed).fit(X, **judged)
            seconds = time.perf_counter() - start
        labels = np.asarray(model.labels_, dtype=np.int64)
        scores = _score(labels, pairs, truth)
    except Exception as error:  # the other methods may still run
        return MethodResult(name, error=_one_line(error) or type(error).__name__)
    n_unassigned = int((labels == -1).sum())
    notes = [f"{n_unassigned} of {len(X)} rows in no cluster"] * (n_unassigned > 0)
    notes += dict.fromkeys(_one_line(warning.message) for warning in caught)
    return MethodResult(
        name,
        n_clusters=len(np.unique(labels[labels >= 0])),
        seconds=round(seconds, 6),
        n_unassigned=n_unassigned,
        note="; ".join(notes),
        labels=labels,
        **scores,
    )


def _score(labels: Ints, pairs: PairSet, truth: np.ndarray | None) -> dict[str, Any]:
    """Return all criteria that can be computed."""
    share = criteria.pair_agreement(pairs, labels)
    scores = {"pair_agreement": None if np.isnan(share) else round(share, 6)}
    if truth is None:
        return scores
    known = np.array([value is not None for value in truth])
    classes = truth[known].astype(str)
    return scores | {
        key: round(getattr(criteria, key)(classes, labels[known]), 6)
        for key in CRITERIA
    }


def _one_line(message: object) -> str:
    """Return the message of an error or a warning in one line."""
    return textwrap.shorten(str(message), MAX_MESSAGE, placeholder=" ...")
