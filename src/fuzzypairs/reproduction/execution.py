"""Execution of a run: fits from each of its starts, and their scores."""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from fuzzypairs import PairSet, criteria
from fuzzypairs.pairs.folds import hold_out
from fuzzypairs.reproduction.data import Benchmark, load_benchmark
from fuzzypairs.reproduction.methods import fit_method
from fuzzypairs.reproduction.runs import Result, Run

__all__ = ["EXAMPLES", "perform"]

N_FOLDS = 4
# Images that the paper shows memberships of, as it counts them, from 1.
EXAMPLES = (45, 56, 75, 180, 53, 1, 150)


def perform(run: Run) -> Result:
    """Fit and score; a method that cannot take the data says so under "refused".

    Examples
    --------
    >>> from fuzzypairs.reproduction.execution import perform
    >>> from fuzzypairs.reproduction.runs import Run
    >>> perform(Run("wine", "", 0, "fcm", last=2))["nari"]
    [0.948747, 0.948747]
    """
    benchmark = load_benchmark(run.dataset, run.group, run.draw)
    score = _score_held_out if run.held_out else _score
    with warnings.catch_warnings():
        # Vanished clusters and the like are expected at the ends of a grid.
        warnings.simplefilter("ignore")
        try:
            starts = range(run.first, run.last)
            scores = [score(benchmark, run, start) for start in starts]
        except MemoryError as error:
            return {"refused": str(error)}
    return {name: [one[name] for one in scores] for name in scores[0]}


def _score_held_out(benchmark: Benchmark, run: Run, start: int) -> dict[str, Any]:
    """Return the mean balanced agreement with held-out judgements over the folds."""
    agreements = []
    for train, test in _folds(benchmark.pairs):
        if len(test):  # the smallest datasets have fewer judgements than folds
            model = fit_method(
                run.method, benchmark, train, run.point, start, usual=True
            )
            agreements.append(
                criteria.pair_agreement(test, model.labels_, method="balanced")
            )
    return {"agreement": round(float(np.mean(agreements)), 6)}


@lru_cache(maxsize=4)
def _folds(pairs: PairSet) -> tuple[tuple[PairSet, PairSet], ...]:
    """Split judgements into folds by groups: what to fit with, what to score by."""
    folds = hold_out(pairs, N_FOLDS, 1, np.random.default_rng(0))
    return tuple((train, folds.pairs.select(test)) for train, test in folds.splits)


def _score(benchmark: Benchmark, run: Run, start: int) -> dict[str, Any]:
    """Compare one fit with the truth and with the judgements."""
    model = fit_method(run.method, benchmark, benchmark.pairs, run.point, start)
    classes, labels, truth = benchmark.classes, model.labels_, benchmark.memberships
    scores: dict[str, Any] = {
        "nari": criteria.normalized_ari(classes, labels),
        "nmi": criteria.nmi(classes, labels),
        "clusters": len(np.unique(labels)),
    }
    if len(benchmark.pairs):
        scores["held"] = criteria.pair_agreement(benchmark.pairs, labels)
    if truth is not None:
        scores["acc"] = criteria.rand_index(classes, labels)
        U = getattr(model, "memberships_", None)
        if U is not None:
            rows = np.array(EXAMPLES) - 1
            scores["mahd"] = criteria.mahd(truth, U)
            scores["lia"] = criteria.lia(truth, U)
            scores["examples"] = criteria.align_clusters(truth, U)[rows]
    return {name: _rounded(value) for name, value in scores.items()}


def _rounded(value: Any) -> Any:
    """Return numbers as lines store them."""
    if isinstance(value, float):
        return round(value, 6)
    return value if isinstance(value, int) else value.round(6).tolist()
