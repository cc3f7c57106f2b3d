"""Judgements that contradict each other."""

from collections import defaultdict
from typing import NamedTuple

from fuzzypairs.pairs import PairSet


class Contradiction(NamedTuple):
    """Rows a and b, and b and c, were judged alike, a and c unlike."""

    a: int
    b: int
    c: int
    ab: float
    bc: float
    ac: float

    @property
    def strength(self) -> float:
        """The smallest absolute grade of the three."""
        return min(self.ab, self.bc, -self.ac)


def find_contradictions(pairs: PairSet) -> tuple[list[Contradiction], int]:
    """Find judgements that contradict each other, the strongest first.

    The second value is the number of judgements of unlike between rows that a longer
    chain of alike ones joins.

    For each judgement of unlike, the rows judged alike to both of its rows are found
    from the row with fewer of them: O(n_pairs^1.5) steps at most, and O(n_pairs)
    where no row has many judgements.
    """
    pairs = pairs.merged
    alike: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, j, grade in pairs:
        if grade > 0:
            alike[i][j] = alike[j][i] = grade
    _, chain = pairs.select(
        pairs.similar
    ).components()  # of each row; -1 where nothing was judged alike
    found: list[Contradiction] = []
    n_chained = 0
    for a, c, grade in pairs:
        if grade >= 0 or chain[a] < 0 or chain[a] != chain[c]:
            continue
        # The intersection takes as many steps as the smaller side has rows.
        between = alike[a].keys() & alike[c].keys()
        found += [
            Contradiction(a, b, c, alike[a][b], alike[c][b], grade) for b in between
        ]
        n_chained += not between
    found.sort(key=lambda triangle: (-triangle.strength, triangle))
    return found, n_chained
