"""Pictures and texts by their default features: how well judgements find classes.

``python -m experiments.items`` prints adjusted Rand indices, means over draws of rows
and of judgements with standard errors, of k-means on the same features and of
``fuzzypairs.analyse`` with judgements. The folder FUZZYPAIRS_DATA holds
``mnist5k.npz``, and ``text/NAME.csv.gz`` with the columns text and class.
"""

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import PairSet, analyse

__all__ = ["TASKS", "Task", "draw_rows", "run_task"]

DRAWS = 5


@dataclass(frozen=True)
class Task:
    """Items of a set, of which some are drawn, and numbers of judgements.

    Attributes
    ----------
    name : str
        Of the file: of texts, or ``mnist5k``.
    n_classes : int
        The classes that are drawn; all if there are not more.
    n_each : int or None
        Items of each class; None takes `n_rows` of all.
    n_rows : int or None
        None takes all.
    judgements : tuple of int
    """

    name: str
    n_classes: int
    n_each: int | None = None
    n_rows: int | None = None
    judgements: tuple[int, ...] = (0, 100)


TASKS = (
    Task("agnews", 4),
    Task("snippets", 8),
    Task("stackoverflow", 20),
    Task("stackoverflow", 10, n_each=40, judgements=(0, 40)),
    Task("mnist5k", 10, n_rows=1500, judgements=(0, 100, 1000)),
)


def draw_rows(task: Task, classes: Any, seed: int) -> Any:
    """Return the rows of a draw, in the order of the set."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(np.unique(classes))[: task.n_classes]
    rows = rng.permutation(np.flatnonzero(np.isin(classes, chosen)))
    if task.n_each is not None:
        each = [rows[classes[rows] == name][: task.n_each] for name in chosen]
        rows = np.concatenate(each)
    return np.sort(rows[: task.n_rows])


def read_items(task: Task, data: Path, folder: Path, seed: int) -> tuple[Any, Any, Any]:
    """Return items as a user has them, options that read them, and their classes."""
    if task.name == "mnist5k":
        with np.load(data / "mnist5k.npz") as file:
            values, classes = file["features"], file["class"]
        rows = draw_rows(task, classes, seed)
        (folder / "pictures").mkdir()
        for row in rows:
            grey = values[row].reshape(28, 28).astype(np.uint8)
            Image.fromarray(grey).save(folder / "pictures" / f"{row:05}.png")
        return folder / "pictures", {}, classes[rows]
    frame = pd.read_csv(data / "text" / f"{task.name}.csv.gz")
    rows = draw_rows(task, frame["class"].to_numpy(), seed)
    frame.iloc[rows].to_csv(folder / "texts.csv", index=False)
    told = {"text": "text", "drop": ["class"]}
    return folder / "texts.csv", told, frame["class"].to_numpy()[rows]


def run_task(task: Task, data: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the scores of one draw, a line for each method."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        items, told, classes = read_items(task, data, Path(name), seed)
        k = len(np.unique(classes))
        codes = pd.factorize(classes)[0]
        line = {"set": f"{task.name}, {len(codes)} in {k}", "draw": seed}
        for n in task.judgements:
            pairs = PairSet.from_labels(codes, n_pairs=n, random_state=seed)
            started = time.perf_counter()
            result = analyse(items, pairs if n else None, n_clusters=k, **told)
            if not n:
                means = KMeans(k, n_init=10, random_state=seed)
                found = means.fit_predict(result.rows.X.to_numpy())
                ari = adjusted_rand_score(codes, found)
                yield line | {"method": "k-means", "ari": ari}
            yield line | {
                "method": f"{n} judgements",
                "ari": adjusted_rand_score(codes, result.labels),
                "certainty": result.membership_matrix.max(axis=1).mean(),
                "seconds": time.perf_counter() - started,
            }


def main() -> None:
    """Print means and standard errors over draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    draws = parser.parse_args().draws
    data = Path(os.environ["FUZZYPAIRS_DATA"])
    for task in TASKS:
        lines = [line for seed in range(draws) for line in run_task(task, data, seed)]
        by = pd.DataFrame(lines).groupby(["set", "method"], sort=False)
        table = by[["ari", "certainty", "seconds"]].mean()
        table.insert(1, "se", by["ari"].sem())
        print(table.round(3).to_string(), flush=True)


if __name__ == "__main__":
    main()
