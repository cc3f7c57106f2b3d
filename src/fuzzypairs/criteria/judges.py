"""Whether one judge agrees with others as they agree with each other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import wilson_interval
from fuzzypairs.validation import check_choice, check_number, naming

# No plan names more pairs than these: nobody would judge them.
MOST_PAIRS = 10_000


@dataclass(frozen=True)
class JudgeComparison:
    """How a judge agrees with others, and they with each other.

    Attributes
    ----------
    judge : str
    n_shared : int
        Pairs that the judge and one of the others judged.
    n_among_others : int
        Pairs that two or more of the others judged.
    agreement, among_others : float
        Balanced share of answers on the same side, from 0 to 1; NaN if unknown.
    interval : tuple of float
        95 % interval of the difference of the two; NaN if unknown.
    n_more : int or None
        About how many more pairs, judged by the judge and by two others, would decide;
        None if it is decided, or if they are too many to be judged.
    sentence : str
        What that means.

    Examples
    --------
    >>> from fuzzypairs.criteria import JudgeComparison
    >>> JudgeComparison("gpt", 90, 80, 0.8, 0.9, (-0.2, -0.1), None, "").difference
    -0.1
    """

    judge: str
    n_shared: int
    n_among_others: int
    agreement: float
    among_others: float
    interval: tuple[float, float]
    n_more: int | None
    sentence: str

    @property
    def difference(self) -> float:
        """Agreement of the judge less that of the others: below 0 it is worse."""
        return round(self.agreement - self.among_others, 12)


def compare_judges(
    pairs: PairSet,
    judge: str,
    others: Sequence[str] | None = None,
    *,
    margin: float = 0.1,
) -> JudgeComparison:
    """Compare a judge, such as a program, with others, such as people.

    Parameters
    ----------
    pairs : PairSet
        Judgements of several judges.
    judge : str
        One of `pairs.judge_names`.
    others : sequence of str, default=None
        Names of the others; None takes all but the judge.
    margin : float, default=0.1
        By how much worse it may be and still count as good.

    Returns
    -------
    comparison : JudgeComparison

    Notes
    -----
    Two judges agree on a pair if their grades are on the same side; "can't say" agrees
    by half with any. What an other says is the reference, and the shares of agreement
    with references of alike and of unlike are averaged: a judge that always says unlike
    has a share of 0.5, also where most pairs are unlike. A pair counts once, however
    many judged it. The interval is made of Wilson's intervals of the shares, by the
    method of Newcombe [1]_. It takes the two agreements as independent. Where they are
    of the same pairs it is therefore wider than it must be.

    References
    ----------
    .. [1] R. G. Newcombe, "Interval estimation for the difference between independent
       proportions", Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.criteria import compare_judges
    >>> i, grade = np.arange(100), np.tile([1.0, -1.0], 50)
    >>> wrong = np.where(i < 30, -grade, grade)
    >>> pairs = PairSet(
    ...     np.tile(i, 3), np.tile(i + 100, 3), [*grade, *grade, *wrong],
    ...     judges=np.repeat(["Ann", "Bob", "model"], 100),
    ... )
    >>> compare_judges(pairs, "model").sentence.split(": ")[1]
    'worse than they are by 21 to 40 points'
    """
    if not isinstance(pairs, PairSet):
        raise TypeError(f"pairs is {type(pairs).__name__}, expected a PairSet")
    check_number("margin", margin, 0.0, 1.0)
    names = pairs.judge_names
    if len(names) < 2:
        raise ValueError(f"pairs has the one judge {names[0]!r}, expected several")
    check_choice("judge", judge, names)
    wanted = [name for name in names if name != judge]
    if others is not None:
        with naming("others"):
            chosen = {check_choice("others", name, wanted) for name in others}
        wanted = [name for name in wanted if name in chosen]
    G = _by_judge(pairs)
    own, theirs = G[names.index(judge)], G[[names.index(name) for name in wanted]]
    n_judges = (~np.isnan(theirs)).sum(axis=0)
    n_shared = int((~np.isnan(own) & (n_judges > 0)).sum())
    n_among = int((n_judges > 1).sum())
    agreement, below, above = _balanced(theirs, own[None])
    among, low, high = _balanced(theirs, theirs)
    gap = agreement - among
    interval = gap - math.hypot(*below, *high), gap + math.hypot(*above, *low)
    most = max(n_shared, n_among)
    said, n_more = _decide(gap, interval, margin, most)
    return JudgeComparison(
        judge, n_shared, n_among, agreement, among, interval, n_more,
        _lead(judge, agreement, among) + said,
    )  # fmt: skip


def _by_judge(pairs: PairSet) -> Floats:
    """Return grades of shape (n_judges, n_pairs), NaN where there are none."""
    keys = np.stack([pairs.i, pairs.j], axis=1)
    distinct, place = np.unique(keys, axis=0, return_inverse=True)
    G = np.full((len(pairs.judge_names), len(distinct)), np.nan)
    G[pairs.judges, place.reshape(-1)] = pairs.grade
    return G


def _balanced(
    reference: Floats, other: Floats
) -> tuple[float, list[float], list[float]]:
    """Return the balanced agreement of others with references.

    And how far the ends of the intervals of both shares are below and above, halved as
    the shares are. Where they are the same array, nobody is compared with himself.
    """
    shares, below, above = [], [], []
    n_references = (np.abs(reference) > 0).sum(axis=0)
    for sign in (1, -1):
        total, weight = np.zeros(reference.shape[1]), np.zeros(reference.shape[1])
        for r, said in enumerate(np.sign(reference)):
            for o, answer in enumerate(other):
                if other is reference and o == r:
                    continue
                known = (said == sign) & ~np.isnan(answer)
                total[known] += (1 + sign * np.sign(answer[known])) / 2
                weight[known] += 1
        met = weight > 0
        part = (np.sign(reference) == sign).sum(axis=0)[met] / n_references[met]
        if not met.any():
            continue
        n = float(part.sum())
        share = float((part * total[met] / weight[met]).sum() / n)
        low, high = wilson_interval(share, n)
        shares.append(share)
        below.append(share - float(low))
        above.append(float(high) - share)
    if not shares:
        return float("nan"), [], []
    n = len(shares)
    return sum(shares) / n, [gap / n for gap in below], [gap / n for gap in above]


def _lead(judge: str, agreement: float, among: float) -> str:
    if math.isnan(agreement):
        return f"{judge!r} and the others have judged no pair in common: "
    start = f"{judge!r} agrees with the others on {100 * agreement:.0f} % of pairs"
    if math.isnan(among):
        return f"{start}: "
    return (
        f"{start}, they with each other on {100 * among:.0f} % (alike and unlike "
        "pairs weigh the same, 50 % is chance): "
    )


def _decide(
    gap: float, interval: tuple[float, float], margin: float, n_pairs: int
) -> tuple[str, int | None]:
    """Return what a difference means, and how many more pairs would decide."""
    if math.isnan(gap):
        return "let it and two others judge the same pairs", None
    low, high = interval
    worst, best = (f"{abs(100 * end):.0f}" for end in interval)
    if high < 0:
        return f"worse than they are by {best} to {worst} points", None
    if low > 0:
        return f"better than they are by {worst} to {best} points", None
    if low > -margin:
        return f"as good as they are, to within {100 * margin:.0f} points", None
    said = f"not decided, from {worst} points worse to {best} better"
    # Ends come nearer as the root of the number of pairs.
    is_good = gap > -margin / 2
    room, end = (gap + margin, gap - low) if is_good else (-gap, high - gap)
    n_more = math.ceil(n_pairs * ((end / max(room, 1e-9)) ** 2 - 1))
    if n_more > MOST_PAIRS:
        return said, None
    return f"{said}; about {n_more} more pairs judged by it and by two others", n_more
