"""Replicator dynamics: local maximisers of x'Ax on the simplex."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dsymv

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.threads import one_blas_thread

__all__ = ["PRESETS", "Dynamics", "Preset", "Run", "payoffs"]

Product = Callable[[Floats], Floats]


# Samples with a weight below this share of the cutoff are not live: they are left out
# of the product until their weight exceeds it.
NEGLIGIBLE = 1e-6
# Steps between two updates of the live samples: a share of the steps so far, within
# these bounds.
UPDATE_SHARE = 1 / 4
UPDATE_BOUNDS = (8, 256)
# Samples are left out when they are a tenth of the live ones, or would cost more than a
# new copy of the affinities until the next update.
LEAVE_SHARE = 10
# Rows of affinities that are copied at a time.
ROWS_AT_A_TIME = 256
# Steps of the power method that bounds an eigenvalue; more gain less than 1 %.
POWER_STEPS = 30


class Preset(NamedTuple):
    """When a run ends, and which samples are members of the set."""

    eps: float  # least gain of x'Ax in a step, over its value at the start
    cutoff: float  # least weight
    is_relative: bool  # the cutoff is divided by the number of rows

    def least_weight(self, n_rows: int) -> float:
        """Return the weight above which a sample is in the set."""
        return self.cutoff / n_rows if self.is_relative else self.cutoff


PRESETS = {
    "paper": Preset(1e-3, float(np.finfo(np.float64).eps), False),
    "converged": Preset(1e-9, 1e-5, True),
}


@dataclass(frozen=True)
class Run:
    """Where one run ended: weights (n_rows,) on the simplex."""

    weights: Floats
    n_iter: int
    converged: bool


class Dynamics:
    """Replicator dynamics within any rows of one affinity matrix.

    Maximises x'(A - diag(penalty))x over the simplex from the barycentre, by
    x <- x f / x'f with f = (A - diag(penalty))x + shift. The shift adds a constant to
    x'f and so moves no maximiser; it makes f non-negative.

    `A` (n_samples, n_samples) is symmetric with a zero diagonal, and `shift` at least
    minus its smallest entry.

    A step costs O(n_live^2): samples of tiny weight are left out of the product. Their
    weights, which may fall to 1e-50 and rise again, are updated every few steps from
    the average weights of the others (the mean logarithm of a payoff is approximated by
    the logarithm of the mean).

    Examples
    --------
    >>> A = np.array([[0, 0.8, 0.1], [0.8, 0, 0.1], [0.1, 0.1, 0]])
    >>> Dynamics(A, PRESETS["converged"], 1000).run(np.arange(3)).weights.round(6)
    array([0.5, 0.5, 0. ])
    """

    def __init__(
        self, A: Floats, preset: Preset, max_iter: int, shift: float = 0.0
    ) -> None:
        self.A = A
        self.preset = preset
        self.max_iter = max_iter
        self.shift = shift
        # Allocated once: runs copy up to half of the affinities here.
        self._room = np.empty(A.size // 2)

    def run(self, rows: Ints, seeds: Ints | None = None) -> Run:
        """Run the dynamics within some rows; without affinities, no step is taken.

        The set contains at least one of the seeds: all others have a penalty above the
        largest eigenvalue of their affinities, so no maximiser is without a seed.
        """
        with one_blas_thread():
            return self._run(rows, seeds)

    def _run(self, rows: Ints, seeds: Ints | None) -> Run:
        penalty = self._penalty(rows, seeds)
        shift = self.shift + float(penalty.max())
        least = np.log(NEGLIGIBLE * self.preset.least_weight(rows.size))
        live, rest = np.arange(rows.size), np.arange(0)
        x = np.full(rows.size, 1 / rows.size)
        log_x = np.log(x)
        product = self._product(rows)
        least_gain = self.preset.eps * float(x @ product(x))
        if least_gain <= 0:
            return Run(x, 0, True)
        n_iter, ended, until_update = 0, False, UPDATE_BOUNDS[0]
        while not ended and n_iter < self.max_iter:
            mean = np.empty_like(x)
            n_steps = min(until_update, self.max_iter - n_iter)
            taken, log_divisors, ended = replicate(
                product, penalty[live], shift, x, least_gain, n_steps, mean
            )
            n_iter += taken
            with np.errstate(divide="ignore"):  # a weight may vanish for good
                log_x[live] = np.log(x)
                gained = payoffs(self.A, rows[rest], rows[live], mean) + shift
                gains = np.log(np.maximum(gained, 0.0))  # below 0 is rounding
            growth = gains - log_divisors / taken
            log_x[rest] += taken * growth
            is_live = log_x > least
            n_leaving = np.count_nonzero(~is_live[live])
            until_update = int(np.clip(n_iter * UPDATE_SHARE, *UPDATE_BOUNDS))
            is_wasteful = n_leaving * max(until_update, LEAVE_SHARE) > live.size
            if is_live[rest].any() or is_wasteful:
                live, rest = np.flatnonzero(is_live), np.flatnonzero(~is_live)
                x = np.exp(log_x[live])
                x /= x.sum()
                product = self._product(rows[live])
            else:
                first = steps_to_return(least - log_x[rest], growth)
                until_update = min(until_update, first)
        x = np.exp(log_x)
        return Run(x / x.sum(), n_iter, bool(ended))

    def _product(self, rows: Ints) -> Product:
        """Return the function that multiplies by the affinities within some rows.

        They are copied, unless they are more than half of all affinities: then all are
        multiplied, with weight 0 for the other samples.
        """
        n_rows = rows.size
        if n_rows**2 > self._room.size:
            weights = np.zeros(len(self.A))

            def product(x: Floats) -> Floats:
                weights[rows] = x
                return multiply(self.A, weights)[rows]

            return product
        B = self._room[: n_rows**2].reshape(n_rows, n_rows)
        for first in range(0, n_rows, ROWS_AT_A_TIME):
            part = slice(first, first + ROWS_AT_A_TIME)
            np.take(self.A[rows[part]], rows, axis=1, out=B[part], mode="clip")
        return partial(multiply, B)

    def _penalty(self, rows: Ints, seeds: Ints | None) -> Floats:
        if seeds is None or np.isin(rows, seeds).all():
            return np.zeros(rows.size)
        is_other = ~np.isin(rows, seeds)
        others = rows[is_other]
        bound = eigenvalue_bound(self._product(others), others.size)
        return np.where(is_other, bound, 0.0)


def multiply(B: Floats, x: Floats) -> Floats:
    """Return Bx for symmetric B; reading half of B takes half the time."""
    return np.asarray(dsymv(1.0, B.T, x))


def payoffs(A: Floats, rows: Ints, live: Ints, x: Floats) -> Floats:
    """Return the mean affinity of each row to the live samples, by their weights."""
    out = np.zeros(rows.size)
    if rows.size:
        for first in range(0, live.size, ROWS_AT_A_TIME):
            part = slice(first, first + ROWS_AT_A_TIME)
            # By symmetry a column is a row: it is read in order.
            out += x[part] @ np.take(A[live[part]], rows, axis=1)
    return out


def replicate(
    product: Product,
    penalty: Floats,
    shift: float,
    x: Floats,
    least_gain: float,
    n_steps: int,
    mean: Floats,
) -> tuple[int, float, bool]:
    """Take up to `n_steps` steps x <- x f / x'f with f = Bx + shift - penalty x.

    `product` returns Bx. `x` (n_live,) changes in place, and `mean` becomes the average
    of the weights before each step. Returns the number of steps, the sum of the
    logarithms of what x was divided by, and whether the last gain of x'f was below
    `least_gain`.
    """
    mean[:] = 0.0
    log_divisors = 0.0
    f = np.maximum(product(x) + (shift - penalty * x), 0.0)
    value = x @ f
    for step in range(1, n_steps + 1):
        mean += x
        x *= f
        total = x.sum()
        x /= total
        log_divisors += np.log(total)
        f = np.maximum(product(x) + (shift - penalty * x), 0.0)  # below 0 is rounding
        before, value = value, x @ f
        if value - before < least_gain:
            mean /= step
            return step, log_divisors, True
    mean /= n_steps
    return n_steps, log_divisors, False


def steps_to_return(gap: Floats, growth: Floats) -> int:
    """Return the steps until the first sample returns, at the present growth."""
    grows = growth > 0
    steps = gap[grows] / growth[grows]
    return int(np.clip(steps.min(initial=UPDATE_BOUNDS[1]), *UPDATE_BOUNDS))


def eigenvalue_bound(product: Product, size: int) -> float:
    """Return a number just above the largest eigenvalue of B >= 0, given products.

    Collatz and Wielandt: max_i (By)_i / y_i is a bound for every y > 0, and the power
    method makes it tight. I + B in place of B keeps y positive.
    """
    y = np.ones(size)
    for _ in range(POWER_STEPS):
        longer = y + product(y)
        bound = float((longer / y).max()) - 1
        y = longer / longer.max()
    # Above the eigenvalue: at it, others could tie with the seeds.
    return bound * (1 + 1e-6) + 1e-9
