"""Groups of samples that answers put together, in spite of single wrong answers."""

import heapq
from dataclasses import dataclass, field

from fuzzypairs.pairs import PairSet

__all__ = ["DIFFERENT", "SAME", "Groups", "group_samples"]

# From these sums of grades on, answers read as "one cluster" or "different clusters".
SAME, DIFFERENT = 0.5, -0.5
# A group that differs from so many that stand for clusters stands for another one. To
# compare all of k clusters takes k (k - 1) / 2 answers, most of them easy ones.
APART_FROM = 2


@dataclass(frozen=True, eq=False)
class Groups:
    """Samples in groups of one cluster each, and what is known between groups.

    Attributes
    ----------
    members : dict of int to list of int
        Samples of a group, by one of them.
    between : dict of int to dict of int to float
        Sum of the grades of all answers between two groups.
    opposite : dict of int to int
        Of two clusters: the group that is placed together with another one, since it
        is of the other cluster.
    """

    members: dict[int, list[int]]
    between: dict[int, dict[int, float]]
    opposite: dict[int, int] = field(default_factory=dict)

    def n_placed_with(self, group: int) -> int:
        """Return the number of samples whose cluster follows from that of a group."""
        rows = self.members[group]
        if group in self.opposite:
            rows = rows + self.members[self.opposite[group]]
        return len(rows)

    def compare_answers(self, pairs: PairSet) -> tuple[int, int]:
        """Return how many answers follow from others, and how many violate these.

        Samples of a group need one answer less than they are to be joined. Any more
        are implied by these. Undecided answers are left out.
        """
        group_of = {row: group for group, rows in self.members.items() for row in rows}
        # Opposite groups are joined, too.
        whole = {g: min(g, self.opposite.get(g, g)) for g in self.members}
        n_compared = n_violated = 0
        for i, j, grade in pairs:
            if DIFFERENT < grade < SAME:
                continue
            a, b = group_of[i], group_of[j]
            expected = 1.0 if a == b else self.between[a][b] or -1.0
            is_violated = grade * expected < 0
            n_violated += is_violated
            n_compared += is_violated or whole[a] == whole[b]
        n_joins = len(group_of) - len(set(whole.values()))
        return max(n_compared - n_joins, n_violated), n_violated

    def are_apart(self, a: int, b: int) -> bool:
        """Tell whether answers say that two groups are of different clusters."""
        return self.between[a].get(b, 0.0) <= DIFFERENT

    def that_stand_for_clusters(self, most: int) -> list[int]:
        """Return the largest groups that differ from each other, as far as is known."""
        found: list[int] = []
        for group in sorted(self.members, key=lambda g: (-len(self.members[g]), g)):
            known = [c for c in found if c in self.between[group]]
            is_apart = all(self.are_apart(group, c) for c in known)
            if is_apart and len(known) >= min(APART_FROM, len(found)):
                found.append(group)
            if len(found) == most:
                break
        return found


def group_samples(pairs: PairSet, n_clusters: int | None = None) -> Groups:
    """Group the samples of judgements.

    The two groups with the largest sum of grades between them are joined, again and
    again, while that is 0.5 or more (greedy additive edge contraction [1]_). So an
    answer that others contradict joins nothing. Of two clusters, samples that are
    unlike a third one are alike: sums of -0.5 or less join as well, to pairs of
    opposite groups.

    Parameters
    ----------
    pairs : PairSet
    n_clusters : int or None, default=None
        The most clusters there are, if known.

    References
    ----------
    .. [1] Keuper, Levinkov, Bonneel, Lavoue, Brox, Andres, "Efficient decomposition of
       image and mesh graphs by lifted multicuts", 2015.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.pairs.answer_groups import group_samples
    >>> answers = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.8), (2, 3, -1.0)])
    >>> list(group_samples(answers).members.values())
    [[0, 1, 2], [3]]
    """
    is_two = n_clusters == 2
    between: dict[int, dict[int, float]] = {}
    pairs = pairs.merged
    for i, j, grade in pairs:
        between.setdefault(i, {})[j] = grade
        between.setdefault(j, {})[i] = grade
    members = {row: [row] for row in between}
    side = dict.fromkeys(between, 1)

    def joins(grade: float) -> bool:
        return grade >= SAME or (is_two and grade <= DIFFERENT)

    queue = [(-abs(grade), i, j) for i, j, grade in pairs if joins(grade)]
    heapq.heapify(queue)
    while queue:
        strength, a, b = heapq.heappop(queue)
        if a not in between or abs(between[a].get(b, 0.0)) != -strength:
            continue  # joined, or changed since
        if len(members[a]) < len(members[b]):
            a, b = b, a
        sign = 1 if between[a][b] > 0 else -1
        for row in members[b]:
            side[row] *= sign
        members[a] += members.pop(b)
        for other, more in between.pop(b).items():
            del between[other][b]
            if other != a:
                total = between[a].get(other, 0.0) + sign * more
                between[a][other] = between[other][a] = total
                if joins(total):
                    heapq.heappush(queue, (-abs(total), a, other))
    return by_sides(members, between, side) if is_two else Groups(members, between)


def by_sides(
    members: dict[int, list[int]],
    between: dict[int, dict[int, float]],
    side: dict[int, int],
) -> Groups:
    """Split groups of two clusters into their sides."""
    name: dict[tuple[int, int], int] = {}
    rows: dict[int, list[int]] = {}
    for group, all_rows in members.items():
        for sign in (1, -1):
            mine = [row for row in all_rows if side[row] == sign]
            if mine:
                name[group, sign] = mine[0]
                rows[mine[0]] = mine
    known: dict[int, dict[int, float]] = {row: {} for row in rows}
    for (group, sign), row in name.items():
        if (group, -sign) in name:
            known[row][name[group, -sign]] = -1.0
        for other, total in between[group].items():
            for theirs in (1, -1):
                if (other, theirs) in name:
                    known[row][name[other, theirs]] = sign * theirs * total
    opposite = {
        row: name[group, -sign]
        for (group, sign), row in name.items()
        if (group, -sign) in name
    }
    return Groups(rows, known, opposite)
