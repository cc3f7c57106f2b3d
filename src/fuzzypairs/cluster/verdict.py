"""What held-out judgements say of a fit, in numbers and in plain words."""

from dataclasses import dataclass
from html import escape
from math import ceil, sqrt
from typing import Literal

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    balanced_share,
    chance_error,
    satisfied,
)

__all__ = ["Agreement", "HeldOut", "Verdict", "agreement_of", "assess"]

# Intervals cover the true share in 95 of 100 cases.
QUANTILE = 1.96
# A result is strong if the interval lies above this share: three of four judgements.
STRONG = 0.75
# Fewer held-out judgements than this make intervals too wide to conclude anything.
FEWEST = 10
# What is suggested where no number can be derived: intervals of +/- 0.1 at 85 %.
USUAL = 50
# A judgement is clearly contradicted if its opposite is this likely, and wrong ones are
# mentioned from this share of all on.
CLEARLY, NOTABLE = 0.9, 0.08

Level = Literal["strong", "weak", "unusable", "none"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Judgements, and what models that did not see them say of their samples.

    Parameters
    ----------
    pairs : PairSet
    guided : ndarray of shape (n_pairs,)
        The probability that the two samples belong together, by a model fitted without
        this judgement; NaN if there was none.
    unguided : ndarray of shape (n_pairs,)
        The same by clusters found without any judgement.
    calibrated : ndarray of shape (n_pairs,), optional
        `guided` by memberships whose certainty was calibrated: what the memberships of
        the fit say. Without it, `guided`.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.cluster.verdict import HeldOut
    >>> pairs = PairSet.from_triples([(0, 1, 0.9), (1, 2, -0.5)])
    >>> HeldOut(pairs, np.array([0.8, 0.3]), np.array([1.0, 1.0])).agreement
    {'guided': 1.0, 'unguided': 0.5}
    """

    pairs: PairSet
    guided: Floats
    unguided: Floats
    calibrated: Floats | None = None

    @property
    def probability(self) -> Floats:
        """That two samples belong together, as far as memberships are certain."""
        return self.guided if self.calibrated is None else self.calibrated

    @property
    def agreement(self) -> dict[str, float]:
        """Balanced share of satisfied judgements, by "guided" and "unguided"."""
        return {
            name: agreement_of(getattr(self, name), self.pairs.grade).share
            for name in ("guided", "unguided")
        }


@dataclass(frozen=True)
class Agreement:
    """A share of judgements that are satisfied, with its 95 % interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        low, high = 100 * self.low, 100 * self.high
        return f"{100 * self.share:.0f} % ({low:.0f} to {high:.0f} %)"


@dataclass(frozen=True)
class Verdict:
    """Whether judgements could be learned from, and what to do next.

    Attributes
    ----------
    level : {"strong", "weak", "unusable", "none"}
        "strong": the interval of the agreement lies above 75 %. "weak": above 50 %,
        which is chance. "unusable": chance is within the interval. "none": there were
        too few judgements to hold some out.
    with_judgements, without_judgements : Agreement or None
        With judgements that were held out, of the model fitted with the others and of
        clusters found without any.
    n_judgements : int
        How many were held out in turn.
    n_more : int
        About how many more would help, a rough figure; 0 if none are needed.
    noise_rate : float or None
        The share of judgements that seem wrong.
    sentences : tuple of str
        All of this in plain words, the most important first.
    """

    level: Level
    with_judgements: Agreement | None
    without_judgements: Agreement | None
    n_judgements: int
    n_more: int
    noise_rate: float | None
    sentences: tuple[str, ...]

    def _repr_html_(self) -> str:
        """Return what notebooks show: the sentences."""
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)


def agreement_of(probability: Floats, grade: Floats) -> Agreement:
    """Return the balanced share of judgements that probabilities satisfy.

    Parameters
    ----------
    probability : ndarray of shape (n_pairs,)
        That two samples belong together; NaN is left out.
    grade : ndarray of shape (n_pairs,)

    Returns
    -------
    Agreement
        With Wilson's interval [1]_ for the effective number of judgements, which
        strengths and the two kinds determine: that many of equal strength, half of
        them alike, have the same standard error.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", Journal of the American Statistical Association 22, 1927.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.cluster.verdict import agreement_of
    >>> grade = np.repeat([1.0, -1.0], 20)
    >>> print(agreement_of(np.repeat([0.9, 0.2], 20), grade))
    100 % (91 to 100 %)
    """
    known = ~np.isnan(probability) & (grade != 0.0)
    p, grade = probability[known], grade[known]
    if not grade.size:
        return Agreement(float("nan"), 0.0, 1.0)
    # Where the model is undecided, it satisfies half of a judgement.
    together = np.where(p == 0.5, 0.5, p > 0.5)
    share = float(balanced_share(satisfied(together, grade), grade))
    n = 0.25 / chance_error(grade) ** 2
    shrunk = QUANTILE**2 / n
    center = (share + shrunk / 2) / (1 + shrunk)
    width = QUANTILE * sqrt(share * (1 - share) / n + shrunk / (4 * n)) / (1 + shrunk)
    return Agreement(share, max(0.0, center - width), min(1.0, center + width))


def assess(held_out: HeldOut | None, noise_rate: float | None = None) -> Verdict:
    """Say what held-out judgements mean for a result.

    Parameters
    ----------
    held_out : HeldOut or None
        None: no judgement was held out.
    noise_rate : float, default=None
        The estimated share of wrong judgements. None: the share that a model which did
        not see them contradicts clearly, where the model is better than chance.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.cluster.verdict import HeldOut, assess
    >>> pairs = PairSet.from_labels(np.arange(80) % 2, n_pairs=40, random_state=0)
    >>> right = (pairs.grade > 0).astype(float)
    >>> verdict = assess(HeldOut(pairs, right, np.full(40, 0.5)))
    >>> verdict.level
    'strong'
    >>> verdict.sentences[0]
    'Strong: 100 % (91 to 100 %) of the judgements held out are satisfied.'
    """
    count = 0
    if held_out is not None:
        asked = ~np.isnan(held_out.guided) & (held_out.pairs.grade != 0.0)
        count = int(asked.sum())
    if held_out is None or not count:
        return _untested(0 if held_out is None else len(held_out.pairs.informative))
    grade = held_out.pairs.grade
    guided = agreement_of(held_out.guided, grade)
    is_compared = not np.isnan(held_out.unguided).all()
    unguided = agreement_of(held_out.unguided, grade) if is_compared else None
    best = max((guided, unguided or guided), key=lambda found: found.low)
    level: Level = "unusable"
    if best.low > 0.5:
        level = "strong" if best.low > STRONG else "weak"
    if noise_rate is None and level != "unusable":
        noise_rate = _contradicted(held_out, best is guided)
    n_more = _missing(best.share, count, level)
    sentences = [
        _first(level, best),
        *([_difference(guided, unguided)] if unguided else []),
        *_doubts(level, best, count, noise_rate),
        *_advice(level, n_more),
    ]
    return Verdict(level, guided, unguided, count, n_more, noise_rate, tuple(sentences))


def _untested(given: int) -> Verdict:
    """Return the verdict where no judgement was held out."""
    more = max(USUAL - given, FEWEST)
    plural = "" if given == 1 else "s"
    what = (
        f"No verdict: none of {given} judgement{plural} was held out, since they are "
        "too few, all of one kind, or beta is a number."
        if given
        else "No verdict: there are no judgements to test the clusters by."
    )
    advice = (
        f"About {more} more, both alike and unlike, would show whether the clusters "
        "are what you mean (a rough figure)."
    )
    return Verdict("none", None, None, 0, more, None, (what, advice))


def _contradicted(held_out: HeldOut, by_guided: bool) -> float:
    """Return the share of judgements that a model contradicts clearly."""
    p = held_out.guided if by_guided else held_out.unguided
    grade = held_out.pairs.grade
    asked = ~np.isnan(p) & (grade != 0.0)
    opposite = np.where(grade > 0.0, 1.0 - p, p)[asked]
    return float((opposite >= CLEARLY).mean())


def _missing(share: float, count: int, level: Level) -> int:
    """Return about how many more judgements would lift a level, in tens."""
    if level == "strong":
        return 0
    # As many again, where the model has yet to learn: intervals do not tell how fast.
    again = max(count, USUAL - count)
    if share > STRONG:
        # The width of the interval falls with the root of the number of judgements.
        needed = (QUANTILE / (share - STRONG)) ** 2 * share * (1 - share)
        again = min(again, max(ceil(needed) - count, 0))
    return 10 * ceil(max(again, FEWEST) / 10)


def _first(level: Level, best: Agreement) -> str:
    if level == "unusable":
        return (
            f"Unusable: {best} of the judgements held out are satisfied, which may "
            "be chance (50 %)."
        )
    return f"{level.capitalize()}: {best} of the judgements held out are satisfied."


def _difference(guided: Agreement, unguided: Agreement) -> str:
    if guided.low > unguided.share:
        return (
            f"Without judgements, clusters satisfy {unguided}: the judgements "
            "changed the result for the better."
        )
    if unguided.low > guided.share:
        return (
            f"Clusters found without judgements satisfy {unguided}, those fitted with "
            f"the other judgements {guided}: the judgements do not improve the result."
        )
    return (
        f"Clusters found without judgements satisfy {unguided}, those fitted with the "
        f"other judgements {guided}: the two are about as good."
    )


def _doubts(
    level: Level, best: Agreement, count: int, noise_rate: float | None
) -> list[str]:
    """Say that judgements are too few, or that some seem wrong."""
    doubts = []
    # An interval from chance to a strong result says nothing against the judgements.
    too_few = count < FEWEST or (level == "unusable" and best.high > STRONG)
    if too_few:
        doubts.append(f"{count} judgements are too few to tell.")
    if level == "unusable" and not too_few:
        doubts.append(
            "Either many judgements are wrong, or the columns do not show what they "
            "are about: check some of them, and whether 1 means alike."
        )
    elif noise_rate is not None and noise_rate >= NOTABLE:
        doubts.append(
            f"About {round(noise_rate * count)} of {count} judgements "
            f"({100 * noise_rate:.0f} %) seem wrong, or are about what the columns do "
            "not show: check those that the clusters violate."
        )
    return doubts


def _advice(level: Level, n_more: int) -> list[str]:
    if level == "strong":
        return []
    use = (
        "do not rely on the clusters"
        if level == "unusable"
        else "take single rows with care"
    )
    return [f"About {n_more} more judgements would help (a rough figure); {use}."]
