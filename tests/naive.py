"""The paper in plain loops: slow, and the oracle of the tests.

Every function cites the printed equation it transcribes. Samples are rows of `X`,
`U` is (n_samples, n_clusters) with rows on the simplex, `C` is (n_clusters,
n_features), and `pairs` is a plain list of (p, q, s); each entry counts once.
Nothing here is checked, and nothing here imports the package.
"""

import itertools

import numpy as np
import quadprog

# Below this share of the largest eigenvalue a matrix counts as singular, and
# quadprog, which inverts it, is not asked.
SINGULAR = 1e-10


def distances(X, C):
    """Squared Euclidean distances, (n_samples, n_clusters)."""
    d = np.zeros((len(X), len(C)))
    for i in range(len(X)):
        for j in range(len(C)):
            for x, c in zip(X[i], C[j], strict=True):
                d[i, j] += (x - c) ** 2
    return d


def pair_cost(u_p, u_q, s):
    """Eq. (6): what one judgement costs."""
    if s >= 0:
        return s / 2 * sum((u_p - u_q) ** 2)
    return -s * sum(u_p * u_q)


def group_objective(dist2, U, pairs, beta):
    """Objective of (11): memberships alone, without the constant of alpha."""
    total = 0.0
    for i in range(len(U)):
        for j in range(len(U[i])):
            total += U[i, j] ** 2 * dist2[i, j]
    for p, q, s in pairs:
        total += beta * pair_cost(U[p], U[q], s)
    return total


def objective(X, U, C, pairs, alpha, beta, weight=None):
    """Objective of (5) with the costs of (6); `weight` counts a sample w times."""
    weight = np.ones(len(X)) if weight is None else weight
    dist2 = distances(X, C)
    total = 0.0
    for i in range(len(X)):
        for j in range(len(C)):
            total += weight[i] * (U[i, j] ** 2 - alpha) * dist2[i, j]
    for p, q, s in pairs:
        total += beta * pair_cost(U[p], U[q], s)
    return total


def update_prototypes(X, U, alpha, weight=None):
    """Eqs. (12), (13): drop the clusters without a prototype, place the others.

    One cluster goes at a time, the one with the smallest sum, since
    renormalising the rows may save the next. Returns (C, U, keep), where
    keep lists the columns of the given U that survive.
    """
    weight = np.ones(len(X)) if weight is None else weight
    U = np.array(U, dtype=float)
    keep = list(range(U.shape[1]))
    while True:
        sums = [sum(weight * (U[:, j] ** 2 - alpha)) for j in range(U.shape[1])]
        worst = int(np.argmin(sums))
        if sums[worst] > 0 or len(keep) == 1:
            break
        del keep[worst]
        U = np.delete(U, worst, axis=1)
        for i in range(len(U)):
            total = sum(U[i])
            U[i] = U[i] / total if total > 0 else 1 / len(keep)
    C = np.zeros((len(keep), X.shape[1]))
    for j in range(len(keep)):
        for i in range(len(X)):
            C[j] += weight[i] * (U[i, j] ** 2 - alpha) * X[i]
        C[j] /= sums[j]
    return C, U, keep


def free_memberships(d_row):
    """Eq. (14) for a sample without pairs; on a prototype, its limit."""
    d_row = np.asarray(d_row, dtype=float)
    zero = d_row == 0
    if zero.any():
        return zero / zero.sum()
    u = min(d_row) / d_row  # eq. (14) times a constant, so that 1/d cannot overflow
    return u / sum(u)


def simplex_qp(a, f):
    """Eq. (24): min 1/2 sum a u^2 + f u on the simplex, for a >= 0, exactly.

    Stationarity gives u_j = max(0, (lam - f_j) / a_j); the multiplier lam is
    found by adding coordinates in the order of f until the next breakpoint
    is out of reach. A coordinate with a_j = 0 takes what is left once lam
    reaches f_j; several of them at one f_j share it equally.
    """
    a, f = np.asarray(a, dtype=float), np.asarray(f, dtype=float)
    u = np.zeros(len(a))
    active, lam = [], np.inf
    for j in sorted(range(len(a)), key=lambda j: (f[j], a[j])):
        if lam <= f[j]:
            break
        filled = sum((f[j] - f[i]) / a[i] for i in active)
        if a[j] == 0:
            for i in active:
                u[i] = (f[j] - f[i]) / a[i]
            flat = (a == 0) & (f == f[j])
            u[flat] = max(0.0, 1 - filled) / flat.sum()
            return u / sum(u)
        active.append(j)
        lam = (1 + sum(f[i] / a[i] for i in active)) / sum(1 / a[i] for i in active)
    for i in active:
        u[i] = max(0.0, (lam - f[i]) / a[i])
    # lam - f cancels where a is tiny; there the other memberships know better.
    steep = min(active, key=lambda i: a[i])
    u[steep] = max(0.0, 1 - sum(u[i] for i in active if i != steep))
    return u / sum(u)


def row_problem(i, dist2, U, pairs, beta, weight=None):
    """Eq. (24) of sample i with the others fixed: (a, f) for `simplex_qp`."""
    a = dist2[i] * (1.0 if weight is None else weight[i])
    f = np.zeros(len(a))
    for p, q, s in pairs:
        if i in (p, q):
            other = q if i == p else p
            a = a + beta / 2 * max(s, 0)  # eq. (18)
            f = f - beta / 2 * s * U[other]  # eq. (19)
    return a, f


def residual(dist2, U, pairs, beta, weight=None):
    """Largest change that solving any one row exactly would make; 0 = stationary."""
    change = 0.0
    for i in range(len(U)):
        best = simplex_qp(*row_problem(i, dist2, U, pairs, beta, weight))
        change = max(change, abs(best - U[i]).max())
    return change


def group_matrices(dist2, pairs, beta):
    """Eqs. (17) to (19): the matrix D of problem (16), with u'Du = (11)."""
    r, k = dist2.shape
    D = np.zeros((r * k, r * k))
    for i in range(r):
        for j in range(k):
            D[i * k + j, i * k + j] = dist2[i, j]
    for p, q, s in pairs:
        for j in range(k):
            if s > 0:
                D[p * k + j, p * k + j] += beta / 2 * s
                D[q * k + j, q * k + j] += beta / 2 * s
            D[p * k + j, q * k + j] -= beta / 2 * s
            D[q * k + j, p * k + j] -= beta / 2 * s
    return D


def reduction(r, k):
    """Eqs. (21), (22): B and u_hat, so that u = u_hat + B v has rows of sum 1."""
    B = np.zeros((r * k, r * (k - 1)))
    u_hat = np.zeros(r * k)
    for i in range(r):
        u_hat[i * k] = 1
        for j in range(k - 1):
            B[i * k, i * (k - 1) + j] = -1
            B[i * k + 1 + j, i * (k - 1) + j] = 1
    return B, u_hat


def is_definite(matrix):
    """Whether a symmetric matrix is safely positive definite."""
    values = np.linalg.eigvalsh(matrix)
    return len(values) == 0 or values[0] > SINGULAR * max(abs(values))


def to_simplex(u, r, k):
    """Rows of a solver's answer without its rounding errors."""
    U = np.maximum(np.reshape(u, (r, k)), 0)
    return U / U.sum(axis=1, keepdims=True)


def solve_original(D, r, k):
    """Problem (16) for positive definite D, by quadprog."""
    scale = np.trace(D) / len(D)
    A = np.kron(np.eye(r), np.ones(k))
    constraints = np.vstack([A, np.eye(r * k)]).T
    bounds = np.concatenate([np.ones(r), np.zeros(r * k)])
    u = quadprog.solve_qp(D / scale, np.zeros(r * k), constraints, bounds, meq=r)[0]
    return to_simplex(u, r, k)


def solve_reduced(D, r, k):
    """Problem (20) for positive definite B'DB, by quadprog, and eq. (22)."""
    B, u_hat = reduction(r, k)
    scale = np.trace(D) / len(D)
    G = np.kron(np.eye(r), np.ones(k - 1))
    constraints = np.vstack([-G, np.eye(r * (k - 1))]).T
    bounds = np.concatenate([-np.ones(r), np.zeros(r * (k - 1))])
    H, g = B.T @ D @ B / scale, B.T @ D @ u_hat / scale
    v = quadprog.solve_qp(H, -g, constraints, bounds)[0]
    return to_simplex(u_hat + B @ v, r, k)


def dbcd(dist2, pairs, beta, U0, tol=1e-10, max_sweeps=10_000):
    """Algorithm 2, step 5, in sequence: every row sees the newest others."""
    U = np.array(U0, dtype=float)
    for _ in range(max_sweeps):
        before = U.copy()
        for i in range(len(U)):
            U[i] = simplex_qp(*row_problem(i, dist2, U, pairs, beta))
        if np.sqrt(((U - before) ** 2).sum()) < tol:
            break
    return U


def vertices(r, k):
    """All starts whose rows are unit vectors."""
    for labels in itertools.product(range(k), repeat=r):
        yield np.eye(k)[list(labels)]


def best_of_starts(dist2, pairs, beta, starts, tol=1e-10, max_sweeps=10_000):
    """The lowest end of DBCD over several starts."""
    ends = [dbcd(dist2, pairs, beta, U0, tol, max_sweeps) for U0 in starts]
    return min(ends, key=lambda U: group_objective(dist2, U, pairs, beta))


def solve_group(dist2, pairs, beta, U0, tol=1e-10, max_sweeps=10_000):
    """Algorithm 2 on one group of r samples, numbered 0 to r - 1."""
    r, k = dist2.shape
    if k == 1:
        return np.ones((r, 1))
    D = group_matrices(dist2, pairs, beta)
    if is_definite(D):
        return solve_original(D, r, k)
    B, _ = reduction(r, k)
    if is_definite(B.T @ D @ B):
        return solve_reduced(D, r, k)
    starts = [U0, *vertices(r, k)] if k == r == 2 else [U0]
    return best_of_starts(dist2, pairs, beta, starts, tol, max_sweeps)


def split_groups(n_samples, pairs):
    """The index sets of (15): samples joined directly or through others."""
    label = list(range(n_samples))
    for p, q, _ in pairs:
        old, new = label[p], label[q]
        label = [new if value == old else value for value in label]
    groups = [
        [i for i in range(n_samples) if label[i] == c] for c in sorted(set(label))
    ]
    return [group for group in groups if len(group) > 1]


def update_memberships(
    dist2, U, pairs, beta, weight=None, tol=1e-10, max_sweeps=10_000
):
    """Problem (9): eq. (14) for free samples, Algorithm 2 for every group."""
    weight = np.ones(len(U)) if weight is None else weight
    U = np.array(U, dtype=float)
    for i in range(len(U)):
        if not any(i in (p, q) for p, q, _ in pairs):
            U[i] = free_memberships(dist2[i])
    for rows in split_groups(len(U), pairs):
        local = [(rows.index(p), rows.index(q), s) for p, q, s in pairs if p in rows]
        weighted = weight[rows][:, None] * dist2[rows]
        U[rows] = solve_group(weighted, local, beta, U[rows], tol, max_sweeps)
    return U


def mem(X, pairs, U0, alpha, beta, tol=1e-8, max_iter=300, weight=None, max_sweeps=20):
    """Algorithm 1: prototypes and memberships in turn until U is unchanged.

    A group that needs DBCD starts from its previous rows and gets at most
    `max_sweeps` sweeps a step, which Theorem 1 allows. Returns (U, C,
    objectives, n_clusters), the last two with one entry a step.
    """
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    U, objectives, n_clusters = np.array(U0, dtype=float), [], []
    for _ in range(max_iter):
        C, before, _ = update_prototypes(X, U, alpha, weight)
        dist2 = distances(X, C)
        U = update_memberships(dist2, before, pairs, beta, weight, tol, max_sweeps)
        objectives.append(objective(X, U, C, pairs, alpha, beta, weight))
        n_clusters.append(len(C))
        if abs(U - before).max() <= tol:
            break
    return U, C, objectives, n_clusters


def fcm(X, U0, tol=1e-8, max_iter=300, weight=None):
    """Fuzzy c-means, eq. (2) with fuzzifier 2: eqs. (13), (14) for alpha = 0."""
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    U = np.array(U0, dtype=float)
    for _ in range(max_iter):
        before = U.copy()
        masses = weight[:, None] * U**2
        C = (masses.T @ X) / masses.sum(axis=0)[:, None]
        U = np.array([free_memberships(row) for row in distances(X, C)])
        if abs(U - before).max() <= tol:
            break
    return U, C
