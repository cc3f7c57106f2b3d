"""The proved global optimum of one small group, by the solver SCIP."""

from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Floats, Labels

# Limits of SCIP's feasibility tolerance, which D multiplies. Below the lower one its LP
# solver fails, above the upper one SCIP itself.
FEASIBILITY = 1e-9, 1e-6
# Up to this ratio of negative to positive curvature, SCIP gets the form in principal
# axes and branches on the few concave ones only: 10 to 1000 times faster than products
# of memberships, which are faster above it.
SLIGHTLY_CONCAVE = 0.15


@dataclass(frozen=True, slots=True)
class ExactResult:
    """The best memberships of one group, and the bound that was proved."""

    memberships: Floats  # (n_rows, n_clusters), the best found
    objective: float
    bound: float  # no memberships have an objective below it
    proved: bool  # objective and bound agree to the gap that was asked for


def solve_exact(
    dist2: Floats,
    p: Labels,
    q: Labels,
    s: Floats,
    beta: float,
    *,
    start: Floats | None = None,
    gap: float = 1e-6,
    time_limit: float = 60.0,
) -> ExactResult:
    """Find the memberships of one group and prove that none are better.

    Solves, over U >= 0 with rows of sum 1,

        min  sum_ij dist2_ij u_ij^2
             + beta * sum_{s > 0} s/2 ||u_p - u_q||^2
             - beta * sum_{s < 0} s u_p.u_q

    `dist2` (n_rows, n_clusters) are squared distances times sample weights; `p`, `q`,
    `s` (n_pairs,) are rows and grades of the pairs. Good memberships as `start` save
    much of the search; the result is never worse. The search stops after `time_limit`
    seconds, or when objective and bound differ by less than `gap`, relative to the
    objective or the mean of `dist2`.

    This is problem (16) of the paper, one group with fixed prototypes; D may be
    indefinite. The time grows steeply with the size of the group and `beta`: eight rows
    and three clusters take a tenth of a second to half a minute.

    Examples
    --------
    Two samples, both nearer to the first prototype, that must be kept apart:

    >>> dist2 = np.array([[1.0, 1.2], [0.9, 1.4]])
    >>> p, q, s = np.array([0]), np.array([1]), np.array([-1.0])
    >>> result = solve_exact(dist2, p, q, s, beta=10.0)
    >>> result.proved, result.memberships.round(2).tolist()
    (True, [[0.0, 1.0], [1.0, 0.0]])
    """
    first = np.full(dist2.shape, 1 / dist2.shape[1]) if start is None else start
    # SCIP's tolerances are absolute: divide by the mean distance.
    scale = float(dist2.mean()) or beta or 1.0
    D = _hessian(dist2 / scale, p, q, beta / scale * s)
    found, bound = _search(D, first, gap, time_limit)
    ends = [(float(U.ravel() @ D @ U.ravel()), U) for U in (first, found)]
    value, best = min(ends, key=lambda end: end[0])
    bound = min(bound, value)  # it may exceed the value by SCIP's tolerance
    return ExactResult(
        memberships=best.copy(),
        objective=scale * value,
        bound=scale * bound,
        proved=value - bound <= gap * max(value, 1.0),
    )


def _hessian(dist2: Floats, p: Labels, q: Labels, strength: Floats) -> Floats:
    """Return D of eqs. (17) to (19), with u'Du the objective of the group."""
    n_rows, n_clusters = dist2.shape
    between = np.zeros((n_rows, n_rows))
    for one, other in ((p, q), (q, p)):
        np.add.at(between, (one, other), -strength / 2)
        np.add.at(between, (one, one), np.maximum(strength, 0.0) / 2)
    return np.diag(dist2.ravel()) + np.kron(between, np.eye(n_clusters))


def _search(
    D: Floats, start: Floats, gap: float, time_limit: float
) -> tuple[Floats, float]:
    """Let SCIP minimise u'Du; return the memberships found and the bound."""
    try:
        from pyscipopt import Model, quicksum
    except ImportError as error:
        raise ImportError(
            "the exact solution of a group needs the package pyscipopt, which is "
            'not installed: pip install "fuzzypairs[exact]"'
        ) from error
    accuracy = 0.1 * gap / max(1.0, abs(D).max())
    model = Model()
    model.hideOutput()
    model.setParams(
        {
            "limits/absgap": gap / 2,
            "limits/gap": gap / 2,
            "limits/time": time_limit,
            "numerics/feastol": np.clip(accuracy, *FEASIBILITY),
            # Otherwise the tolerance of its LP solver becomes too small.
            "constraints/nonlinear/tightenlpfeastol": False,
        }
    )
    U = model.addMatrixVar(start.shape, lb=0, ub=1)
    level = model.addVar(lb=None, obj=1)  # SCIP's own objectives are linear
    model.addMatrixCons(U.sum(axis=1) == 1)
    u, first = U.ravel(), start.ravel()
    known = [*zip(u, first, strict=True), (level, first @ D @ first)]

    curvatures, axes, center = _axes(D, *start.shape)
    concave = -np.minimum(curvatures, 0).sum()
    if concave >= SLIGHTLY_CONCAVE * np.maximum(curvatures, 0).sum():
        form = quicksum(D[i, j] * u[i] * u[j] for i, j in np.argwhere(D))
    else:
        Y = model.addMatrixVar(curvatures.shape, lb=None)
        model.addMatrixCons(axes.T @ u - axes.T @ center == Y)
        known += zip(Y, axes.T @ (first - center), strict=True)
        form = (curvatures * Y * Y).sum() + (2 * center @ D) @ u - center @ D @ center
    model.addCons(form <= level)

    incumbent = model.createSol()
    for variable, value in known:
        model.setSolVal(incumbent, variable, float(value))
    model.addSol(incumbent)
    model.optimize()
    found = np.maximum(np.asarray(model.getVal(U), dtype=np.float64), 0.0)
    return found / found.sum(axis=1, keepdims=True), float(model.getDualbound())


def _axes(D: Floats, n_rows: int, n_clusters: int) -> tuple[Floats, Floats, Floats]:
    """Return D's curvatures among rows of sum 1, their axes, and a central point."""
    tangent = np.eye(n_clusters) - 1 / n_clusters
    P = np.kron(np.eye(n_rows), tangent)
    curvatures, axes = np.linalg.eigh(P @ D @ P)
    inside = abs(curvatures) > 1e-12 * abs(curvatures).max()
    center = np.full(len(D), 1 / n_clusters)
    return curvatures[inside], axes[:, inside], center
