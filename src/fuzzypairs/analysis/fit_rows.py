"""Fits of a model to rows, and what is read of it whatever it is."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs._typing import Floats, Ints, Show
from fuzzypairs.analysis.rows import tell_nobody
from fuzzypairs.cluster.verdict import HeldOut, Verdict, assess
from fuzzypairs.criteria import align_clusters
from fuzzypairs.exceptions import ClustersVanishedWarning
from fuzzypairs.solvers.watching import watch_runs
from fuzzypairs.threads import one_blas_thread

__all__ = [
    "Choice",
    "can_choose",
    "choose_number",
    "fit_rows",
    "settings_of",
    "solution_of",
    "unguided_of",
    "verdict_of",
]

# Numbers of clusters that are tried if none is given.
TRIED = tuple(range(2, 9))
# The number of clusters is chosen on so many rows and those judged.
MOST_SEARCHED = 10_000
# A model chooses the number of clusters by so many judgements of both kinds; with
# fewer it is chosen by how stable clusters are.
FEWEST = 5
# Rows that clusters without judgements are fitted to, and their starts.
MOST_FITTED, STARTS = 5000, 3


@dataclass(frozen=True)
class Choice:
    """How the number of clusters, or all settings of a model, were chosen.

    Attributes
    ----------
    by : {"held-out pairs", "stability"}
    reason : str
    verdict : Verdict or None
        Of the search; None leaves it to the model.
    uses_pairs : bool
        Whether the model was fitted with the judgements.
    details : mapping of str to object
        What a summary has of it.
    """

    by: str
    reason: str
    verdict: Verdict | None = None
    uses_pairs: bool = True
    details: Mapping[str, Any] = field(default_factory=dict)


def fit_rows(
    model: FDC | GuidedFDC,
    X: pd.DataFrame,
    pairs: PairSet,
    numbers: Sequence[int],
    *,
    show: Show = tell_nobody,
) -> tuple[Any, Choice | None]:
    """Fit a model with a number of clusters, or with the one that is chosen.

    Parameters
    ----------
    model : FDC or GuidedFDC
        With the settings of the fit.
    X : DataFrame of shape (n_rows, n_features)
    pairs : PairSet
    numbers : sequence of int
        Of clusters, to choose from if they are several.
    show : callable, default=tell_nobody

    Returns
    -------
    model : FDC or GuidedFDC
        Fitted.
    choice : Choice or None
    """
    doing = f"clustering {len(X):,} rows"

    def tell(done: float, total: float) -> None:
        show(doing, done, total)

    tell(0, 1)
    # The fits have threads of their own.
    with one_blas_thread(), watch_runs(tell), warnings.catch_warnings():
        if len(numbers) == 1:
            model.set_params(n_clusters=numbers[0])
            return model.fit(X, pairs=pairs), None
        # Nobody asked for the number that is taken: no note on those not found.
        warnings.simplefilter("ignore", ClustersVanishedWarning)
        rows = _searched(len(X), pairs)
        if rows is None:
            return choose_number(model, X, pairs, numbers, show)
        found, choice = choose_number(
            model, X.iloc[rows], pairs.restrict(rows), numbers, show
        )
        model = type(model)(**found.get_params(deep=False))
        model.set_params(n_clusters=number_of(found))
        model.fit(X, pairs=pairs if choice.uses_pairs else None)
        reason = f"{choice.reason} It was chosen on {len(rows):,} of the rows."
        return model, replace(choice, reason=reason, verdict=None)


def _searched(n_rows: int, pairs: PairSet) -> Ints | None:
    """Return the rows that numbers are tried on: all (None), or judged and some."""
    if n_rows <= MOST_SEARCHED:
        return None
    told = pairs.informative
    drawn = np.random.default_rng(0).choice(n_rows, MOST_SEARCHED, replace=False)
    return np.unique(np.concatenate([drawn, told.i, told.j]))


def can_choose(model: Any, pairs: PairSet) -> bool:
    """Tell whether a model chooses the number of clusters by its own evidence."""
    told = pairs.informative
    few = len(told) < FEWEST or not told.similar.any() or not told.dissimilar.any()
    return isinstance(model, GuidedFDC) and not few


def choose_number(
    model: FDC | GuidedFDC,
    X: Any,
    pairs: PairSet,
    numbers: Sequence[int],
    show: Show = tell_nobody,
) -> tuple[Any, Choice]:
    """Fit with the best of several numbers of clusters; see `fit_rows`."""
    n_all = len(X)
    tried = [k for k in numbers if k <= n_all]
    if can_choose(model, pairs):
        model.set_params(n_clusters=tried).fit(X, pairs=pairs)
        k = number_of(model)
        reason = (
            f"Chosen by {len(pairs.informative)} held-out judgements: n_clusters={k}, "
            f"under which they are most likely, of {len(tried)} numbers."
        )
        if k == max(tried):
            reason += " It is the largest number that was tried: there may be more."
        return model, Choice("held-out pairs", reason)
    from fuzzypairs import PairSearchCV

    search = PairSearchCV(
        model, {"n_clusters": tried}, random_state=model.random_state,
        n_jobs=model.n_jobs,
    )  # fmt: skip
    tell = partial(show, "choosing the number of clusters")
    search.fit(X, pairs=pairs, progress=tell)
    return search.best_estimator_, Choice(
        search.chosen_by_, search.reason_, search.verdict_, search.uses_pairs_
    )


def number_of(model: Any) -> int:
    """Return the number of clusters that was asked for, or that the model took."""
    is_one = isinstance(model.n_clusters, int | np.integer)
    return int(model.n_clusters if is_one else model.n_clusters_)


def verdict_of(model: Any, pairs: PairSet) -> Verdict:
    """Return what held-out judgements say of a model, if it held any out."""
    unknown = np.full(len(pairs), np.nan)
    found = getattr(model, "verdict_", None)
    return found or assess(HeldOut(pairs, unknown, unknown))


def settings_of(model: Any) -> dict[str, Any]:
    """Return the settings of a model: given to `fit` again, they give it again."""
    settings = {"metric": "auto", **model.get_params(deep=False)}
    return {
        name: list(value) if isinstance(value, range | tuple) else value
        for name, value in settings.items()
        if name not in ("n_jobs", "verbose") and value is not None
    }


def solution_of(model: Any) -> dict[str, Any]:
    """Return what an FDC found beside clusters; nothing of other models."""
    if not isinstance(model, FDC):
        return {}
    return {
        "used": {
            "alpha": float(model.alpha_),
            "beta": float(model.beta_),
            "metric": model.metric,
        },
        "objective": float(model.objective_),
        "n_iter": int(model.n_iter_),
        "converged": bool(model.converged_),
    }


def unguided_of(model: Any, X: Any, memberships: Floats) -> Floats | None:
    """Return memberships of the same rows without judgements.

    Parameters
    ----------
    model : FDC or GuidedFDC
        Fitted.
    X : DataFrame or array of shape (n_rows, n_features)
    memberships : ndarray of shape (n_rows, n_clusters)
        Of the model.

    Returns
    -------
    memberships : ndarray of shape (n_rows, n_clusters) or None
        Of as many clusters, numbered like those of the model. None if X are distances
        or kernel values. Those of an FDC are fitted; to a random choice of the rows if
        these are many.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import GuidedFDC
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = GuidedFDC(2, random_state=0).fit(X, pairs=[(1, 2, 0.9)])
    >>> unguided_of(model, X, model.memberships_).shape
    (4, 2)
    """
    if isinstance(model, GuidedFDC):
        known = getattr(model, "unguided_memberships_", None)
        is_known = known is not None and len(known) == len(memberships)
        return np.asarray(known) if is_known else model.unguided_proba(X)
    data = np.asarray(X)
    plain = FDC(**model.get_params(deep=False))
    if isinstance(plain.metric, str) and plain.metric.startswith("precomputed"):
        return None
    plain.set_params(
        n_clusters=memberships.shape[1], propagate=False, robust=False,
        init="k-means++", n_init=STARTS, random_state=0, verbose=0,
        n_jobs=model.n_jobs,
    )  # fmt: skip
    some = np.random.default_rng(0).permutation(len(data))[:MOST_FITTED]
    with warnings.catch_warnings(), one_blas_thread():
        # What the fit itself has to say was said of the fit with judgements.
        warnings.simplefilter("ignore")
        plain.fit(data if len(some) == len(data) else data[np.sort(some)])
    found = plain.memberships_ if len(some) == len(data) else plain.predict_proba(data)
    return align_clusters(memberships, found)
