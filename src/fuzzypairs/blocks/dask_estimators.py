"""The estimators on Dask collections: `DaskFDC` and `DaskFuzzyCMeans`."""

import copy
import warnings
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from fuzzypairs._typing import Floats
from fuzzypairs.blocks.block_passes import BlockPasses, FitBlocks
from fuzzypairs.blocks.block_rows import Blocks, read_collection
from fuzzypairs.blocks.block_work import memberships_of_block
from fuzzypairs.blocks.maps import is_delayed
from fuzzypairs.cluster.checked import CheckedData, store, unit_of
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.fuzzy_c_means import FuzzyCMeans
from fuzzypairs.cluster.prototypes import Found, PrototypeClusterer
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.spaces.metrics import Metric, resolve_metric
from fuzzypairs.spaces.moments import is_sparse
from fuzzypairs.spaces.space import Space
from fuzzypairs.spaces.vectors import Euclidean
from fuzzypairs.threads import Threads
from fuzzypairs.validation import naming

__all__ = ["DaskFDC", "DaskFuzzyCMeans"]


class _OnBlocks(PrototypeClusterer):
    """Replaces the passes of a local estimator, which is given held rows alone."""

    fit_blocks: FitBlocks
    # Labels of coinciding prototypes are not traced back: that needs memberships.
    _is_algorithm_1 = False

    def _problem(
        self,
        space: Space,
        data: CheckedData,
        k: int,
        alpha: float,
        threads: Threads,
        mean: Floats | None,
        spread: float,
        fuzzifier: float,
        make: partial[Any] | None = None,
    ) -> Problem:
        mean, spread = self.fit_blocks.moments(space, data.unit)
        over = self.fit_blocks, space, data.unit, fuzzifier, mean, spread
        make = partial(BlockPasses, *over)
        rest = mean, spread, fuzzifier, make
        return super()._problem(space, data, k, alpha, threads, *rest)


class BlockFDC(_OnBlocks, FDC):
    """FDC whose passes go over blocks."""

    def _variant(self, **changes: Any) -> FDC:
        params = {**self.get_params(deep=False), **changes}
        variant = type(self)(**params)
        variant.fit_blocks = self.fit_blocks
        return variant


class _BlockFuzzyCMeans(_OnBlocks, FuzzyCMeans):
    """Fuzzy c-means whose passes go over blocks."""


class _DaskClusterer(BaseEstimator):
    """Fits a local estimator with passes over the blocks of a Dask collection."""

    _local: ClassVar[Any]
    _engine: ClassVar[Any]

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        pairs: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Find clusters of X under the judgements `pairs`.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features)
            Chunks of an array may be sparse (CSR). float32 stays float32.
        y : ignored
        pairs : PairSet, triples (i, j, grade), array or DataFrame, default=None
            Judgements of rows: by numbers over all blocks, which needs known chunk
            sizes; with `id_column` by ids, as (id, id, grade).
        sample_weight : dask array, Series or array of shape (n_samples,), default=None

        Returns
        -------
        self : object
            The fitted estimator.
        """
        parameters = self._parameters()
        engine = self._engine(**parameters)
        engine._check_parameters()
        space = self._space_of(parameters)
        blocks = read_collection(X, sample_weight, getattr(self, "id_column", None))
        engine.fit_blocks = FitBlocks.open(blocks, pairs, engine, self.client)
        held = engine.fit_blocks.held
        if is_sparse(held.X) and not space.accepts_sparse:
            raise TypeError(
                f"X is sparse, which metric={engine.metric!r} does not accept; use "
                'metric="euclidean" or dense chunks'
            )
        names: dict[str, Any] = {"n_features_in_": held.survey.n_features}
        columns = blocks.reading.names
        if columns and all(isinstance(name, str) for name in columns):
            names["feature_names_in_"] = np.array(columns, dtype=object)
        reach = np.array([held.survey.reach])
        unit = unit_of(reach) if type(space) is Euclidean else 1.0
        judged = held.pairs.merged, held.weight, unit, names, held.pairs
        data = CheckedData(held.X, *judged)
        found = engine._solve(data, space)
        self._keep(engine, data, found, blocks)
        for message, category in found.notes:
            warnings.warn(message, category, stacklevel=2)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy with the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**copies, client=client)

    def _parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = self.get_params(deep=False)
        for name in ("client", "id_column"):
            parameters.pop(name, None)
        init = parameters["init"]
        if not isinstance(init, str) and not callable(init):
            raise ValueError(
                "init is an array, but fits on Dask start from a sample of the rows; "
                "use a name, or a callable that is given the sample"
            )
        return parameters

    def _space_of(self, parameters: dict[str, Any]) -> Space:
        space = resolve_metric(parameters["metric"], parameters["metric_params"])
        if not isinstance(space, Euclidean):
            raise ValueError(
                f"metric={parameters['metric']!r} needs all rows at once; on Dask use "
                '"euclidean", "mahalanobis", "learned", or a kernel with '
                'metric_params={"n_components": ...}'
            )
        return space

    def _keep(
        self, engine: Any, data: CheckedData, found: Found, blocks: Blocks
    ) -> None:
        """Store what the fit found, and memberships that are computed when asked."""
        engine._store(data, found)
        own = vars(engine)
        fitted = {n: v for n, v in own.items() if n[-1] == "_" and n[0] != "_"}
        for name in ("memberships_", "labels_"):
            fitted.pop(name)
        store(self, **fitted)
        model = self._local(**self._parameters())
        for name in ("_unit", "_space", "_prototypes"):
            setattr(model, name, own[name])
        vars(model).update(copy.copy(fitted))
        self._model = model
        held = engine.fit_blocks.held
        self.judged_memberships_ = found.memberships[held.judged]
        self.judged_rows_ = held.rows[held.judged]
        if held.ids is not None:
            self.judged_ids_ = held.ids
        constrained = np.sort(found.problem.constrained)
        rows = held.rows_by_block(constrained)
        cuts = np.cumsum([len(some) for some in rows])[:-1]
        given = np.split(found.memberships[constrained], cuts)
        if not is_delayed(blocks.parts[0]):
            return
        lengths = np.diff(held.borders).tolist()
        self.memberships_ = _lazy_memberships(blocks, model, lengths, rows, given)
        self.labels_ = self.memberships_.argmax(axis=1)

    def to_local(self) -> Any:
        """Return a local estimator with the prototypes: it predicts, and can be saved.

        Returns
        -------
        model : FDC or FuzzyCMeans
            Without `memberships_` and `labels_`, which may not fit into memory.
        """
        check_is_fitted(self)
        return copy.deepcopy(self._model)

    def predict_proba(self, X: Any) -> Any:
        """Return the memberships of new samples, eq. (14), without judgements.

        Parameters
        ----------
        X : dask array or DataFrame, or array, of shape (n_samples, n_features)

        Returns
        -------
        memberships : dask array, or ndarray, of shape (n_samples, n_clusters_)
            Computed when asked for, if X is a Dask collection.
        """
        check_is_fitted(self)
        if not hasattr(X, "to_delayed"):
            return self._model.predict_proba(X)
        id_column = getattr(self, "id_column", None)
        blocks = read_collection(X, None, id_column)
        table = X._meta.drop(columns=id_column or []) if hasattr(X, "columns") else X
        with naming("X"):
            validate_data(self._model, table, reset=False, skip_check_array=True)
        lengths = list(blocks.lengths or [float("nan")] * len(blocks))
        none = [np.empty(0, dtype=np.int64)] * len(blocks)
        given = [np.empty((0, self._model.n_clusters_))] * len(blocks)
        return _lazy_memberships(blocks, self._model, lengths, none, given)

    def predict(self, X: Any) -> Any:
        """Return the cluster of the largest membership of each new sample.

        Parameters
        ----------
        X : dask array or DataFrame, or array, of shape (n_samples, n_features)

        Returns
        -------
        labels : dask array, or ndarray, of shape (n_samples,)
        """
        return self.predict_proba(X).argmax(axis=1)

    def fit_predict(self, X: Any, y: object = None, **options: Any) -> Any:
        """Fit, and return `labels_`.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features)
        y : ignored
        **options
            See `fit`.

        Returns
        -------
        labels : dask array of shape (n_samples,)
        """
        return self.fit(X, **options).labels_


class DaskFDC(_DaskClusterer):
    """Fuzzy discriminant clustering of a Dask collection, guided by judgements.

    The model of `fuzzypairs.FDC`, fitted by passes over blocks. A pass is the same code
    as in memory; what blocks give is added in their order, so the number of workers
    changes no bit of the result. Blocks stay on their workers between passes if all fit
    into 40 % of their memory, and are read again for each pass otherwise.

    Parameters
    ----------
    n_clusters, alpha, beta, fuzzifier
        See `fuzzypairs.FDC`. alpha="auto" and fuzzifier="auto" look at a sample of up
        to 100 000 rows.
    metric, metric_params
        "euclidean"; "mahalanobis", "learned" and kernels with "n_components", whose
        maps are fitted to the sample and the judged rows, and applied to blocks.
    init : str or callable, default="k-means++"
        Starts are drawn from the sample, which holds all judged rows. A callable is
        given the sample.
    n_init : int, default=10
        Number of starts. They share the passes over the data.
    max_iter, tol, group_solver
        See `fuzzypairs.FDC`.
    propagate : bool, float in [0, 1) or "auto", default=False
        See `fuzzypairs.FDC`; judgements reach the rows of the sample.
    robust : bool or float > 0, default=False
        See `fuzzypairs.FDC`; how much clusters differ is seen in the sample.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample and the starts.
    n_jobs : int, default=None
        Number of threads in this process: of groups of judged rows, and of blocks if
        there is no client.
    verbose : int, default=0
        If above 0, a line is printed for each run.
    id_column : str, default=None
        The column of a DataFrame that names rows. It is no feature, and `pairs` names
        rows by its values.
    client : distributed.Client, default=None
        None takes the current client, or threads of this process if there is none.

    Attributes
    ----------
    cluster_centers_, n_clusters_, objective_, objective_history_, n_iter_, converged_
        As of `fuzzypairs.FDC`, with its further small attributes.
    memberships_ : dask array of shape (n_samples, n_clusters_)
        Computed when asked for, in the chunks of X.
    labels_ : dask array of shape (n_samples,)
    judged_memberships_ : ndarray of shape (n_judged, n_clusters_)
        Memberships of the rows that judgements name.
    judged_rows_ : ndarray of shape (n_judged,)
        Their numbers over all blocks, in order.
    judged_ids_ : ndarray of shape (n_judged,)
        Their ids, if `pairs` named them by ids.

    See Also
    --------
    watch_passes : the progress of a fit.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from fuzzypairs.distributed import DaskFDC
    >>> X = da.from_array(np.array([[0.0], [1.0], [4.9], [9.0], [10.0]]), chunks=(2, 1))
    >>> model = DaskFDC(n_clusters=2, random_state=0).fit(X, pairs=[(2, 4, 0.9)])
    >>> labels = model.labels_.compute()
    >>> bool(labels[2] == labels[4])
    True
    >>> model.judged_rows_
    array([2, 4])
    """

    _local = FDC
    _engine = BlockFDC

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float | Literal["auto"] = "auto",
        beta: float | Literal["auto"] = "auto",
        fuzzifier: float | Literal["auto"] = 2.0,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        group_solver: Literal["sweeps", "exact"] = "sweeps",
        propagate: bool | float | Literal["auto"] = False,
        robust: bool | float = False,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        id_column: str | None = None,
        client: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.fuzzifier = fuzzifier
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.group_solver = group_solver
        self.propagate = propagate
        self.robust = robust
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.id_column = id_column
        self.client = client


class DaskFuzzyCMeans(_DaskClusterer):
    """Fuzzy c-means of a Dask collection: `DaskFDC` without alpha and judgements.

    Parameters
    ----------
    n_clusters, fuzzifier
        See `fuzzypairs.FuzzyCMeans`.
    metric, metric_params, init, n_init, max_iter, tol, random_state, n_jobs, verbose
        See `DaskFDC`.
    id_column, client
        See `DaskFDC`.

    Attributes
    ----------
    cluster_centers_, n_clusters_, objective_, objective_history_, n_iter_, converged_
        As of `fuzzypairs.FuzzyCMeans`, with its further small attributes.
    memberships_ : dask array of shape (n_samples, n_clusters_)
        Computed when asked for, in the chunks of X.
    labels_ : dask array of shape (n_samples,)

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from fuzzypairs.distributed import DaskFuzzyCMeans
    >>> X = da.from_array(np.array([[0.0], [1.0], [9.0], [10.0]]), chunks=(3, 1))
    >>> model = DaskFuzzyCMeans(n_clusters=2, random_state=0).fit(X)
    >>> np.sort(model.cluster_centers_.ravel()).round(3)
    array([0.5, 9.5])
    """

    _local = FuzzyCMeans
    _engine = _BlockFuzzyCMeans

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzzifier: float | Literal["auto"] = 2.0,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        id_column: str | None = None,
        client: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzzifier = fuzzifier
        self.metric = metric
        self.metric_params = metric_params
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.id_column = id_column
        self.client = client


def _lazy_memberships(
    blocks: Blocks,
    model: Any,
    lengths: list[Any],
    rows: list[Any],
    given: list[Floats],
) -> Any:
    """Return the memberships of all blocks as a dask array."""
    import dask.array
    from dask.base import tokenize
    from dask.delayed import delayed

    da: Any = dask.array  # without types
    token = tokenize(model._prototypes, [part.key for part in blocks.parts])
    work = delayed(memberships_of_block, pure=False, traverse=False)
    light = delayed(model, name=f"fuzzypairs-model-{token}", traverse=False)
    found = []
    for number, part in enumerate(blocks.parts):
        own = blocks.reading, rows[number], given[number]
        block = work(
            part, number, light, *(delayed(v, traverse=False) for v in own),
            dask_key_name=f"fuzzypairs-memberships-{token}-{number}",
        )  # fmt: skip
        shape = (lengths[number], model.n_clusters_)
        found.append(da.from_delayed(block, shape, dtype=np.float64))
    return da.concatenate(found, allow_unknown_chunksizes=True)
