"""Fuzzy c-means: FDC without threshold and judgements."""

from typing import Any, Literal

import numpy as np

from fuzzypairs.cluster.prototypes import PrototypeClusterer
from fuzzypairs.solvers.start import Init
from fuzzypairs.spaces.metrics import Metric

__all__ = ["FuzzyCMeans"]


class FuzzyCMeans(PrototypeClusterer):
    """Fuzzy c-means, the model without judgements that the others extend.

    Finds memberships U (rows on the simplex) and prototypes C that minimise eq. (2),

        sum_ij w_i u_ij^g d(x_i, c_j),   g > 1 the fuzzifier.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    fuzzifier : float or "auto", default=2.0
        Exponent g of the memberships, above 1 and at most 100. Near 1 clusters are
        hard; at 100 memberships are nearly equal. See `FDC` for "auto".
    metric, metric_params, init, n_init, max_iter, tol, random_state, n_jobs, verbose
        See `FDC`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1.
    labels_ : ndarray of shape (n_samples,)
        The cluster of the largest membership, the first of equal ones.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Prototypes, where the metric has explicit ones.
    n_clusters_ : int
    objective_ : float
    objective_history_, n_clusters_history_ : ndarray of shape (n_accepted,)
    n_iter_ : int
    converged_ : bool
    alpha_, beta_ : float
        Both are 0.
    fuzzifier_ : float
        The value used.
    collapse_gain_ : float
        Below 1 prototypes that are close coincide in the end, see `FDC`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    This is `FDC` with ``alpha=0`` and ``beta=0``; `fit` checks `pairs` and ignores
    them, so that methods can be compared in one loop. In data of many features, or with
    a large fuzzifier, all prototypes may converge to the mean: a warning then names the
    fuzzifier that would separate them, and the alpha with which `FDC` would.

    References
    ----------
    .. [1] J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms",
       Plenum Press, 1981.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import FuzzyCMeans
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit(X)
    >>> np.sort(model.cluster_centers_.ravel()).round(3)
    array([0.5, 9.5])
    """

    alpha = 0.0
    beta = 0.0
    _largest_fuzzifier = 100.0

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzzifier: float | Literal["auto"] = 2.0,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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

    def _why_vanished(self, n_left: int, alpha: float) -> str | None:
        return "there were too few samples; lower n_clusters"
