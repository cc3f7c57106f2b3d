"""The group solver: a strongly coupled chain, and one sweep over many samples."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from fuzzypairs import _core
from fuzzypairs.bench import Row, fastest
from fuzzypairs.pairs import PairSet
from fuzzypairs.solvers.groups import solve_group
from fuzzypairs.solvers.problem import Graph


def rows(quick: bool) -> Iterator[Row]:
    yield from chain()
    yield sweep()


def chain(n_samples: int = 1000, k: int = 3) -> Iterator[Row]:
    """Join each sample to the next; a sparse linear system has the exact solution."""
    dist2 = np.random.default_rng(0).uniform(0.5, 1.5, size=(n_samples, k))
    p = np.arange(n_samples - 1)
    s, beta = np.ones(n_samples - 1), 1e4 * dist2.mean()
    exact = solve_chain(dist2, p, beta)
    if exact.min() <= 0.0:
        raise RuntimeError("the linear system is exact only inside the simplex")
    result = solve_group(dist2, p, p + 1, s, beta, tol=1e-6)
    seconds, default = fastest(
        lambda: solve_group(dist2, p, p + 1, s, beta, tol=1e-6),
        lambda: solve_group(dist2, p, p + 1, s, beta),
        repeats=9,
    )
    name = f"chain of {n_samples}, beta 10 000 mean distances"
    error = float(np.abs(result.memberships - exact).max())
    yield Row(f"{name}: error", error, "", 1e-5, detail="tol=1e-6")
    yield Row(
        f"{name}: time",
        1e3 * seconds,
        "ms",
        100.0,
        detail=f"tol=1e-6; {1e3 * default:.0f} ms at the default tol=1e-9",
    )


def solve_chain(dist2: np.ndarray, p: np.ndarray, beta: float) -> np.ndarray:
    """Solve the optimality conditions with every membership positive."""
    n_samples, k = dist2.shape
    half = sparse.coo_array(
        (np.full(len(p), 0.5 * beta), (p, p + 1)), shape=(n_samples, n_samples)
    )
    pull = (half + half.T).tocsr()
    laplacian = sparse.diags_array(pull.sum(axis=0)) - pull
    blocks = [laplacian + sparse.diags_array(dist2[:, j]) for j in range(k)]
    ones = sparse.vstack([sparse.eye_array(n_samples)] * k)
    system = sparse.block_array([[sparse.block_diag(blocks), ones], [ones.T, None]])
    right = np.concatenate([np.zeros(n_samples * k), np.ones(n_samples)])
    solution = spsolve(system.tocsc(), right)
    return solution[: n_samples * k].reshape(k, n_samples).T


def sweep(n_samples: int = 100_000, k: int = 10) -> Row:
    """One sweep over samples with two judgements each."""
    rng = np.random.default_rng(0)
    order = rng.permutation(n_samples)
    pairs = PairSet(order, np.roll(order, 1), rng.uniform(-1, 1, n_samples), n_samples)
    groups = _core.Groups(*Graph.of(pairs.links, pairs.grade, 1.0))
    groups.memberships = rng.dirichlet(np.ones(k), n_samples)
    groups.set_distances(rng.uniform(0.5, 1.5, size=(n_samples, k)))
    one, two = fastest(
        lambda: groups.descend(1, 0.0, 1.0),
        lambda: groups.descend(2, 0.0, 1.0),
        repeats=20,
    )
    seconds = two - one  # without the objective, which comes with it
    return Row(f"a sweep of {n_samples}, degree 2, k = {k}", 1e3 * seconds, "ms", 30.0)
