"""Defaults on sets that no default was chosen on."""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.pages import markdown_table
from fuzzypairs import FDC, FuzzyCMeans, GuidedFDC
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import available, load, simulate_pairs

__all__ = ["score_set"]

SETS = ("iris", "breast_cancer", "digits", "penbased", "magic")
GROUPS: tuple[Literal["i", "ii", "iv"], ...] = ("iv", "ii", "i")
PAGE = Path(__file__).parents[1] / "docs" / "judgements" / "untouched.md"


def score_set(name: str, n_draws: int) -> dict[str, float]:
    """Return mean normalised ARI in percent of FCM, FDC and GuidedFDC, by group."""
    data = load(name, scale=True)
    X, y = data.data, data.target
    k = len(np.unique(y))
    scores: dict[str, list[float]] = {}

    def note(column: str, labels: Any) -> None:
        scores.setdefault(column, []).append(100 * normalized_ari(y, labels))

    for draw in range(n_draws):
        note("FCM", FuzzyCMeans(k, random_state=draw).fit(X).labels_)
        for group in GROUPS:
            pairs = simulate_pairs(X, y, group, random_state=draw)
            for estimator in (FDC, GuidedFDC):
                model = estimator(k, random_state=draw).fit(X, pairs=pairs)
                note(f"{estimator.__name__} ({group})", model.labels_)
    return {column: float(np.mean(values)) for column, values in scores.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Score every set that is here, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3, help="for each set (3)")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    names = [name for name in SETS if name in available()]
    found = {}
    with threadpool_limits(1, "blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            found[name] = score_set(name, options.draws)
            print(name, {title: round(v, 1) for title, v in found[name].items()})
    titles = list(found[names[0]])
    rows = [[name, *(f"{found[name][t]:.1f}" for t in titles)] for name in names]
    means = [np.mean([found[name][t] for name in names]) for t in titles]
    rows.append(["mean", *(f"{mean:.1f}" for mean in means)])
    head = ["set", *titles]
    text = (
        "# Judgements: sets that no default was chosen on\n\n"
        f"Normalised ARI in percent, means over {options.draws} draws of judgements. "
        "`python -m experiments.untouched` writes this page.\n\n"
    )
    table = markdown_table(head, rows)
    options.page.write_text(text + table + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
