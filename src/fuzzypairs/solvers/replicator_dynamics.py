"""Dominant sets: supports of local maximisers of x'Ax on the simplex."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.kernels.replicator import copy_lower, multiply, payoffs, replicate

__all__ = ["PRESETS", "Dynamics", "Preset", "Run"]


# Weights below this share of the cutoff are too light to move the others: they are
# followed from outside, and come back when they have grown above it.
LIGHT = 1e-6
# Steps between two looks at the light samples: a share of the steps so far, since the
# dynamics slow down, within these bounds.
LOOK_SHARE = 1 / 4
LOOK_BOUNDS = (8, 256)
# Light samples are cleared away when they are a tenth of the live ones, or would cost
# more than clearing until the next look.
CLEAR_SHARE = 10
# Above this many live samples their affinities are copied to float32 (sums stay
# float64): the first steps, on matrices larger than any cache, take most of the time.
WIDE = 2048
# Steps of the power method that bounds an eigenvalue; more gain less than 1 %.
POWER_STEPS = 30


class Preset(NamedTuple):
    """When a run ends, and which weights are then in the set."""

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

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_samples)
        Symmetric affinities with a zero diagonal.
    preset : Preset
        When a run ends.
    max_iter : int
        The most steps of a run.
    shift : float, default=0.0
        Minus the smallest entry of A, if that is negative.

    Notes
    -----
    A step costs O(n_live^2): samples of tiny weight leave the product, and only
    their own growth is followed, by the weights of the others averaged over a few
    steps (the mean logarithm of a payoff is taken as the logarithm of the mean).
    They must not be forgotten: a weight can fall to 1e-50 and yet end in the set.

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
        # Allocated once: every run copies its affinities here.
        narrow = min(len(A), WIDE)
        self._room = np.empty(max(4 * A.size, 8 * narrow**2), dtype=np.uint8)

    def run(self, rows: Ints, seeds: Ints | None = None) -> Run:
        """Run the dynamics within some rows.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,)
            Samples that may take part.
        seeds : ndarray of shape (n_seeds,), default=None
            Samples of which the set must hold at least one: all others pay a
            penalty above the largest eigenvalue of the affinities among them, so
            that no maximiser is theirs alone.

        Returns
        -------
        run : Run
            Without affinities the barycentre, after no step.
        """
        penalty = self._penalty(rows, seeds)
        shift = self.shift + float(penalty.max())
        light = np.log(LIGHT * self.preset.least_weight(rows.size))
        live, rest = np.arange(rows.size), np.arange(0)
        x = np.full(rows.size, 1 / rows.size)
        log_x = np.log(x)
        B = self._block(rows)
        least_gain = self.preset.eps * float(x @ multiply(B, x))
        if least_gain <= 0:
            return Run(x, 0, True)
        n_iter, ended, look = 0, False, LOOK_BOUNDS[0]
        while not ended and n_iter < self.max_iter:
            mean = np.empty_like(x)
            n_steps = min(look, self.max_iter - n_iter)
            taken, log_divisors, ended = replicate(
                B, penalty[live], shift, x, least_gain, n_steps, mean
            )
            n_iter += taken
            with np.errstate(divide="ignore"):  # a weight may vanish for good
                log_x[live] = np.log(x)
                gains = np.log(payoffs(self.A, rows[rest], rows[live], mean) + shift)
            growth = gains - log_divisors / taken
            log_x[rest] += taken * growth
            is_heavy = log_x > light
            n_lighter = np.count_nonzero(~is_heavy[live])
            look = int(np.clip(n_iter * LOOK_SHARE, *LOOK_BOUNDS))
            if is_heavy[rest].any() or n_lighter * max(look, CLEAR_SHARE) > live.size:
                live, rest = np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy)
                x = np.exp(log_x[live])
                x /= x.sum()
                B = self._block(rows[live])
            else:
                look = min(look, next_return(light - log_x[rest], growth))
        x = np.exp(log_x)
        return Run(x / x.sum(), n_iter, bool(ended))

    def _block(self, rows: Ints) -> NDArray[Any]:
        """Return the affinities within some rows, below the diagonal."""
        dtype = np.float32 if rows.size > WIDE else np.float64
        n_bytes = rows.size**2 * np.dtype(dtype).itemsize
        B = self._room[:n_bytes].view(dtype).reshape(rows.size, rows.size)
        copy_lower(self.A, rows, B)
        return B

    def _penalty(self, rows: Ints, seeds: Ints | None) -> Floats:
        if seeds is None:
            return np.zeros(rows.size)
        is_other = ~np.isin(rows, seeds)
        if not is_other.any():
            return np.zeros(rows.size)
        return np.where(is_other, eigenvalue_bound(self._block(rows[is_other])), 0.0)


def next_return(gap: Floats, growth: Floats) -> int:
    """Return the steps until the first light sample is heavy, if growth goes on."""
    grows = growth > 0
    steps = gap[grows] / growth[grows]
    return int(np.clip(steps.min(initial=LOOK_BOUNDS[1]), *LOOK_BOUNDS))


def eigenvalue_bound(B: NDArray[Any]) -> float:
    """Return a number just above the largest eigenvalue of B >= 0.

    Collatz and Wielandt: max_i (By)_i / y_i is a bound for every y > 0, and the power
    method makes it tight. I + B in place of B keeps y positive.

    Parameters
    ----------
    B : ndarray of shape (n, n)
        Symmetric, zero diagonal; only read below it.

    Examples
    --------
    >>> round(eigenvalue_bound(np.array([[0, 0.0], [0.5, 0]])), 6)
    0.500001
    """
    y = np.ones(len(B))
    for _ in range(POWER_STEPS):
        grown = y + multiply(B, y)
        bound = float((grown / y).max()) - 1
        y = grown / grown.max()
    # Above, not at: at the eigenvalue others could tie with the seeds.
    return bound * (1 + 1e-6) + 1e-9
