"""The default strategy: random pairs first, then samples are placed in clusters."""

from itertools import product

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.active.exploration import npu_score
from fuzzypairs.active.pool import Pool, Proposals, Question
from fuzzypairs.active.random_pairs import random_pairs
from fuzzypairs.pairs.answer_groups import Groups

# Random pairs before anything else.
FIRST = 10
# Rows of a group that are looked at, to find a pair that was not asked yet.
MOST_TRIED = 100
# One question in so many compares a placed sample again, to see whether answers can be
# wrong.
CHECK_EVERY = 9
# The most uncertain of so many random samples is placed next: as good as the most
# uncertain of all (docs/active.md), and few have to be scored.
N_DRAWN = 20


def placement(pool: Pool) -> Proposals:
    """Ask random pairs, then to which group of judged samples others belong.

    Groups are samples that answers put together. The largest of those that differ
    stand for the clusters. Other groups are compared with these, the likeliest first.
    Then samples are: of some drawn at random, the one whose cluster is least certain
    for each question it costs. So an answer says something about all samples of a
    group.

    Every question follows from the answers and the model as they are: nothing has to
    be repeated after an answer is taken back.
    """
    at_random = random_pairs(pool)
    while True:
        n_answers = len(pool.answers)
        if pool.n_asked >= FIRST and pool.memberships.shape[1] > 1:
            for question in place(pool):
                yield question
                if len(pool.answers) != n_answers:
                    break
        if len(pool.answers) == n_answers:
            drawn = next(at_random, None)
            if drawn is None:
                return
            yield drawn


def place(pool: Pool) -> Proposals:
    """Yield questions about groups, then about samples, under the present answers."""
    groups = pool.groups()
    U = pool.memberships
    most = pool.n_clusters or U.shape[1]
    clusters = groups.that_stand_for_clusters(most)
    if not clusters:
        return
    if pool.n_asked % CHECK_EVERY == CHECK_EVERY - 1:
        yield from check(pool, [groups.members[c] for c in clusters])
    means = np.array([U[groups.members[c]].mean(axis=0) for c in clusters])
    for group, unknown in open_groups(pool, groups, clusters):
        members = groups.members[group]
        order = by_likelihood(U[members].mean(axis=0), means, clusters)
        rows = [groups.members[c] for c in order if c in unknown]
        yield from first_open(pool, members, rows, "a group of judged rows")
    drawn = pool.rng.permutation(pool.untouched())[:N_DRAWN]
    for sample in drawn[by_uncertainty(U[drawn], means)].tolist():
        order = by_likelihood(U[sample], means, clusters)
        rows = [groups.members[c] for c in order]
        yield from first_open(pool, [sample], rows, "a row whose cluster is uncertain")


def check(pool: Pool, clusters: list[list[int]]) -> Proposals:
    """Yield samples that one answer put into a cluster, with another sample of it."""
    n_questions = pool.questions_of_rows()
    placed = [(row, rows) for rows in clusters for row in rows if n_questions[row] == 1]
    for place in pool.rng.permutation(len(placed)).tolist():
        row, rows = placed[place]
        yield from first_open(pool, [row], [rows], "a row placed by one answer")


def open_groups(
    pool: Pool, groups: Groups, clusters: list[int]
) -> list[tuple[int, set[int]]]:
    """Return groups to be placed, and the clusters they were not compared with.

    Those that differ from some clusters come first, then larger ones. A single sample
    that was compared with no cluster has to wait: another one may say more.
    """
    waiting = {row for pair in pool.pending for row in pair}
    found = []
    for group, members in groups.members.items():
        if group in clusters or waiting.intersection(members):
            continue
        known = groups.between[group]
        unknown = {c for c in clusters if c not in known}
        n_apart = sum(groups.are_apart(group, c) for c in clusters)
        # Neither alike nor unlike some cluster: a mixture, and to be left so.
        is_mixed = len(unknown) + n_apart < len(clusters)
        n_rows = groups.n_placed_with(group)
        if not unknown or is_mixed or (not n_apart and n_rows == 1):
            continue
        rank = (n_apart == 0, len(unknown) if n_apart else 0, -n_rows, group)
        found.append((rank, group, unknown))
    return [(group, unknown) for _, group, unknown in sorted(found)]


def by_likelihood(u: Floats, means: Floats, clusters: list[int]) -> list[int]:
    """Return clusters by co-membership with their groups, the likeliest first."""
    return [clusters[c] for c in np.argsort(-(means @ u), kind="stable")]


def by_uncertainty(U: Floats, means: Floats) -> Ints:
    """Return the places of samples by `npu_score`, the largest first."""
    affinity = U @ means.T + np.finfo(np.float32).tiny
    P = affinity / affinity.sum(axis=1, keepdims=True)
    return np.argsort(-npu_score(P), kind="stable")


def first_open(
    pool: Pool, members: list[int], groups: list[list[int]], reason: str
) -> Proposals:
    """Yield a random pair of `members` and the first group with one to ask."""
    # Other representatives each time, so that one wrong answer misleads few others.
    left = pool.rng.permutation(members)[:MOST_TRIED].tolist()
    for group in groups:
        right = pool.rng.permutation(group)[:MOST_TRIED].tolist()
        for i, j in product(left, right):
            if pool.is_open(i, j):
                yield Question(i, j, f"{reason}, against those of a cluster")
                return
