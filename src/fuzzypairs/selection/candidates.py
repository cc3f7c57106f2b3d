"""Candidates of a search: an estimator with one setting, and how it is fitted."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from fuzzypairs._typing import Floats, Labels
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.pairs import PairSet
from fuzzypairs.validation import check_kind, naming, shown

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

# What is searched if no grid is given.
CLUSTERS = tuple(range(2, 9))
# Parameters that the data decide where they are "auto".
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
    start_key : tuple
        Equal for candidates that can start from the same labels.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> first, second = list_candidates(FDC(2), {"beta": [0.0, 1.0]}, seed=0)
    >>> first.uses_pairs, second.uses_pairs, first.start_key == second.start_key
    (False, True, True)
    """

    params: dict[str, Any]
    estimator: Any
    start_key: tuple[Any, ...]

    @property
    def method(self) -> Any:
        """The clusterer itself, without the preparation of its data."""
        return last_step(self.estimator)

    @cached_property
    def uses_pairs(self) -> bool:
        """Whether judgements change its fits."""
        beta = getattr(self.method, "beta", None)
        is_zero = not isinstance(beta, str) and beta == 0
        return bool(has_fit_parameter(self.method, "pairs")) and not is_zero

    @cached_property
    def accepts_start(self) -> bool:
        """Whether one good start can replace several drawn ones."""
        method = self.method
        is_drawn = isinstance(method, FDC) and isinstance(method.init, str)
        return is_drawn and method.init != "pair-graph" and self.uses_pairs

    @property
    def automatic(self) -> "Candidate":
        """The same with automatic alpha and beta, where it has them."""
        names = [name for name in AUTOMATIC if name in self.method.get_params()]
        return replace(self, estimator=self._with(dict.fromkeys(names, "auto")))

    def fit(
        self,
        X: Any,
        pairs: PairSet,
        weight: Floats | None,
        labels: Labels | None = None,
        *,
        n_jobs: int | None = 1,
    ) -> Any:
        """Return a fitted copy, started from `labels` if there are any."""
        changes: dict[str, Any] = {} if labels is None else {"init": labels}
        if "n_jobs" in self.method.get_params():
            changes["n_jobs"] = n_jobs
        model = self._with(changes)
        options: dict[str, Any] = {"pairs": pairs} if self.uses_pairs else {}
        if weight is not None:
            options["sample_weight"] = weight
        if isinstance(model, Pipeline) and options:
            if get_config()["enable_metadata_routing"]:
                last_step(model).set_fit_request(**dict.fromkeys(options, True))
            else:
                name = model.steps[-1][0]
                options = {f"{name}__{key}": value for key, value in options.items()}
        return model.fit(X, **options)

    def _with(self, params: dict[str, Any]) -> Any:
        model = clone(self.estimator)
        last_step(model).set_params(**params)
        return model


def last_step(model: Any) -> Any:
    """Return the clusterer at the end of a pipeline, or the model itself."""
    return model[-1] if isinstance(model, Pipeline) else model


def check_estimator(estimator: Any) -> None:
    """Refuse what is no estimator."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"estimator is {shown(estimator):.60}, expected an estimator, such as "
            "FDC(), or a Pipeline that ends in one"
        )


def read_rows(X: Any) -> Any:
    """Return X, whose rows can be taken, with two of them or more."""
    with naming("X"):
        if sparse.issparse(X):
            check_kind("X", X)  # rows are taken from it before a fit looks at it
        X = X if hasattr(X, "shape") else np.asarray(X)
        if X.shape and not isinstance(X.shape[0], Integral):
            raise TypeError(
                "X is not computed yet, and how many rows it has is not known; give "
                "X.compute(), or of a Dask DataFrame X.to_dask_array(lengths=True)"
            )
        if not X.shape or X.shape[0] < 2:
            raise ValueError(
                f"X must be a table of two samples or more, got {shown(X):.60} of "
                f"shape {X.shape}"
            )
    return X


def default_grid(estimator: Any) -> dict[str, list[Any]]:
    """Return what to search of an estimator, or of the end of a pipeline.

    The number of clusters from 2 to 8, and for `FDC` alpha and beta, each automatic
    or 0.

    Examples
    --------
    >>> from fuzzypairs import GuidedFDC
    >>> default_grid(GuidedFDC())
    {'n_clusters': [2, 3, 4, 5, 6, 7, 8]}
    """
    method = last_step(estimator)
    if "n_clusters" not in method.get_params():
        raise ValueError(
            f"{type(method).__name__} has no parameter n_clusters to search: give "
            "param_grid"
        )
    grid: dict[str, list[Any]] = {"n_clusters": list(CLUSTERS)}
    if isinstance(method, FDC):
        grid |= {name: ["auto", 0.0] for name in AUTOMATIC}
    step = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    return {f"{step}{name}": values for name, values in grid.items()}


def list_candidates(estimator: Any, param_grid: Grid, seed: int) -> list[Candidate]:
    """Return a candidate for each setting of a grid, in its order.

    Parameters
    ----------
    estimator : estimator
        Takes the settings, unless they name another one as "estimator".
    param_grid : dict or list of dicts
        As for scikit-learn's searches.
    seed : int
        Seeds every estimator that has none: all draw the same.

    Examples
    --------
    >>> from fuzzypairs import FDC, FuzzyCMeans
    >>> grid = [{"beta": [0.5]}, {"estimator": [FuzzyCMeans()], "n_clusters": [2, 3]}]
    >>> [candidate.method.n_clusters for candidate in list_candidates(FDC(4), grid, 0)]
    [4, 2, 3]
    """
    candidates = []
    if not len(ParameterGrid(param_grid)):
        raise ValueError("param_grid has no settings, expected one at least")
    for params in ParameterGrid(param_grid):
        setting = {name: value for name, value in params.items() if name != "estimator"}
        base = params.get("estimator", estimator)
        model = clone(base).set_params(**clone(setting, safe=False))
        seedless = [
            name
            for name, value in model.get_params().items()
            if _leaf(name) == "random_state" and value is None
        ]
        model.set_params(**dict.fromkeys(seedless, seed))
        # By identity: a grid repeats its values, and they need not be hashable.
        key = [
            (name, id(value))
            for name, value in setting.items()
            if _leaf(name) not in AUTOMATIC
        ]
        candidates.append(Candidate(params, model, (id(base), *key)))
    return candidates


def complexity(
    candidate: Candidate, n_clusters: float, automatic: Mapping[str, float]
) -> tuple[float, int, float, float]:
    """Return how complex a setting is; the smaller the simpler, first entry first.

    Parameters
    ----------
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
        of clusters, alpha and beta do not count here, another estimator does.
    deviation : float
        How far alpha and beta are from automatic: for alpha in units of
        1 / n_clusters^2, for beta in factors of e; 1 for each where automatic is not
        known, and 0 for "auto".
    n_asked : float
        Clusters that were asked for, of which some may have vanished.

    Examples
    --------
    >>> from fuzzypairs import FDC
    >>> grid = {"beta": ["auto", 2.0], "metric": ["manhattan"]}
    >>> for candidate in list_candidates(FDC(3), grid, seed=0):
    ...     complexity(candidate, 3.0, {"beta": 2.0})
    (3.0, 1, 0.0, 3.0)
    (3.0, 1, 0.0, 3.0)
    """
    n_options = sum(
        name == "estimator" or not _is_default(candidate.estimator, name, value)
        for name, value in candidate.params.items()
        if _leaf(name) not in ("n_clusters", *AUTOMATIC)
    )
    deviation = 0.0
    for name in AUTOMATIC:
        value = candidate.method.get_params().get(name, "auto")
        if isinstance(value, str):
            continue
        if name not in automatic:
            deviation += 1.0
        elif name == "alpha":
            deviation += abs(value - automatic[name]) * max(n_clusters, 1.0) ** 2
        else:
            tiny = np.finfo(float).tiny
            deviation += abs(np.log(max(value, tiny) / max(automatic[name], tiny)))
    asked = candidate.method.get_params().get("n_clusters")
    n_asked = float(asked) if isinstance(asked, int | np.integer) else 0.0
    return float(n_clusters), n_options, float(deviation), n_asked


def _leaf(name: str) -> str:
    """Return the name of a parameter without that of its step in a pipeline."""
    return name.rpartition("__")[2]


def _is_default(estimator: Any, name: str, value: Any) -> bool:
    """Return whether a parameter, "step__name" in pipelines, has its default."""
    owner, _, leaf = name.rpartition("__")
    owner = estimator.get_params()[owner] if owner else estimator
    default = inspect.signature(type(owner).__init__).parameters[leaf].default
    return value is default or repr(value) == repr(default)
