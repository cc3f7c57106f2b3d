"""Pairwise-constrained competitive agglomeration (PCCA)."""

from dataclasses import replace
from typing import Literal, cast

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.checked import CheckedData
from fuzzypairs.cluster.prototypes import Found, PrototypeClusterer
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.competition import agglomerate, first_memberships
from fuzzypairs.solvers.fused import FusedPasses
from fuzzypairs.solvers.problem import Problem
from fuzzypairs.solvers.result import RunResult
from fuzzypairs.spaces.space import Space
from fuzzypairs.starts.start import Init, Start
from fuzzypairs.threads import Threads
from fuzzypairs.validation import check_choice, check_flag, check_number

__all__ = ["PCCA"]


class PCCA(PrototypeClusterer):
    """Fuzzy c-means under must-links and cannot-links.

    Finds memberships U (rows on the simplex) and prototypes C that minimise eq. (4),

        sum_ij w_i u_ij^2 |x_i - c_j|^2
            + beta * [sum_must (1 - u_p.u_q) + sum_cannot u_p.u_q],

    where judgements s > 0 are must-links and s < 0 cannot-links.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters; with competition, the number to begin with.
    beta : float >= 0 or "auto", default=1.0
        Weight of the links. "auto" is the total variance of X.
    competition : {"off", "on"}, default="off"
        "off" is the model the FDC paper compares with, solved exactly row by row.
        "on" is the original: large clusters grow at the expense of small ones, which
        vanish, and links have the same weight as distances (`beta` is not used).
    use_degrees : bool, default=False
        Whether links have the weight abs(s) of their judgements; else all have one.
    constraint_multiplier : float, default=1.0
        Factor of the links' weight under competition.
    eta0, tau, peak : float, default=5.0, 10.0, None
        At step t the competition has the strength ``eta0 * exp(-t / tau)``, or with
        `peak` ``eta0 * exp(-abs(t - peak) / tau)``; 2.5, 10 and 25 go together well.
    min_cardinality : float, default=None
        Sum of memberships below which a cluster vanishes under competition; None is
        0.15 of an even share of the samples, and at least 1.
    init, n_init, max_iter, tol, random_state, n_jobs, verbose
        See `FDC`.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Rows are >= 0 and sum to 1.
    labels_ : ndarray of shape (n_samples,)
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    n_clusters_ : int
    objective_ : float
        Eq. (4) at the end; under competition that of its last step.
    objective_history_, n_clusters_history_ : ndarray of shape (n_accepted,)
        The objective does not increase without competition; with it, it may.
    n_iter_ : int
    converged_ : bool
    alpha_, beta_ : float
        The values used; alpha is 0.
    fuzzifier_ : float
        2.
    collapse_gain_ : float
        Below 1 prototypes that are close coincide in the end, see `FDC`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str.

    Notes
    -----
    Because rows sum to one, the sum of u_pj u_ql over j != l in eq. (4) is
    ``1 - u_p.u_q``. Without competition this is the solver of `FDC` with another cost
    of alike samples. Must-links make the memberships of both samples hard, even if
    they are mixtures; `FDC` does not. The competition [1]_, [2]_ is a heuristic that
    updates all samples at once: it may oscillate, and it may leave a single cluster.

    References
    ----------
    .. [1] N. Grira, M. Crucianu, N. Boujemaa, "Semi-supervised fuzzy clustering with
       pairwise-constrained competitive agglomeration", FUZZ-IEEE 2005, 867-872.
    .. [2] H. Frigui, R. Krishnapuram, "Clustering by competitive agglomeration",
       Pattern Recognition, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PCCA
    >>> X = np.array([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> model = PCCA(n_clusters=2, beta=20.0, random_state=0)
    >>> model = model.fit(X, pairs=[(2, 0, -1.0)])
    >>> bool(model.labels_[2] == model.labels_[4])
    True
    """

    alpha = 0.0
    fuzzifier = 2.0
    metric = "euclidean"
    metric_params = None
    diagonal_share: float = 0.0

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        beta: float | Literal["auto"] = 1.0,
        competition: Literal["off", "on"] = "off",
        use_degrees: bool = False,
        constraint_multiplier: float = 1.0,
        eta0: float = 5.0,
        tau: float = 10.0,
        peak: float | None = None,
        min_cardinality: float | None = None,
        init: Init = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.competition = competition
        self.use_degrees = use_degrees
        self.constraint_multiplier = constraint_multiplier
        self.eta0 = eta0
        self.tau = tau
        self.peak = peak
        self.min_cardinality = min_cardinality
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_choice("competition", self.competition, ["off", "on"])
        check_flag("use_degrees", self.use_degrees)
        check_number("constraint_multiplier", self.constraint_multiplier, 0.0)
        check_number("eta0", self.eta0, 0.0)
        if check_number("tau", self.tau, 0.0) == 0.0:
            raise ValueError("tau must be above 0, got 0")
        for name in ("peak", "min_cardinality"):
            if (value := getattr(self, name)) is not None:
                check_number(name, value, 0.0)
        super()._check_parameters()

    @property
    def _accepts_sparse(self) -> bool:  # type: ignore[override]
        return self.competition == "off"

    @property
    def _is_algorithm_1(self) -> bool:  # type: ignore[override]
        return self.competition == "off"

    def _solve(self, data: CheckedData, space: Space) -> Found:
        links = data.pairs.informative
        grade = links.grade if self.use_degrees else np.sign(links.grade)
        pairs = PairSet(links.i, links.j, grade, links.n_samples)
        return super()._solve(replace(data, pairs=pairs), space)

    def _run(
        self, problem: Problem, starts: list[Start], pairs: PairSet
    ) -> list[RunResult]:
        if self.competition == "on":
            run = [(problem, start, pairs) for start in starts]
            return Threads(self.n_jobs).map(self._compete, run)
        # The solver leaves out a constant: beta for each must-link.
        constant = float(np.maximum(problem.graph.pull, 0.0).sum()) * problem.heaviest
        return [
            replace(
                result,
                objective=result.objective + constant,
                history=result.history + constant,
            )
            for result in problem.passes.run(problem, starts)
        ]

    def _compete(self, problem: Problem, start: Start, pairs: PairSet) -> RunResult:
        X = cast(FusedPasses, problem.passes).X
        names = ("constraint_multiplier", "eta0", "tau", "peak", "min_cardinality")
        return agglomerate(
            np.asarray(X, dtype=np.float64),
            first_memberships(X, start),
            pairs,
            sample_weight=problem.weight,
            max_iter=self.max_iter,
            tol=self.tol,
            **{name: getattr(self, name) for name in names},
        )

    def _memberships(self, problem: Problem, best: RunResult) -> Floats:
        if self.competition == "on":
            return best.constrained
        return super()._memberships(problem, best)

    def _why_vanished(self, n_left: int, alpha: float) -> str | None:
        if self.competition == "off":
            return "there were too few samples; lower n_clusters"
        if n_left > 1:
            return None  # what the competition is for
        return "the competition was too strong; lower eta0 or min_cardinality"
