"""The design of the experiment on judgements: its points, its trials, one run."""

import time
import warnings
from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.methods import METHODS, Problem
from fuzzypairs import PairSet, __version__, criteria
from fuzzypairs.datasets import describe, flip_pairs, load, simulate_pairs

__all__ = [
    "AMOUNTS",
    "GROUPS",
    "LARGE",
    "SETS",
    "SHARES",
    "Trial",
    "half_of",
    "plan",
    "run",
]

# The paper's sets, by number of samples (and by name where these are equal).
SETS = (
    "soybean", "zoo", "echocardiogram", "hepatitis", "wine", "seeds", "heartc",
    "ecoli", "dermatology", "australian", "credit", "phishing", "car", "segment",
    "waveform", "satimage", "twonorm", "letter", "shuttle",
)  # fmt: skip
# These have fewer draws, and are not in the curves.
LARGE = ("letter", "satimage", "shuttle")

# Points of the experiment. The paper's groups of judgements; their number for each
# sample, all true; and the share of wrong ones among 0.1 for each sample. Groups (iii)
# and (iv) are points of the curves.
GROUPS = ("i", "ii", "iii", "iv")
AMOUNTS = {"n=0.02": 0.02, "iii": 0.05, "iv": 0.1, "n=0.2": 0.2, "n=0.5": 0.5}
SHARES = {"iv": 0.0, "wrong=0.1": 0.1, "wrong=0.2": 0.2, "wrong=0.3": 0.3}
# The point of methods that see no judgement.
NO_PAIRS = "none"


@dataclass(frozen=True)
class Trial:
    """What is fitted.

    Attributes
    ----------
    set : str
        Name of the data.
    point : str
        One of `GROUPS`, `AMOUNTS` or `SHARES`, or "none".
    draw : int
        Seeds the judgements and the starts.
    method : str
        A name in `METHODS`.
    how : str
        What the method was when it ran.
    """

    set: str
    point: str
    draw: int
    method: str
    how: str


def half_of(name: str) -> str:
    """Return "chosen on" or "reported on": sets by size belong to them in turn."""
    return ("chosen on", "reported on")[SETS.index(name) % 2]


def plan(
    sets: Collection[str],
    points: Collection[str],
    methods: Collection[str],
    draws: int,
    large_draws: int,
) -> list[Trial]:
    """List all trials, the long ones on large sets first.

    Several processes then end at about the same time.
    """
    trials = [
        Trial(
            name,
            point if METHODS[method].judged else NO_PAIRS,
            draw,
            method,
            METHODS[method].describe(),
        )
        for name in sorted(sets, key=SETS.index, reverse=True)
        for draw in range(large_draws if name in LARGE else draws)
        for point in points
        for method in methods
        if point in GROUPS or (METHODS[method].on_curves and name not in LARGE)
    ]
    return list(dict.fromkeys(trials))


def run(trial: Trial) -> dict[str, Any]:
    """Fit and score a trial; return its line.

    A method that fails does not end the experiment: its line holds the error.
    """
    X, y = _data(trial.set)
    problem = Problem(X, y, _pairs(trial.set, trial.point, trial.draw), trial.draw)
    line: dict[str, Any] = {**asdict(trial), "version": __version__}
    start = time.process_time()
    try:
        # One thread: trials run side by side instead.
        with threadpool_limits(1), warnings.catch_warnings():
            # Vanished clusters and the like show in the scores.
            warnings.simplefilter("ignore")
            labels, chosen = METHODS[trial.method].labels(problem)
    except Exception as error:  # the other methods may still run
        return {**line, "error": f"{type(error).__name__}: {error}"}
    held = criteria.pair_agreement(problem.pairs, labels)
    return {
        **line,
        "ari": round(criteria.normalized_ari(y, labels), 6),
        "nmi": round(criteria.nmi(y, labels), 6),
        "clusters": len(np.unique(labels)),
        "held": None if np.isnan(held) else round(held, 6),
        "chosen": chosen,
        "seconds": round(time.process_time() - start, 3),
    }


@lru_cache(maxsize=1)
def _data(name: str) -> tuple[np.ndarray, np.ndarray]:
    dataset = load(name, scale=True)
    return dataset.data, dataset.target


@lru_cache(maxsize=4)
def _pairs(name: str, point: str, draw: int) -> PairSet:
    """Draw judgements. One draw is the same for all methods, and nested by amount."""
    X, y = _data(name)
    if point == NO_PAIRS:
        return PairSet.empty(len(X))
    group: Any = point if point in GROUPS else "iv"
    # Large sets, for which the paper asks fewer, are in the groups only.
    usual = describe(name).pair_ratio
    ratio = usual if point in GROUPS else AMOUNTS.get(point, AMOUNTS["iv"])
    pairs = simulate_pairs(X, y, group, random_state=draw, ratio=ratio)
    return flip_pairs(pairs, SHARES.get(point, 0.0), random_state=draw)
