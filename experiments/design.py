"""The design of the experiment on judgements: sets, conditions, trials, one run."""

import os
import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from experiments.methods import METHODS, Problem
from fuzzypairs import PairSet, __version__, criteria
from fuzzypairs.datasets import available, describe, flip_pairs, load, simulate_pairs

__all__ = [
    "CONDITIONS",
    "FURTHER",
    "LARGE",
    "SETS",
    "WIDE",
    "Trial",
    "calibration_error",
    "half_of",
    "has_data",
    "judgements",
    "plan",
    "read_set",
    "run",
]

# The paper's sets, by number of samples (and by name where these are equal).
SETS = (
    "soybean", "zoo", "echocardiogram", "hepatitis", "wine", "seeds", "heartc",
    "ecoli", "dermatology", "australian", "credit", "phishing", "car", "segment",
    "waveform", "satimage", "twonorm", "letter", "shuttle",
)  # fmt: skip
LARGE = ("letter", "satimage", "shuttle")
# Further sets, with their numbers of rows: tables with columns f0, f1, ... and class in
# the folder `more` of FUZZYPAIRS_DATA.
FURTHER = {
    "brown": 186, "crabs": 200, "sonar": 208, "arrowhead": 211, "glass": 214,
    "newthyroid": 215, "votes": 232, "penguins": 344, "ionosphere": 351,
    "vehicle": 846, "vowel": 990, "texture": 1500,
}  # fmt: skip
# Wide sets, a group of their own: embeddings of texts, and pixels. Files of
# FUZZYPAIRS_DATA, of which `MOST_ROWS` rows are drawn.
WIDE = ("agnews", "snippets", "stackoverflow", "mnist5k")
# What is run on them.
WIDE_CONDITIONS = ("30", "100", "300", "1000", "3000")
WIDE_METHODS = ("k-means", "FDC", "GuidedFDC")


@dataclass(frozen=True)
class Condition:
    """How many judgements there are, and how many of them are wrong.

    Attributes
    ----------
    title : str
    ratio : float
        Judgements for each row.
    count : int or None
        Their number, instead.
    wrong : float
        The share of reversed ones.
    all_rows : bool
        Whether large sets are whole; with the paper's ratio of judgements then, and for
        the paper's sets and our method only.
    wide : bool
        Whether it is for wide sets only.
    """

    title: str
    ratio: float = 0.1
    count: int | None = None
    wrong: float = 0.0
    all_rows: bool = False
    wide: bool = False


CONDITIONS = {
    "30": Condition("30 judgements, all true", count=30),
    "0.1 m": Condition("0.1 for each row, all true: group (iv)"),
    "100": Condition("100, all true", count=100),
    "300": Condition("300, all true", count=300),
    "0.1 m, 10 % wrong": Condition("0.1 for each row, 10 % wrong", wrong=0.1),
    "0.1 m, 20 % wrong": Condition("0.1 for each row, 20 % wrong", wrong=0.2),
    "0.1 m, 30 % wrong": Condition("0.1 for each row, 30 % wrong", wrong=0.3),
    "100, 20 % wrong": Condition("100, 20 % wrong", count=100, wrong=0.2),
    "0.5 m": Condition("0.5 for each row, all true", ratio=0.5),
    "1 m": Condition("1 for each row, all true", ratio=1.0),
    "1 m, 10 % wrong": Condition("1 for each row, 10 % wrong", ratio=1.0, wrong=0.1),
    "2 m": Condition("2 for each row, all true", ratio=2.0),
    "2 m, 20 % wrong": Condition("2 for each row, 20 % wrong", ratio=2.0, wrong=0.2),
    "4 m": Condition("4 for each row, all true", ratio=4.0),
    "4 m, 10 % wrong": Condition("4 for each row, 10 % wrong", ratio=4.0, wrong=0.1),
    "i": Condition("0.05 for each row, all wrong: group (i)", ratio=0.05, wrong=1.0),
    "ii": Condition("0.1 for each row, half wrong: group (ii)", wrong=0.5),
    "iii": Condition("0.05 for each row, all true: group (iii)", ratio=0.05),
    "iv": Condition("group (iv) on whole sets, all true", all_rows=True),
    "1000": Condition("1000, all true", count=1000, wide=True),
    "3000": Condition("3000, all true", count=3000, wide=True),
}
# The method that others are compared with.
OURS = "GuidedFDC"
# The condition of methods that see no judgement.
NO_PAIRS = "none"
# Of larger sets so many rows are drawn, once.
MOST_ROWS = 1500
# Rows are predicted in so many parts, each by a fit to the others.
N_PARTS = 5


@dataclass(frozen=True)
class Trial:
    """What is fitted.

    Attributes
    ----------
    set : str
        Name of the data.
    condition : str
        One of `CONDITIONS`, or "none".
    draw : int
        Seeds the judgements and the starts.
    method : str
        A name in `METHODS`.
    """

    set: str
    condition: str
    draw: int
    method: str


def _file(name: str) -> Path:
    folder = Path(os.environ.get("FUZZYPAIRS_DATA", ""))
    if name in FURTHER:
        return folder / "more" / f"{name}.csv.gz"
    if name == "mnist5k":
        return folder / f"{name}.npz"
    return folder / "text" / f"{name}.npy"


def has_data(name: str) -> bool:
    """Tell whether the file of a set is here."""
    if name in FURTHER or name in WIDE:
        return _file(name).is_file()
    return name in available()


def half_of(name: str) -> str:
    """Return "chosen on" or "reported on": all sets by size belong to them in turn."""
    return ("chosen on", "reported on")[_by_size().index(name) % 2]


@lru_cache(maxsize=1)
def _by_size() -> list[str]:
    sizes = {name: describe(name).n_samples for name in SETS} | FURTHER
    return sorted(sizes, key=lambda name: (sizes[name], name))


def read_set(name: str, most: int | None = MOST_ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, at most so many, and classes from 0.

    They are standardised, but for wide sets.
    """
    if name in WIDE:
        return _wide_set(name, most)
    if name in FURTHER:
        table = pd.read_csv(_file(name))
        X, y = table.drop(columns="class").to_numpy(float), table["class"].to_numpy()
    else:
        loaded = load(name, scale=True)
        X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:most])
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def _wide_set(name: str, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of a wide set as they are, at most so many, and classes from 0."""
    if name == "mnist5k":
        with np.load(_file(name)) as found:
            X, y = found["features"] / 255.0, found["class"]
    else:
        X = np.load(_file(name)).astype(float)
        y = pd.read_csv(_file(name).with_suffix(".csv.gz"))["class"].to_numpy()
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:most])
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def judgements(
    X: np.ndarray,
    y: np.ndarray,
    condition: str,
    draw: int,
    paper_ratio: Literal["fifth"] | None = None,
) -> tuple[PairSet, PairSet]:
    """Return the true judgements of a draw, and those given.

    `paper_ratio` is what the paper takes instead of 0.1 for each row.
    """
    if condition == NO_PAIRS:
        return PairSet.empty(len(X)), PairSet.empty(len(X))
    how, n = CONDITIONS[condition], len(X)
    ratio: float | Literal["fifth"] = paper_ratio or how.ratio
    if how.count is not None:
        ratio = min(how.count / n, (n - 1) / 2)
    true = simulate_pairs(X, y, "iv", random_state=1000 + draw, ratio=ratio)
    if how.wrong == 1.0:
        return true, PairSet(true.i, true.j, -true.grade, n)
    return true, flip_pairs(true, how.wrong, random_state=draw) if how.wrong else true


def plan(
    sets: Collection[str],
    conditions: Collection[str],
    methods: Collection[str],
    draws: int,
) -> list[Trial]:
    """List trials draw by draw, so that an interrupted run has whole draws."""
    trials = [
        Trial(name, condition if METHODS[method].judged else NO_PAIRS, draw, method)
        for draw in range(draws)
        for name in sets
        for condition in conditions
        for method in methods
        if _is_run(name, condition, method)
    ]
    return list(dict.fromkeys(trials))


# The conditions that slow methods are run in.
COMPARED = ("30", "0.1 m", "100", "0.1 m, 20 % wrong")
# Those with many judgements, which only ours are run in.
MANY = (
    "0.5 m", "1 m", "1 m, 10 % wrong", "2 m", "2 m, 20 % wrong", "4 m",
    "4 m, 10 % wrong",
)  # fmt: skip


def _is_run(name: str, condition: str, method: str) -> bool:
    """Tell whether a method is run on a set in a condition."""
    how = CONDITIONS[condition]
    if name in WIDE:
        return method in WIDE_METHODS and condition in WIDE_CONDITIONS
    if how.all_rows:
        return method == OURS and name in SETS
    if condition in MANY and METHODS[method].judged:
        return method in ("FDC", OURS)
    return not how.wide and (METHODS[method].everywhere or condition in COMPARED)


def run(trial: Trial) -> dict[str, Any]:
    """Fit and score a trial; return its line.

    A method that fails does not end the experiment: its line holds the error.
    """
    whole = trial.condition != NO_PAIRS and CONDITIONS[trial.condition].all_rows
    X, y = _data(trial.set, None if whole else MOST_ROWS)
    method = METHODS[trial.method]
    # Rows that only a prediction sees: each fifth once, so that all rows are scored.
    order = np.random.default_rng(trial.draw).permutation(len(X))
    parts = np.array_split(order, N_PARTS) if method.new_rows else [order[:0]]
    line: dict[str, Any] = {**asdict(trial), "version": __version__}
    fewer = describe(trial.set).pair_ratio if whole else None
    wrong = CONDITIONS[trial.condition].wrong if method.judged else 0.0
    found, truths = [], []
    start = time.process_time()
    for part in parts:
        rest = np.ones(len(X), dtype=bool)
        rest[part] = False
        true, given = judgements(X[rest], y[rest], trial.condition, trial.draw, fewer)
        problem = Problem(X[rest], y[rest], given, trial.draw, wrong, X[part])
        try:
            # One thread: trials run side by side instead.
            with threadpool_limits(1), warnings.catch_warnings():
                # Vanished clusters and the like show in the scores.
                warnings.simplefilter("ignore")
                found.append(method.fit(problem))
        except Exception as error:  # the other methods may still run
            return {**line, "error": f"{type(error).__name__}: {error}"[:200]}
        truths.append(y[part] if method.new_rows else y)
    line["seconds"] = round(time.process_time() - start, 3)
    aris = [
        criteria.normalized_ari(truth, one.labels)
        for one, truth in zip(found, truths, strict=True)
    ]
    line["ari"] = round(100 * float(np.mean(aris)), 3)
    memberships = [one.memberships for one in found if one.memberships is not None]
    if memberships:
        line["calibration"] = round(calibration_error(memberships, truths), 4)
    reliability = found[0].reliability
    if reliability is not None and not method.new_rows:
        is_wrong = np.sign(true.grade) != np.sign(given.grade)
        known = ~np.isnan(reliability)
        if 0 < is_wrong[known].sum() < known.sum():
            doubt = -reliability[known]
            line["auc"] = round(float(roc_auc_score(is_wrong[known], doubt)), 4)
    return line


def calibration_error(
    memberships: Sequence[np.ndarray], classes: Sequence[np.ndarray]
) -> float:
    """Return the expected calibration error of the largest membership, ten bins.

    In each part of the rows clusters are matched to classes so that most are right.
    """
    error = np.zeros(10)
    for U, y in zip(memberships, classes, strict=True):
        labels, certainty = U.argmax(axis=1), U.max(axis=1)
        counts = np.zeros((max(y.max(), labels.max()) + 1,) * 2)
        np.add.at(counts, (y, labels), 1.0)
        matched = linear_sum_assignment(-counts.T)[1]
        gap = certainty - (matched[labels] == y)
        error += np.bincount((10 * certainty).astype(int).clip(0, 9), gap, 10)
    return float(np.abs(error).sum() / sum(map(len, classes)))


@lru_cache(maxsize=4)
def _data(name: str, most: int | None) -> tuple[np.ndarray, np.ndarray]:
    return read_set(name, most)
