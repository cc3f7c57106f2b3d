"""Random pairs: the baseline, and the control of every other strategy."""

import numpy as np

from fuzzypairs.active.pool import Pool, Proposals, Question

# Draws before all pairs are listed, to find the few that are left.
TRIES = 50
# More candidates than this have pairs left after any number of questions.
FEW_CANDIDATES = 300


def random_pairs(pool: Pool, rng: np.random.Generator | None = None) -> Proposals:
    """Yield pairs of candidates, all equally likely, until all were asked."""
    rows, rng = pool.candidates, rng or pool.rng
    while True:
        for _ in range(TRIES):
            i, j = rows[rng.integers(len(rows), size=2)].tolist()
            if pool.is_open(i, j):
                break
        else:
            if len(rows) > FEW_CANDIDATES:
                return
            left = [(i, j) for i in rows.tolist() for j in rows.tolist() if i < j]
            left = [pair for pair in left if pool.is_open(*pair)]
            if not left:
                return
            i, j = left[rng.integers(len(left))]
        yield Question(i, j, "a random pair, to measure agreement", is_random=True)
