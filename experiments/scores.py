"""Scores of finished trials: means over draws and over sets, wins and losses."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.design import NO_PAIRS, SETS, half_of
from experiments.methods import METHODS

__all__ = ["Scores", "read_scores"]

# The method that gains and losses are counted against.
REFERENCE = "FCM"
# Points of normalised ARI by which two means over draws must differ to count.
TIE = 0.05


@dataclass(frozen=True)
class Scores:
    """Mean normalised ARI in percent at one point of the experiment.

    Attributes
    ----------
    means : mapping of method to mapping of set to float
        Over the draws that all methods of a set have.
    draws : mapping of set to int
        How many these are.
    """

    means: Mapping[str, Mapping[str, float]]
    draws: Mapping[str, int]

    @property
    def methods(self) -> list[str]:
        """Methods with a score, in the order of the table of methods."""
        return [name for name in METHODS if self.means.get(name)]

    @property
    def sets(self) -> list[str]:
        """Sets on which every method has a score, by size: means are over these."""
        return [
            name
            for name in SETS
            if self.methods and all(name in self.means[m] for m in self.methods)
        ]

    def halves(self) -> dict[str, list[str]]:
        """Return the sets of each half, and all."""
        halves = {
            half: [name for name in self.sets if half_of(name) == half]
            for half in ("chosen on", "reported on")
        }
        return {**halves, "all": self.sets}

    def mean(self, method: str, sets: Collection[str]) -> float:
        """Return the mean over some sets, nan if there are none."""
        scores = [self.means[method][name] for name in sets]
        return float(np.mean(scores)) if scores else float("nan")

    def gains(self, method: str) -> dict[str, float]:
        """Return by how much a method is above fuzzy c-means, by set."""
        alone, own = self.means.get(REFERENCE, {}), self.means[method]
        return {
            name: own[name] - alone[name] for name in SETS if name in own.keys() & alone
        }

    def wins(self, method: str) -> tuple[int, int]:
        """Return on how many sets a method is above and below fuzzy c-means."""
        gains = np.array(list(self.gains(method).values()))
        return int((gains > TIE).sum()), int((gains < -TIE).sum())

    def worst(self, method: str) -> tuple[str, float]:
        """Return the set of the largest loss against fuzzy c-means, and the loss."""
        gains = self.gains(method)
        if not gains:
            return "", float("nan")
        name = min(gains, key=gains.__getitem__)
        return name, gains[name]


def read_scores(
    lines: Iterable[Mapping[str, Any]], point: str, methods: Collection[str]
) -> Scores:
    """Return the scores of methods at a point, from the lines of trials.

    The last of several lines of one trial counts; failed trials have no score.
    """
    found: dict[str, dict[str, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for line in lines:
        method = line["method"]
        if line["point"] in (point, NO_PAIRS) and method in methods and "ari" in line:
            found[line["set"]][method][line["draw"]] = 100 * line["ari"]
    means: dict[str, dict[str, float]] = defaultdict(dict)
    draws = {}
    for name, by_method in found.items():
        # Methods without judgements alone do not make a point.
        if not any(METHODS[method].judged for method in by_method):
            continue
        common = set.intersection(*(set(scores) for scores in by_method.values()))
        draws[name] = len(common)
        for method, scores in by_method.items():
            if common:
                means[method][name] = float(
                    np.mean([scores[d] for d in sorted(common)])
                )
    return Scores(dict(means), draws)
