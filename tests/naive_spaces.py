"""Spaces and fuzzifiers with plain loops: what `naive` is for Euclidean space.

An oracle knows the distances of samples to prototypes and the best prototypes for
weights of any sign: `Points`, whose prototypes are points, and `Products`, whose
prototypes are coefficients of samples. Nothing here imports the package. `pairs` is a
plain list of (p, q, s), `g` is the fuzzifier.
"""

import math

import numpy as np
from scipy.optimize import brentq

import naive

# Halvings of a bracket: 2^-100 of anything is nothing.
HALVINGS = 100
# Places in the range of a feature among which the least value is sought.
PLACES = 1001


def euclidean(x, c):
    return sum((a - b) ** 2 for a, b in zip(x, c, strict=True))


def manhattan(x, c):
    return sum(abs(a - b) for a, b in zip(x, c, strict=True))


def minkowski(p):
    def distance(x, c):
        return sum(abs(a - b) ** p for a, b in zip(x, c, strict=True))

    return distance


def inner(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def cosine(x, c):
    """2 - 2 cos; a vector of zeros is perpendicular to all."""
    lengths = math.sqrt(inner(x, x) * inner(c, c))
    return 2.0 - 2.0 * inner(x, c) / lengths if lengths > 0 else 2.0


def mahalanobis(S):
    inverse = np.linalg.inv(S)

    def distance(x, c):
        gap = [a - b for a, b in zip(x, c, strict=True)]
        return sum(
            gap[e] * inverse[e, f] * gap[f]
            for e in range(len(gap))
            for f in range(len(gap))
        )

    return distance


def rbf(gamma):
    return lambda x, y: math.exp(-gamma * euclidean(x, y))


def laplacian(gamma):
    return lambda x, y: math.exp(-gamma * manhattan(x, y))


def polynomial(degree, gamma, coef0):
    return lambda x, y: (gamma * inner(x, y) + coef0) ** degree


def jaccard(x, y):
    """Common share of two sets or counts; two empty ones are alike."""
    common = inner(x, y)
    either = inner(x, x) + inner(y, y) - common
    return common / either if either > 0 else 1.0


def gram(kernel, X, Y=None):
    """Kernel values of all rows of X with all of Y."""
    Y = X if Y is None else Y
    return np.array([[kernel(x, y) for y in Y] for x in X])


def mean(X, w):
    """Eq. (13): the point with least weighted squared distances."""
    return sum(w[i] * X[i] for i in range(len(X))) / sum(w)


def direction(X, w):
    """The unit vector with least weighted sum of 2 - 2 cos."""
    total = np.zeros(X.shape[1])
    for i in range(len(X)):
        length = math.sqrt(inner(X[i], X[i]))
        if length > 0:
            total += w[i] * X[i] / length
    return total / math.sqrt(inner(total, total))


def median(X, w):
    """In each feature the sample with the least weighted sum of distances."""
    best = []
    for x in X.T:
        values = [(sum(w * abs(x - c)), c) for c in x]
        best.append(min(values)[1])
    return np.array(best)


def power_center(p):
    """In each feature the least of sum_i w_i |x_i - c|^p, by brute force.

    The best of many places, within and around the data; beside it the derivative
    changes its sign, and halving finds where.
    """

    def center(x, w):
        width = max(x) - min(x)
        places = np.linspace(min(x) - 3 * width, max(x) + 3 * width, PLACES)
        at = int(np.argmin([w @ abs(x - c) ** p for c in places]))
        low, high = places[at - 1], places[at + 1]
        for _ in range(HALVINGS):
            c = (low + high) / 2
            falls = w @ (abs(x - c) ** (p - 1) * np.sign(x - c)) > 0
            low, high = (c, high) if falls else (low, c)
        return c

    return lambda X, w: np.array([center(x, w) for x in X.T])


class Points:
    """Prototypes are points: `distance(x, c)` and `prototype(X, w)` say which."""

    def __init__(self, X, distance, prototype):
        self.X = np.asarray(X, dtype=float)
        self.distance = distance
        self.prototype = prototype

    def prototypes(self, W):
        return np.array([self.prototype(self.X, w) for w in W.T])

    def distances(self, P):
        return np.array([[self.distance(x, c) for c in P] for x in self.X])


class Products:
    """Prototypes are combinations of samples with products K: eqs. (26), (27)."""

    def __init__(self, K):
        self.K = np.asarray(K, dtype=float)

    def prototypes(self, W):
        return np.array([w / sum(w) for w in W.T])

    def distances(self, P):
        K, n = self.K, len(self.K)
        d = np.zeros((n, len(P)))
        for j, v in enumerate(P):
            Kv = [inner(K[i], v) for i in range(n)]
            for i in range(n):
                d[i, j] = K[i, i] - 2 * Kv[i] + inner(v, Kv)
        return d


class Relations:
    """The same from squared distances R: d_ij = (R v_j)_i - v_j'R v_j / 2."""

    def __init__(self, R):
        self.R = np.asarray(R, dtype=float)

    def prototypes(self, W):
        return np.array([w / sum(w) for w in W.T])

    def distances(self, P):
        R, n = self.R, len(self.R)
        d = np.zeros((n, len(P)))
        for j, v in enumerate(P):
            Rv = [inner(R[i], v) for i in range(n)]
            for i in range(n):
                d[i, j] = Rv[i] - inner(v, Rv) / 2
        return d


def weights(U, g, alpha, weight):
    """What a sample weighs in a prototype: w (u^g - alpha)."""
    W = np.zeros(U.shape)
    for i in range(len(U)):
        for j in range(U.shape[1]):
            W[i, j] = weight[i] * (U[i, j] ** g - alpha)
    return W


def objective(d, U, pairs, g, alpha, beta, weight):
    """Eq. (5) at given distances."""
    total = (weights(U, g, alpha, weight) * d).sum()
    for p, q, s in pairs:
        total += beta * naive.pair_cost(U[p], U[q], s)
    return total


def free_row(d, g):
    """Eq. (28): u_j ~ d_j^(-1/(g-1)), by logarithms; on a prototype, the limit."""
    d = np.asarray(d, dtype=float)
    if (d == 0).any():
        return (d == 0) / (d == 0).sum()
    u = np.array([math.exp((math.log(min(d)) - math.log(x)) / (g - 1)) for x in d])
    return u / sum(u)


def solve_row(d, g, diagonal, linear):
    """Least sum_j d_j u_j^g + diagonal u_j^2 + 2 linear_j u_j on the simplex.

    At the end all derivatives g d_j u_j^(g-1) + 2 diagonal u_j + 2 linear_j of positive
    u_j are one level and no others are below it. What changes within the rounding of
    the level takes what is missing.
    """
    k = len(d)

    def slope(j, u):
        return g * d[j] * u ** (g - 1) + 2 * diagonal * u

    def root(j, rise):
        if rise <= 0:
            return 0.0
        if rise >= slope(j, 1.0):
            return 1.0
        if diagonal == 0:
            return (rise / (g * d[j])) ** (1 / (g - 1))
        return brentq(lambda u: slope(j, u) - rise, 0.0, 1.0, xtol=1e-16)

    def at(level):
        return np.array([root(j, level - 2 * linear[j]) for j in range(k)])

    low = min(2 * linear[j] for j in range(k))
    high = max(2 * linear[j] + slope(j, 1.0) for j in range(k))
    # A distance of zero has its level at its own linear_j.
    high += 1e-9 * (high - low) + 1e-300
    width = 1e-15 * max(high - low, abs(low), abs(high))
    level = brentq(lambda level: sum(at(level)) - 1, low, high, xtol=width, maxiter=500)
    less, more = at(level - 4 * width), at(level + 4 * width)
    rise = sum(more) - sum(less)
    return less + (1 - sum(less)) / rise * (more - less) if rise > 0 else less


def best_row(i, d, U, pairs, g, beta, weight):
    """What sample i would answer to the others as they are."""
    if not any(i in (p, q) for p, q, _ in pairs):
        return free_row(d[i], g)
    diagonal, linear = 0.0, np.zeros(U.shape[1])
    for p, q, s in pairs:
        if i in (p, q):
            diagonal += beta / 2 * max(s, 0.0)
            linear -= beta / 2 * s * U[q if i == p else p]
    return solve_row(weight[i] * d[i], g, diagonal, linear)


def memberships(d, U, pairs, g, beta, weight, tol=1e-10, max_sweeps=500):
    """Rows in sequence, each from the newest others, until none moves."""
    U = np.array(U, dtype=float)
    judged = sorted({i for p, q, _ in pairs for i in (p, q)})
    for i in set(range(len(U))) - set(judged):
        U[i] = free_row(d[i], g)
    for _ in range(max_sweeps):
        before = U[judged].copy()
        for i in judged:
            U[i] = best_row(i, d, U, pairs, g, beta, weight)
        if not judged or abs(U[judged] - before).max() <= tol:
            break
    return U


def residual(d, U, pairs, g, beta, weight):
    """What solving any one row anew would change: (memberships, objective).

    Both are 0 at a stationary point. For large g the objective may be so flat that
    it knows no more than the first digits of a membership.
    """
    change, gain = 0.0, 0.0
    value = objective(d, U, pairs, g, 0.0, beta, weight)
    for i in range(len(U)):
        moved = U.copy()
        moved[i] = best_row(i, d, U, pairs, g, beta, weight)
        change = max(change, abs(moved[i] - U[i]).max())
        gain = max(gain, value - objective(d, moved, pairs, g, 0.0, beta, weight))
    return change, gain


def step(oracle, U, pairs, g, alpha, beta, weight, **limits):
    """One step of Algorithm 1: prototypes of U, and memberships at these.

    Returns (U, prototypes, objective).
    """
    P = oracle.prototypes(weights(U, g, alpha, weight))
    d = oracle.distances(P)
    U = memberships(d, U, pairs, g, beta, weight, **limits)
    return U, P, objective(d, U, pairs, g, alpha, beta, weight)


def mem(oracle, U, pairs, g, alpha, beta, weight, tol=1e-9, max_iter=500):
    """Algorithm 1 while no cluster vanishes: (U, prototypes, objectives)."""
    objectives = []
    for _ in range(max_iter):
        before = U
        U, P, value = step(oracle, U, pairs, g, alpha, beta, weight, max_sweeps=3)
        objectives.append(value)
        if abs(U - before).max() <= tol:
            break
    return U, P, objectives
