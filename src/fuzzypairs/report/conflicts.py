"""Where judgements pull at a fit, and where they contradict each other."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet

__all__ = ["Contradiction", "Contradictions", "find_contradictions", "pulls"]


# A membership below this counts as none.
NOTHING = 1e-9


def pulls(pairs: Any, memberships: ArrayLike, beta: float) -> Floats:
    """Measure how hard each judgement pulls at the memberships where a fit ended.

    A judgement's part of the objective, eq. (6), has the gradients

        beta s (u_p - u_q) and its opposite for s >= 0,    -beta s u_q, -beta s u_p else

    in the two rows it joins. Of these counts what memberships could follow: they
    cannot sum to other than 1, nor fall below 0. So a judgement that is obeyed to
    the full pulls 0, whatever its strength.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the rows of `memberships`.
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships, rows summing to 1.
    beta : float
        Weight of the judgements in the fit.

    Returns
    -------
    pull : ndarray of shape (n_pairs,)
        The length of the projected gradient, both rows together.

    Examples
    --------
    >>> from fuzzypairs.report.conflicts import pulls
    >>> memberships = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    >>> pulls([(0, 1, 0.5), (0, 2, 0.5), (1, 2, -0.5)], memberships, beta=3.0)
    array([3., 0., 0.])
    """
    U = check_array(memberships)
    judged = PairSet.coerce(pairs, n_samples=len(U))
    u, v, s = U[judged.i], U[judged.j], judged.grade[:, None]
    down_u = np.where(s >= 0, s * (v - u), s * v)
    down_v = np.where(s >= 0, s * (u - v), s * u)
    moves = np.hstack([_feasible(u, down_u), _feasible(v, down_v)])
    pull: Floats = beta * np.linalg.norm(moves, axis=1)
    return pull


def _feasible(U: Floats, down: Floats) -> Floats:
    """Return the part of steps `down` from rows U that stays on the simplex.

    The projection onto the tangent cone: entries lose their mean, except those that
    would fall below 0, which do not move and leave the mean of the others.
    """
    moves = np.ones(U.shape, dtype=bool)
    for _ in range(U.shape[1]):
        mean = (down * moves).sum(axis=1, keepdims=True) / moves.sum(
            axis=1, keepdims=True
        )
        stuck = moves & (U <= NOTHING) & (down < mean)
        if not stuck.any():
            break
        moves &= ~stuck
    return np.where(moves, down - mean, 0.0)


class Contradiction(NamedTuple):
    """Rows a ~ b and b ~ c judged alike, a and c judged unlike.

    Examples
    --------
    >>> from fuzzypairs.report.conflicts import Contradiction
    >>> Contradiction(0, 1, 2, 0.9, 0.8, -0.5).strength
    0.5
    """

    a: int
    b: int
    c: int
    ab: float
    bc: float
    ac: float

    @property
    def strength(self) -> float:
        """The weakest of the three grades: what must give way at least."""
        return min(self.ab, self.bc, -self.ac)


@dataclass(frozen=True)
class Contradictions:
    """Judgements that cannot all hold.

    Attributes
    ----------
    triangles : tuple of Contradiction
        The strongest first.
    n_triangles : int
        How many there are in all.
    n_chained : int
        Judgements of unlike between rows that a longer chain of alike ones joins.

    Examples
    --------
    >>> from fuzzypairs.report.conflicts import Contradictions
    >>> Contradictions((), 0, 0).n_triangles
    0
    """

    triangles: tuple[Contradiction, ...]
    n_triangles: int
    n_chained: int


def find_contradictions(pairs: PairSet, most: int = 20) -> Contradictions:
    """Find judgements that contradict each other.

    Parameters
    ----------
    pairs : PairSet
        Judgements.
    most : int, default=20
        Triangles to return, the strongest ones.

    Returns
    -------
    found : Contradictions

    Notes
    -----
    For each judgement of unlike, the rows judged alike to both of its ends are found
    from the end with fewer of them: at most O(n_pairs^1.5) steps, and near n_pairs
    where no row is judged very often.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.report.conflicts import find_contradictions
    >>> pairs = PairSet.from_triples([(0, 1, 0.9), (1, 2, 0.8), (0, 2, -0.5)])
    >>> find_contradictions(pairs).triangles[0][:3]
    (0, 1, 2)
    """
    alike: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, j, grade in pairs:
        if grade > 0:
            alike[i][j] = alike[j][i] = grade
    chains = _alike_groups(pairs)
    found: list[Contradiction] = []
    n_chained = 0
    for a, c, grade in pairs:
        if grade >= 0 or chains[a] < 0 or chains[a] != chains[c]:
            continue
        # A set looks up the larger side for each member of the smaller one.
        between = alike[a].keys() & alike[c].keys()
        found += [
            Contradiction(a, b, c, alike[a][b], alike[c][b], grade) for b in between
        ]
        n_chained += not between
    found.sort(key=lambda triangle: (-triangle.strength, triangle))
    return Contradictions(tuple(found[:most]), len(found), n_chained)


def _alike_groups(pairs: PairSet) -> NDArray[np.int64]:
    """Return the group of each row that chains of alike judgements make; -1: none."""
    kept = pairs.similar
    alike = PairSet(pairs.i[kept], pairs.j[kept], pairs.grade[kept], pairs.n_samples)
    return alike.components()[1]
