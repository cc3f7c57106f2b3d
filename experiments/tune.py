"""Whether choosing the number of clusters loses to a fit that is told it.

``python -m experiments.tune crabs`` groups the crabs as judges see them (by kind,
by sex, and by both) and compares; ``python -m experiments.tune sets`` does so on small
sets with their classes. Both print a table.
"""

import sys
import warnings

import numpy as np

from experiments.active import read_set
from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.criteria import hungarian_accuracy
from fuzzypairs.exceptions import FuzzyPairsWarning

__all__ = ["compare_told"]

PAIRS = 60
CLUSTERS = [2, 3, 4, 5]
# Sets of `sets`, where up to eight clusters are tried.
SMALL = ("penguins", "wine", "seeds", "newthyroid", "glass", "ecoli", "dermatology",
         "zoo", "heartc", "brown")  # fmt: skip


def compare_told(X: Floats, meant: Labels, n_draws: int, clusters: list[int]) -> Floats:
    """Return the accuracy of fits told k, and of fits that choose it, (n_draws, 2).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    meant : ndarray of shape (n_samples,)
        The groups that the judge has in mind.
    n_draws : int
        Draws of judgements, by consecutive seeds.
    clusters : list of int
        Numbers to choose from.
    """
    found = []
    for seed in range(n_draws):
        pairs = PairSet.from_labels(meant, n_pairs=PAIRS, random_state=seed)
        # The same starts for both: fits of many clusters depend on them.
        models = [
            GuidedFDC(numbers, random_state=seed).fit(X, pairs=pairs)
            for numbers in (len(np.unique(meant)), clusters)
        ]
        found.append([hungarian_accuracy(meant, model.labels_) for model in models])
    return np.array(found)


def main(what: str, n_draws: int) -> None:
    """Print the table of one comparison."""
    warnings.simplefilter("ignore", FuzzyPairsWarning)
    if what == "crabs":
        X, y = read_set("crabs")
        judges = {"kind": y // 2, "sex": y % 2, "kind and sex": y}
        problems = [(name, X, meant, CLUSTERS) for name, meant in judges.items()]
    else:
        problems = [(name, *read_set(name), list(range(2, 9))) for name in SMALL]
    means = []
    for name, X, meant, clusters in problems:
        found = 100 * compare_told(X, meant, n_draws, clusters)
        mean = found.mean(axis=0)
        means.append(mean)
        error = found.std(axis=0, ddof=1) / np.sqrt(n_draws)
        print(
            f"{name}: told k {mean[0]:.1f} +/- {error[0]:.1f}, "
            f"chosen {mean[1]:.1f} +/- {error[1]:.1f}",
            flush=True,
        )
    print("mean", np.mean(means, axis=0).round(1))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6)
