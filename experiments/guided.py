"""How good GuidedFDC is, on the sets its constants were chosen on and on others.

The constants of `fuzzypairs.cluster.guided_fit` and `fuzzypairs.cluster.evidence` were
chosen on one half of the sets (``--half choose``); ``--half report`` is the other half.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from experiments.design import SETS
from fuzzypairs import FuzzyCMeans, GuidedFDC, PairSet
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import flip_pairs, load, simulate_pairs

__all__ = ["calibration_error", "halves", "run_set"]

# Further sets: tables with columns f0, f1, ... and class, in a folder of their own.
FURTHER = (
    "crabs", "penguins", "newthyroid", "glass", "brown", "sonar", "arrowhead",
    "ionosphere", "votes", "vehicle", "vowel", "texture",
)  # fmt: skip
# Number of judgements (None: 0.1 for each row), and the share of wrong ones.
CONDITIONS: dict[str, tuple[int | None, float]] = {
    "0.1 m": (None, 0.0),
    "30": (30, 0.0),
    "100": (100, 0.0),
    "0.1 m, 20 % wrong": (None, 0.2),
    "100, 20 % wrong": (100, 0.2),
    "0.1 m, half wrong": (None, 0.5),
    "0.1 m, all wrong": (None, 1.0),
}
# Of larger sets so many rows are drawn, once.
MOST_ROWS = 1500


def read_set(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised rows, at most `MOST_ROWS`, and classes from 0."""
    if name in FURTHER:
        table = pd.read_csv(folder / f"{name}.csv.gz")
        X, y = table.drop(columns="class").to_numpy(float), table["class"].to_numpy()
    else:
        loaded = load(name, scale=True)
        X, y = np.asarray(loaded.data, dtype=float), np.asarray(loaded.target)
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def halves(sizes: dict[str, int]) -> dict[str, list[str]]:
    """Divide sets, ordered by number of rows and name, into every second one."""
    names = sorted(sizes, key=lambda name: (sizes[name], name))
    return {"choose": names[::2], "report": names[1::2]}


def judgements(
    X: np.ndarray, y: np.ndarray, condition: str, draw: int
) -> tuple[PairSet, PairSet]:
    """Return the true judgements of a draw, and those given."""
    count, wrong = CONDITIONS[condition]
    n = len(X)
    ratio = None if count is None else min(count, n * (n - 1) // 2) / n
    true = simulate_pairs(X, y, "iv", random_state=1000 + draw, ratio=ratio)
    if wrong == 1.0:
        return true, PairSet(true.i, true.j, -true.grade, n)
    return true, flip_pairs(true, wrong, random_state=draw) if wrong else true


def calibration_error(U: np.ndarray, y: np.ndarray) -> float:
    """Return the expected calibration error of the largest membership, ten bins.

    Clusters are matched to classes so that most rows are right.
    """
    labels, certainty = U.argmax(axis=1), U.max(axis=1)
    counts = np.zeros((max(y.max(), labels.max()) + 1,) * 2)
    np.add.at(counts, (y, labels), 1.0)
    matched = linear_sum_assignment(-counts.T)[1]
    right = matched[labels] == y
    gap = pd.DataFrame({"bin": (10 * certainty).astype(int).clip(0, 9)})
    gap["gap"] = certainty - right
    return float(gap.groupby("bin")["gap"].sum().abs().sum() / len(y))


def run_set(
    name: str, X: np.ndarray, y: np.ndarray, draws: Sequence[int]
) -> Iterator[dict[str, object]]:
    """Yield a line for each condition and draw, and one without judgements."""
    k = len(np.unique(y))
    unguided: dict[str, Callable[[int], np.ndarray]] = {
        "k-means": lambda d: KMeans(k, n_init=10, random_state=d).fit(X).labels_,
        "FCM": lambda d: FuzzyCMeans(k, random_state=d).fit(X).labels_,
    }
    for draw in draws:
        for method, fit in unguided.items():
            ari = 100 * normalized_ari(y, fit(draw))
            yield {"set": name, "condition": method, "draw": draw, "ari": ari}
        for condition in CONDITIONS:
            true, given = judgements(X, y, condition, draw)
            model = GuidedFDC(k, random_state=draw).fit(X, pairs=given)
            line = {"set": name, "condition": condition, "draw": draw}
            line["ari"] = 100 * normalized_ari(y, model.labels_)
            line["ece"] = calibration_error(model.memberships_, y)
            wrong = np.sign(true.grade) != np.sign(given.grade)
            known = ~np.isnan(model.pair_reliability_)
            if 0 < wrong[known].sum() < known.sum():
                doubt = -model.pair_reliability_[known]
                line["auc"] = roc_auc_score(wrong[known], doubt)
            yield line


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one half of the sets and print means with standard errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["choose", "report"], required=True)
    parser.add_argument("--more", type=Path, help="folder of the further sets")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--out", type=Path, help="write lines as CSV as well")
    options = parser.parse_args(arguments)
    names = [*SETS, *(FURTHER if options.more else ())]
    sizes = {name: load(name).data.shape[0] for name in SETS} | {
        name: len(pd.read_csv(options.more / f"{name}.csv.gz"))
        for name in names[len(SETS) :]
    }
    lines: list[dict[str, object]] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in halves(sizes)[options.half]:
            X, y = read_set(name, options.more)
            lines += run_set(name, X, y, range(options.draws))
            print(name, flush=True)
            if options.out:
                pd.DataFrame(lines).to_csv(options.out, index=False)
    found = pd.DataFrame(lines)
    found["kind"] = np.where(found["set"].isin(FURTHER), "further", "paper")
    for kind, part in [("all", found), *found.groupby("kind")]:
        by_set = part.groupby(["condition", "set"])[["ari", "ece", "auc"]].mean()
        table = by_set.groupby("condition").mean()
        # Draws are repeated within sets: the error of the mean over these sets.
        spread = part.groupby(["condition", "set"])["ari"].sem().pow(2)
        table["se"] = spread.groupby("condition").sum().pow(0.5) / part["set"].nunique()
        order = ["k-means", "FCM", *CONDITIONS]
        print(kind, part["set"].nunique(), "sets")
        print(table.loc[order, ["ari", "se", "ece", "auc"]].round(3).to_string())


if __name__ == "__main__":
    main()
