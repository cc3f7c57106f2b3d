"""Candidates of a search: an estimator with one setting, and how it is fitted."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.pairs import PairSet

__all__ = ["Candidate", "burden", "last_step", "list_candidates"]

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

# What the data decide unless a user does.
AUTOMATIC = ("alpha", "beta")


@dataclass(frozen=True, eq=False)
class Candidate:
    """An estimator with one setting of a grid.

    Attributes
    ----------
    params : dict
        The setting, as in the grid.
    estimator : estimator
        Not fitted, with the setting and a seed.
    start : tuple
        The same for candidates that can begin at the same labels.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> first, second = list_candidates(FDC(2), {"beta": [0.0, 1.0]}, seed=0)
    >>> first.uses_pairs, second.uses_pairs, first.start == second.start
    (False, True, True)
    """

    params: dict[str, Any]
    estimator: Any
    start: tuple[Any, ...]

    @property
    def method(self) -> Any:
        """The clusterer itself, without the preparation of its data."""
        return last_step(self.estimator)

    @cached_property
    def uses_pairs(self) -> bool:
        """Whether judgements change its fits."""
        weight = getattr(self.method, "beta", None)
        is_deaf = not isinstance(weight, str) and weight == 0
        return bool(has_fit_parameter(self.method, "pairs")) and not is_deaf

    @cached_property
    def takes_a_start(self) -> bool:
        """Whether one good start can replace several drawn ones."""
        method = self.method
        is_drawn = isinstance(method, FDC) and isinstance(method.init, str)
        return is_drawn and method.init != "pair-graph" and self.uses_pairs

    @property
    def automatic(self) -> "Candidate":
        """The same with what can be automatic made so."""
        names = [name for name in AUTOMATIC if name in self.method.get_params()]
        estimator = self._with(dict.fromkeys(names, "auto"))
        return Candidate(self.params, estimator, self.start)

    def fit(
        self,
        X: Any,
        pairs: PairSet,
        weight: NDArray[np.float64] | None,
        labels: NDArray[np.intp] | None = None,
        *,
        n_jobs: int | None = 1,
    ) -> Any:
        """Return a fitted copy, begun at `labels` if there are any."""
        changes: dict[str, Any] = {} if labels is None else {"init": labels}
        if "n_jobs" in self.method.get_params():
            changes["n_jobs"] = n_jobs
        model = self._with(changes)
        given: dict[str, Any] = {"pairs": pairs} if self.uses_pairs else {}
        if weight is not None:
            given["sample_weight"] = weight
        return fit(model, X, given)

    def _with(self, params: dict[str, Any]) -> Any:
        model = clone(self.estimator)
        last_step(model).set_params(**params)
        return model


def last_step(model: Any) -> Any:
    """Return the clusterer at the end of a pipeline, or the model itself.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> last_step(make_pipeline(StandardScaler(), FDC(3)))
    FDC(n_clusters=3)
    """
    return model[-1] if isinstance(model, Pipeline) else model


def fit(model: Any, X: Any, given: dict[str, Any]) -> Any:
    """Fit a model, and hand what is `given` to the end of a pipeline."""
    if isinstance(model, Pipeline) and given:
        if get_config()["enable_metadata_routing"]:
            last_step(model).set_fit_request(**dict.fromkeys(given, True))
        else:
            name = model.steps[-1][0]
            given = {f"{name}__{key}": value for key, value in given.items()}
    return model.fit(X, **given)


def list_candidates(estimator: Any, param_grid: Grid, seed: int) -> list[Candidate]:
    """Return a candidate for each setting of a grid, in its order.

    Parameters
    ----------
    estimator : estimator
        Takes the settings, unless they name another one as "estimator".
    param_grid : dict or list of dicts
        As for scikit-learn's searches.
    seed : int
        Seeds every estimator that has none: all draw alike.

    Notes
    -----
    ``metric="auto"`` decides by held-out judgements as well. It does so in a search
    only if the grid lists it; an estimator's own is taken as "euclidean".

    Examples
    --------
    >>> from fuzzypairs import FDC, FuzzyCMeans
    >>> grid = [{"beta": [0.5]}, {"estimator": [FuzzyCMeans()], "n_clusters": [2, 3]}]
    >>> [candidate.method.n_clusters for candidate in list_candidates(FDC(4), grid, 0)]
    [4, 2, 3]
    """
    candidates = []
    for params in ParameterGrid(param_grid):
        setting = {name: value for name, value in params.items() if name != "estimator"}
        base = params.get("estimator", estimator)
        model = clone(base).set_params(**clone(setting, safe=False))
        seedless = [
            name
            for name, value in model.get_params().items()
            if name.split("__")[-1] == "random_state" and value is None
        ]
        model.set_params(**dict.fromkeys(seedless, seed))
        method = last_step(model)
        names = {name.split("__")[-1] for name in setting}
        if "metric" not in names and getattr(method, "metric", None) == "auto":
            # "auto" holds judgements out itself: a search within each fit of a search.
            method.set_params(metric="euclidean")
        # By identity: a grid repeats its values, and they need not be hashable.
        key = [
            (name, id(value))
            for name, value in setting.items()
            if name.split("__")[-1] not in AUTOMATIC
        ]
        candidates.append(Candidate(params, model, (id(base), *key)))
    return candidates


def burden(
    candidate: Candidate, n_clusters: float, automatic: Mapping[str, float]
) -> tuple[float, int, float]:
    """Say how complicated a setting is; the smaller the simpler, first entry first.

    Parameters
    ----------
    candidate : Candidate
    n_clusters : float
        Clusters that it found, the median of its fits.
    automatic : mapping
        What "auto" would be, where that is known: "alpha", "beta".

    Returns
    -------
    n_clusters : float
        Fewer clusters are simpler.
    n_options : int
        Settings of the grid that are not the default of their estimator; the number
        of clusters, alpha, beta and ``metric="euclidean"``, the samples' own space,
        do not count here, another estimator does.
    detour : float
        How far alpha and beta are from automatic: for alpha in units of
        1 / n_clusters^2, for beta in factors of e; 1 for each where automatic is not
        known, and 0 for "auto".

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> grid = {"beta": ["auto", 2.0], "metric": ["manhattan"]}
    >>> for one in list_candidates(FDC(3), grid, seed=0):
    ...     burden(one, 3.0, {"beta": 2.0})
    (3.0, 1, 0.0)
    (3.0, 1, 0.0)
    """
    counted_elsewhere = {"n_clusters", *AUTOMATIC}
    n_options = sum(
        name == "estimator" or not _is_plain(candidate.estimator, name, value)
        for name, value in candidate.params.items()
        if name.split("__")[-1] not in counted_elsewhere
    )
    detour = 0.0
    for name in AUTOMATIC:
        value = candidate.method.get_params().get(name, "auto")
        if isinstance(value, str):
            continue
        if name not in automatic:
            detour += 1.0
        elif name == "alpha":
            detour += abs(value - automatic[name]) * max(n_clusters, 1.0) ** 2
        else:
            tiny = np.finfo(float).tiny
            detour += abs(np.log(max(value, tiny) / max(automatic[name], tiny)))
    return float(n_clusters), n_options, float(detour)


def _is_plain(estimator: Any, name: str, value: Any) -> bool:
    """Tell whether a parameter, "step__name" in pipelines, has its default.

    Or the metric that has nothing to it: in a search "auto" is taken for it.
    """
    owner, _, leaf = name.rpartition("__")
    if leaf == "metric" and isinstance(value, str) and value == "euclidean":
        return True
    owner = estimator.get_params()[owner] if owner else estimator
    default = inspect.signature(type(owner).__init__).parameters[leaf].default
    return value is default or repr(value) == repr(default)
