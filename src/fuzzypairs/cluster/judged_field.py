"""The random field of judged samples, with settings chosen by held-out judgements."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzypairs._typing import Floats, Ints, Labels
from fuzzypairs.cluster.evidence import (
    RATES,
    log_likelihood,
    log_prior,
    rate_interval,
)
from fuzzypairs.cluster.random_field import coupling, marginals, same
from fuzzypairs.cluster.views import View, to_dense
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.sampling import deal_units

__all__ = ["Field", "Judged", "choose_field", "field_marginals"]

# Fewer judgements than this, or none of a kind, tell nothing when they are held out.
FEWEST = 5
# From numbers of judgements on, so many folds.
FOLDS = ((1000, 4), (100, 5), (0, 10))
# With more judgements, settings are chosen by one fold, and one after the other.
MANY = 5000
# How far features count.
TRUST = (0.3, 1.0, 2.0)
# In how many judgements of a judge the rate of all judges counts in his own.
COMMON = 5.0
# Numbers in the arrays of fields that are solved at a time.
FIELD_SIZE = 3_000_000
TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Judged:
    """Judgements by rows of the judged samples alone.

    Attributes
    ----------
    rows : ndarray of shape (n_judged,)
        Which samples these are.
    features : list of ndarray of shape (n_judged, n_view_features)
        By view.
    i, j, grade, judge, fold : ndarrays of shape (n_pairs,)
    names : tuple of str
        Of judges.
    """

    rows: Ints
    features: list[Floats]
    i: Labels
    j: Labels
    grade: Floats
    judge: Ints
    fold: Ints
    names: tuple[str, ...]

    @classmethod
    def read(
        cls, pairs: PairSet, X: Any, views: Sequence[View], rng: np.random.Generator
    ) -> "Judged":
        """Return judgements of numbered and mapped samples, dealt to folds."""
        rows, ends = np.unique(np.concatenate([pairs.i, pairs.j]), return_inverse=True)
        i, j = np.split(ends, 2)
        n_folds = next(n for fewest, n in FOLDS if len(pairs) >= fewest)
        # All judgements of one pair, or of one answer, are held out together.
        kinds = np.eye(2)[(pairs.grade > 0).astype(int)]
        fold = deal_units(pairs.unit, kinds, n_folds, rng)
        dense = to_dense(X[rows])
        features = [view.features(dense) for view in views]
        names = pairs.judge_names
        return cls(rows, features, i, j, pairs.grade, pairs.judges, fold, names)

    @property
    def can_hold_out(self) -> bool:
        """Whether judgements are enough, and of both kinds, to hold some out."""
        is_alike = self.grade > 0
        return len(is_alike) >= FEWEST and bool(is_alike.any()) and not is_alike.all()

    @property
    def n_folds(self) -> int:
        """Number of folds with a judgement."""
        return int(self.fold.max()) + 1


@dataclass(frozen=True, eq=False)
class Field:
    """Settings of the random field, and what it says of held-out judgements.

    Attributes
    ----------
    trust : float
        How far features count: the power of what they say.
    by_strength : bool
        Whether strong judgements act more than weak ones.
    rates : ndarray of shape (n_pairs,)
        The error rate of each judgement, that of its judge.
    same : ndarray of shape (n_pairs,)
        The probability that two samples are in one cluster, without the judgement.
    log_likelihood : float
        Of judgements, held out, with the prior of the rate.
    """

    trust: float
    by_strength: bool
    rates: Floats
    same: Floats
    log_likelihood: float

    def by_judge(
        self, judged: Judged
    ) -> Iterator[tuple[str, tuple[float, float, float]]]:
        """Give each judge with judgements, and the interval of the error rate."""
        for code, name in enumerate(judged.names):
            mine = judged.judge == code
            if mine.any():
                yield name, rate_interval(self.same[mine], judged.grade[mine])


def field_marginals(U: Floats, judged: Judged, field: Field) -> Floats:
    """Return memberships of judged samples that contain all their judgements.

    `U`, (n_judged, n_clusters), are those by features.
    """
    J = coupling(judged.grade, field.rates, field.by_strength)
    unary = field.trust * np.log(U + TINY)
    return np.asarray(marginals(unary[None], judged.i, judged.j, J[None])[0])


def choose_field(held: Floats, judged: Judged) -> Field:
    """Choose the settings under which held-out judgements are most likely.

    Parameters
    ----------
    held : ndarray of shape (n_folds, n_judged, n_clusters)
        Memberships by maps that were not given a fold.
    judged : Judged
    """
    logs = np.log(held + TINY)
    grade = judged.grade
    strengths = (False, True) if np.ptp(np.abs(grade)) > 0.0 else (False,)
    is_large = len(grade) > MANY
    few = range(1 if is_large else judged.n_folds)

    def values(settings: list[tuple[float, bool, float]]) -> list[float]:
        out = []
        per_field = (2 * len(grade) + logs.shape[1]) * logs.shape[2] * len(few)
        at_a_time = max(1, FIELD_SIZE // per_field)
        for start in range(0, len(settings), at_a_time):
            some = settings[start : start + at_a_time]
            rates = np.array([e for _, _, e in some])[:, None]
            for (_, _, e), c in zip(
                some, held_out_same(logs, judged, some, rates, few), strict=True
            ):
                known = ~np.isnan(c)
                value = log_likelihood(c[known], grade[known], e) + log_prior(e)
                out.append(float(value))
        return out

    settings = [(1.0, by, float(e)) for by in strengths for e in RATES]
    found = dict(zip(settings, values(settings), strict=True))
    _, by, e = max(found, key=found.__getitem__)
    tried = [e] if is_large else RATES.tolist()
    settings = [(t, by, r) for t in TRUST if t != 1.0 for r in tried]
    found.update(zip(settings, values(settings), strict=True))
    trust, by, e = max(found, key=found.__getitem__)
    every, setting = range(judged.n_folds), [(trust, by, e)]
    rates = np.full(len(grade), e)
    c = held_out_same(logs, judged, setting, rates[None], every)[0]
    for _ in range(2 if len(judged.names) > 1 else 0):
        rates = rates_of_judges(c, judged, e)[judged.judge]
        c = held_out_same(logs, judged, setting, rates[None], every)[0]
    value = log_likelihood(c, grade, rates) + log_prior(e)
    return Field(trust, by, rates, c, float(value))


def held_out_same(
    logs: Floats,
    judged: Judged,
    settings: Sequence[tuple[float, bool, float]],
    rates: Floats,
    folds: Sequence[int],
) -> Floats:
    """Return the probability that samples of held-out judgements are in one cluster.

    Shape (n_settings, n_pairs); NaN for judgements of other folds than `folds`.
    `rates`, (n_settings, n_pairs or 1), are error rates of judgements.
    """
    trust = np.array([t for t, _, _ in settings])
    by = np.array([[by] for _, by, _ in settings])
    strength = np.where(by, np.abs(judged.grade), 1.0)
    J = np.sign(judged.grade) * strength * np.log((1.0 - rates) / rates)
    given = judged.fold != np.array(folds)[:, None]
    unary = trust[:, None, None, None] * logs[list(folds)]
    fields = (J[:, None] * given).reshape(-1, len(judged.grade))
    flat = unary.reshape(-1, *unary.shape[2:])
    q = marginals(flat, judged.i, judged.j, fields).reshape(unary.shape)
    out = np.full((len(settings), len(judged.grade)), np.nan)
    for place, f in enumerate(folds):
        at = judged.fold == f
        out[:, at] = same(q[:, place], judged.i[at], judged.j[at])
    return out


def rates_of_judges(c: Floats, judged: Judged, common: float) -> Floats:
    """Return the error rate of each judge, with a prior at the rate of all."""
    rates = np.full(len(judged.names), common)
    prior = COMMON * (common * np.log(RATES) + (1.0 - common) * np.log(1.0 - RATES))
    for judge in range(len(rates)):
        mine = judged.judge == judge
        if mine.any():
            right = np.where(judged.grade[mine] > 0, c[mine], 1.0 - c[mine])
            e = RATES[:, None]
            logs = np.log(e + (1.0 - 2.0 * e) * right).sum(axis=1)
            rates[judge] = RATES[np.argmax(logs + prior)]
    return rates
