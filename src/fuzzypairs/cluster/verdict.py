"""What held-out judgements say of a fit, in numbers and in plain words."""

from dataclasses import dataclass
from html import escape
from math import sqrt
from typing import Literal

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.cluster.evidence import rate_interval
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import (
    QUANTILE,
    balanced_share,
    chance_error,
    satisfied,
    wilson_interval,
)

__all__ = ["Agreement", "HeldOut", "Verdict", "agreement_of", "assess"]

# A result is strong if the interval lies above this share: three of four judgements.
STRONG = 0.75
# How much larger the variance of an agreement is than that of independent judgements:
# those held out from one fit share its errors, and also choose its settings. Intervals
# of 95 % covered the agreement on all pairs in 84 to 88 of 100 draws without it.
DISPERSION = 1.5
# Fewer held-out judgements than this make intervals too wide to conclude anything.
FEWEST = 10
# Wrong judgements are mentioned, and judges named, from this share on, which the
# interval of their error rate must lie above.
NOTABLE, DOUBTFUL = 0.05, 0.3

Level = Literal["strong", "weak", "unusable", "none"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Judgements, and what models that did not see them say of their samples.

    Parameters
    ----------
    pairs : PairSet
    guided : ndarray of shape (n_pairs,)
        The probability that the two samples are in one cluster, by a model fitted
        without this judgement; NaN if there was none.
    unguided : ndarray of shape (n_pairs,)
        The same by clusters found without any judgement.

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
    error_rate : Agreement or None
        The share of judgements that are wrong, as far as the model can tell.
    worth_asking : bool
        Whether more judgements are likely to change something.
    sentences : tuple of str
        All of this in plain words, the most important first.
    """

    level: Level
    with_judgements: Agreement | None
    without_judgements: Agreement | None
    n_judgements: int
    error_rate: Agreement | None
    worth_asking: bool
    sentences: tuple[str, ...]

    def _repr_html_(self) -> str:
        """Return what notebooks show: the sentences."""
        return "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)


def agreement_of(
    probability: Floats, grade: Floats, independent: float = 1.0
) -> Agreement:
    """Return the balanced share of judgements that probabilities satisfy.

    Parameters
    ----------
    probability : ndarray of shape (n_pairs,)
        That two samples are in one cluster; NaN is left out.
    grade : ndarray of shape (n_pairs,)
    independent : float, default=1.0
        Share of the judgements that do not follow from others, see
        `independent_share`.

    Returns
    -------
    Agreement
        With Wilson's interval for the effective number of judgements, which strengths
        and the two kinds determine: that many of equal strength, half of them alike,
        have the same standard error. Its variance is 1.5 times that of independent
        judgements.

    Examples
    --------
    >>> import numpy as np
    >>> from fuzzypairs.cluster.verdict import agreement_of
    >>> grade = np.repeat([1.0, -1.0], 20)
    >>> print(agreement_of(np.repeat([0.9, 0.2], 20), grade))
    100 % (87 to 100 %)
    """
    kept, grade = _kept(probability, grade)
    if not grade.size:
        return Agreement(float("nan"), 0.0, 1.0)
    share = float(balanced_share(kept, grade))
    n = 0.25 * independent / chance_error(grade) ** 2
    low, high = wilson_interval(share, n / DISPERSION)
    return Agreement(share, float(low), float(high))


def independent_share(pairs: PairSet) -> float:
    """Return the share of judgements that do not follow from others of their answer.

    Who sorts m items into piles judges m (m - 1) / 2 pairs by m - 1 decisions: an item
    in a wrong pile makes all its pairs wrong.

    Examples
    --------
    >>> from fuzzypairs import PairSet
    >>> from fuzzypairs.cluster.verdict import independent_share
    >>> independent_share(PairSet([0, 0, 1], [1, 2, 2], [1, -1, -1], answers=[0, 0, 0]))
    0.6666666666666666
    """
    if pairs.answers is None or not len(pairs):
        return 1.0
    answers = np.concatenate([pairs.answers, pairs.answers])
    ends = np.concatenate([pairs.i, pairs.j])
    n_items = len(np.unique(np.column_stack([answers, ends]), axis=0))
    return (n_items - len(np.unique(pairs.answers))) / len(pairs)


def _kept(probability: Floats, grade: Floats) -> tuple[Floats, Floats]:
    """Return whether judgements are satisfied, and their grades, where it is known."""
    known = ~np.isnan(probability) & (grade != 0.0)
    p, grade = probability[known], grade[known]
    # Where the model is undecided, it satisfies half of a judgement.
    return satisfied(np.where(p == 0.5, 0.5, p > 0.5), grade), grade


def assess(
    held_out: HeldOut | None,
    error_rate: Agreement | None = None,
    judges: dict[str, Agreement] | None = None,
) -> Verdict:
    """Say what held-out judgements mean for a result.

    Parameters
    ----------
    held_out : HeldOut or None
        None: no judgement was held out.
    error_rate : Agreement, default=None
        The share of judgements that are wrong, as the model estimates it. None: as
        `fuzzypairs.cluster.evidence.rate_interval` does by `held_out`.
    judges : dict of str to Agreement, default=None
        The same for each of several judges.

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
    'Strong: 100 % (87 to 100 %) of held-out judgements are satisfied (chance: 50 %).'
    """
    count = 0
    if held_out is not None:
        count = int((~np.isnan(held_out.guided) & (held_out.pairs.grade != 0.0)).sum())
    if held_out is None or not count:
        return _untested(0 if held_out is None else len(held_out.pairs.informative))
    grade = held_out.pairs.grade
    independent = independent_share(held_out.pairs)
    guided = agreement_of(held_out.guided, grade, independent)
    is_compared = not np.isnan(held_out.unguided).all()
    unguided = (
        agreement_of(held_out.unguided, grade, independent) if is_compared else None
    )
    level: Level = "unusable"
    if guided.low > 0.5:
        level = "strong" if guided.low > STRONG else "weak"
    if error_rate is None:
        known = ~np.isnan(held_out.guided) & (grade != 0.0)
        error_rate = Agreement(*rate_interval(held_out.guided[known], grade[known]))
    sentences = [
        f"{level.capitalize()}: {guided} of held-out judgements are satisfied "
        f"(chance: 50 %{', which this may be' if level == 'unusable' else ''}).",
        *([_difference(held_out, guided, unguided)] if unguided else []),
        *_doubts(level, guided, count, error_rate),
        *_doubtful_judges(judges or {}),
    ]
    worth = level != "strong"
    if worth:
        sentences.append(
            "More judgements are likely to help; until then, do not rely on the "
            "clusters."
            if level == "unusable"
            else "More judgements are likely to help; take single rows with care."
        )
    return Verdict(level, guided, unguided, count, error_rate, worth, tuple(sentences))


def _untested(given: int) -> Verdict:
    """Return the verdict where no judgement was held out."""
    plural = "" if given == 1 else "s"
    what = (
        f"No verdict: none of {given} judgement{plural} was held out, since they are "
        "too few or all of one kind."
        if given
        else "No verdict: there are no judgements to test the clusters by."
    )
    advice = (
        f"From {FEWEST} judgements on, both alike and unlike, those held out show "
        "whether the clusters are what you mean."
    )
    return Verdict("none", None, None, 0, None, True, (what, advice))


def _difference(held_out: HeldOut, guided: Agreement, unguided: Agreement) -> str:
    """Compare clusters with and without judgements, by the same held-out ones."""
    kept, grade = _kept(held_out.guided, held_out.pairs.grade)
    known = ~np.isnan(held_out.guided)
    without, _ = _kept(held_out.unguided[known], held_out.pairs.grade[known])
    gain = guided.share - unguided.share
    # Judgements that both satisfy or violate say nothing of the difference.
    differ = float(balanced_share((kept - without) ** 2, grade))
    n = 0.25 * independent_share(held_out.pairs) / chance_error(grade) ** 2
    error = sqrt(max(differ - gain**2, 0.0) / n + (1.0 / n) ** 2)
    said = f"Clusters found without judgements satisfy {unguided}"
    if gain > QUANTILE * error:
        return f"{said}: the judgements improved the result."
    if gain < -QUANTILE * error:
        return f"{said}: the judgements made the result worse."
    return f"{said}: the judgements are too few to tell which are better."


def _doubts(
    level: Level, guided: Agreement, count: int, error_rate: Agreement
) -> list[str]:
    """Say that judgements are too few, or that some seem wrong."""
    # An interval from chance to a strong result says nothing against the judgements.
    if count < FEWEST or (level == "unusable" and guided.high > STRONG):
        return [f"{count} judgements are too few to tell."]
    if level == "unusable":
        return [
            "Either many judgements are wrong, or the columns do not show what they "
            "are about: check some of them, and whether 1 means alike."
        ]
    if error_rate.low < NOTABLE:
        return []
    return [
        f"About {round(error_rate.share * count)} of {count} judgements seem wrong, "
        f"{error_rate}: check those that contradict others."
    ]


def _doubtful_judges(judges: dict[str, Agreement]) -> list[str]:
    """Name judges whose judgements are mostly of little use."""
    return [
        f"{name or 'One judge'} seems wrong in {rate} of judgements: check some of "
        "these, or leave them out."
        for name, rate in judges.items()
        if rate.low > DOUBTFUL
    ]
