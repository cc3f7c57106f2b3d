"""What memberships of rows with missing values are worth, by how they are found.

``python -m experiments.gaps FOLDER`` prints the figures of docs/analyst.md; FOLDER
holds ``penguins.csv.gz`` and ``crabs.csv.gz`` with standardised features and a class.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_blobs
from sklearn.preprocessing import scale

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.tables.features import N_DONORS
from fuzzypairs.tables.gaps import fill_by_donors

DRAWS = 12
# The share of rows that lose values, and how many of their values, in this order.
GAPPY = 0.3
LOST = (0.25, 0.5, 0.75, 1.0)
SETS = {"penguins": 3, "crabs": 2, "blobs": 4}


def read(name: str, folder: Path, rng: np.random.Generator) -> Any:
    """Return standardised features and the class that a judge has in mind."""
    if name == "blobs":
        X, y = make_blobs(
            400, 6, centers=4, cluster_std=2.5, random_state=int(rng.integers(2**31))
        )
        return scale(X), y
    frame = pd.read_csv(folder / f"{name}.csv.gz")
    y = frame.pop("class").to_numpy()
    # Crabs: the species, which judgements find and distances do not.
    return frame.to_numpy(), y // 2 if name == "crabs" else y


def partial(centers: Any, X: Any, known: Any) -> Any:
    """Return memberships of fuzzy c-means by distances over known values alone."""
    gap = np.where(known[:, None, :], X[:, None, :] - centers[None], 0.0)
    inverse = 1 / np.maximum((gap**2).sum(axis=2), 1e-12)
    return inverse / inverse.sum(axis=1, keepdims=True)


def losses(U: Any, y: Any, columns: Any) -> tuple[float, float]:
    """Return the share of right rows, and the Brier score, with clusters aligned."""
    aligned = U[:, columns]
    truth = np.eye(aligned.shape[1])[y]
    return (aligned.argmax(1) == y).mean(), ((aligned - truth) ** 2).sum(1).mean()


def run(name: str, folder: Path, seed: int, guided: bool) -> list[dict[str, Any]]:
    """Return the scores of one draw, a row for each way and share of lost values."""
    rng = np.random.default_rng(seed)
    X, y = read(name, folder, rng)
    k, (n, p) = SETS[name], X.shape
    rows = rng.permutation(n)[: int(GAPPY * n)]
    lost = np.resize(LOST, rows.size)
    known = np.ones((n, p), dtype=bool)
    for row, share in zip(rows, lost, strict=True):
        known[row, rng.permutation(p)[: round(share * p)]] = False
    median = np.nanmedian(np.where(known, X, np.nan), axis=0)
    filled = np.where(known, X, median)
    # Judges see whole rows.
    whole = np.flatnonzero(known.all(axis=1))
    labels = np.full(n, -1)
    labels[whole] = y[whole]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if guided:
            pairs = PairSet.from_labels(labels, n_pairs=60, random_state=seed)
            model: Any = GuidedFDC(k, random_state=seed).fit(filled, pairs=pairs)
        else:
            model = FDC(k, alpha=0, random_state=seed).fit(filled)
    U = model.predict_proba(filled)
    if U.shape[1] < k:
        U = np.column_stack([U, np.zeros((n, k - U.shape[1]))])
    counts = np.array([[(U[whole, c] * (y[whole] == g)).sum() for c in range(k)]
                       for g in range(k)])  # fmt: skip
    columns = linear_sum_assignment(-counts)[1]
    weights = getattr(model, "feature_weights_", None)
    weights = np.full(p, 1 / p) if weights is None else weights
    share = (known * weights).sum(axis=1, keepdims=True)
    donors = filled[rng.choice(whole, N_DONORS, replace=False)]
    spread = U[:, : model.n_clusters_].copy()
    spread[rows] = fill_by_donors(
        model.predict_proba, filled[rows], known[rows], donors
    )
    found = {
        "median": U,
        "mixed with 1/k": share * U + (1 - share) / k,
        "donors": np.pad(spread, ((0, 0), (0, k - spread.shape[1]))),
    }
    found["donors, mixed"] = share * found["donors"] + (1 - share) / k
    if not guided:
        found["partial distances"] = partial(model.cluster_centers_, filled, known)
    told = []
    for way, memberships in found.items():
        for part in LOST:
            at = rows[lost == part]
            right, brier = losses(memberships[at], y[at], columns)
            told.append({
                "model": "judgements" if guided else "no judgements", "set": name,
                "way": way, "lost": part, "right": right, "brier": brier,
                "certainty": memberships[at].max(axis=1).mean(), "draw": seed,
            })  # fmt: skip
    return told


def main(folder: Path) -> None:
    """Print means and standard errors over draws."""
    rows = [
        row
        for guided in (False, True)
        for name in SETS
        for seed in range(DRAWS)
        for row in run(name, folder, seed, guided)
    ]
    frame = pd.DataFrame(rows)
    keys = ["model", "set", "way", "lost"]
    table = frame.groupby(keys, sort=False)[["right", "certainty", "brier"]]
    print(table.mean().join(table.sem()["brier"].rename("se")).round(3).to_string())
    draws = frame.groupby(["model", "way", "draw"], sort=False)["brier"].mean()
    total = draws.groupby(["model", "way"], sort=False)
    print(pd.DataFrame({"brier": total.mean(), "se": total.sem()}).round(4).to_string())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
