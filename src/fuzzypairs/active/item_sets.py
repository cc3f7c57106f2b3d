"""Sets of items to be sorted into piles: one of each cluster, and uncertain ones."""

import numpy as np

from fuzzypairs.active.placement import N_DRAWN, by_likelihood, by_uncertainty
from fuzzypairs.active.pool import Pool

__all__ = ["choose_items"]


def choose_items(pool: Pool, n_items: int) -> tuple[list[int], str]:
    """Choose items that one answer places in clusters, and say why.

    At first they are random. Then up to half of them stand for the clusters that
    answers have found, those that are likeliest for the most uncertain item. The others
    are those of some random items whose cluster is least certain. So one answer places
    several items, finds clusters that nobody has seen, and tells two of a mixed one.

    Parameters
    ----------
    pool : Pool
    n_items : int

    Returns
    -------
    rows : list of int
        In random order; fewer than `n_items` if there are no more.
    reason : str
    """
    U, reason = pool.memberships, "random items"
    free = pool.rng.permutation(pool.untouched())
    if len(free) < n_items:  # items that were asked about, the least of them first
        asked = pool.questions_of_rows()
        others = sorted(set(pool.candidates.tolist()) & asked.keys() - pool.left_out)
        others = sorted(pool.rng.permutation(others).tolist(), key=asked.__getitem__)
        free = np.concatenate([free, np.array(others, dtype=np.int64)])
    free = free[: max(N_DRAWN, n_items)]
    rows: list[int] = []
    groups = pool.groups()
    clusters = groups.that_stand_for_clusters(pool.n_clusters or len(groups.members))
    clusters = [c for c in clusters if set(groups.members[c]) - pool.left_out]
    if len(clusters) > 1 and U.shape[1] > 1:
        means = np.array([U[groups.members[c]].mean(axis=0) for c in clusters])
        free = free[by_uncertainty(U[free], means)]
        for c in by_likelihood(U[free[0]], means, clusters)[: n_items // 2]:
            members = sorted(set(groups.members[c]) - pool.left_out)
            rows.append(int(pool.rng.choice(members)))
        reason = "items whose cluster is uncertain, beside one of each likely cluster"
    rows += [row for row in free.tolist() if row not in rows][: n_items - len(rows)]
    return pool.rng.permutation(rows).tolist(), reason
