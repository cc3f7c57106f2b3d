"""Whether a search for the number of clusters loses to a fit that is told it.

``python -m experiments.tune crabs`` groups the crabs as judges see them (by kind,
by sex, and by both) and compares; ``python -m experiments.tune sets`` does so on small
sets with their classes; ``python -m experiments.tune criteria`` compares two criteria
of the number; ``python -m experiments.tune wrong`` gives searches judgements
that are all wrong, and compares with fuzzy c-means. All print a table.
"""

import sys
import warnings

import numpy as np

from experiments.active import read_set
from experiments.design import LARGE, SETS
from fuzzypairs import FuzzyCMeans, GuidedFDC, PairSearchCV, PairSet
from fuzzypairs._typing import Floats, Labels
from fuzzypairs.criteria import hungarian_accuracy, normalized_ari
from fuzzypairs.exceptions import FuzzyPairsWarning

__all__ = ["compare_criteria", "compare_told", "compare_wrong"]

PAIRS = 60
CLUSTERS = [2, 3, 4, 5]
# Sets of `sets`, where up to eight clusters are tried.
SMALL = ("penguins", "wine", "seeds", "newthyroid", "glass", "ecoli", "dermatology",
         "zoo", "heartc", "brown")  # fmt: skip
# Sets of `criteria`, and the numbers it chooses from.
COMPARED = ("crabs", "glass", "zoo", "heartc", "dermatology", "wine")
SIX = [2, 3, 4, 5, 6, 7]


def compare_told(X: Floats, meant: Labels, n_draws: int, clusters: list[int]) -> Floats:
    """Return the accuracy of fits told k, and of searches, (n_draws, 2).

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
    k = len(np.unique(meant))
    found = []
    for seed in range(n_draws):
        pairs = PairSet.from_labels(meant, n_pairs=PAIRS, random_state=seed)
        # The same starts for both: fits of many clusters depend on them.
        told = GuidedFDC(k, random_state=seed).fit(X, pairs=pairs)
        grid = {"n_clusters": clusters}
        search = PairSearchCV(GuidedFDC(random_state=seed), grid, random_state=seed)
        search.fit(X, pairs=pairs)
        labels = (told.labels_, search.labels_)
        found.append([hungarian_accuracy(meant, own) for own in labels])
    return np.array(found)


def compare_criteria(X: Floats, y: Labels, seed: int, clusters: list[int]) -> Floats:
    """Return what the best number by each criterion gives, (2, 2).

    The criteria are squared errors of probabilities and balanced shares of satisfied
    judgements; columns are accuracy and normalised ARI.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    seed : int
    clusters : list of int
        Numbers to choose from.
    """
    pairs = PairSet.from_labels(y, n_pairs=PAIRS, random_state=seed)
    model = GuidedFDC(random_state=seed)
    grid = {"n_clusters": clusters}
    search = PairSearchCV(model, grid, random_state=seed, refit=False)
    found = search.fit(X, pairs=pairs).cv_results_
    rows = []
    for criterion in ("mean_test_score", "mean_agreement"):
        # Judgements no better than chance are not used; stability decides for both.
        score = found[criterion if search.uses_pairs_ else "mean_test_score"]
        k = clusters[int(np.nanargmax(score))]
        own = model.set_params(n_clusters=k).fit(X, pairs=pairs)
        scores = hungarian_accuracy(y, own.labels_), normalized_ari(y, own.memberships_)
        rows.append(scores)
    return np.array(rows)


def compare_wrong(X: Floats, y: Labels, seed: int) -> list[float]:
    """Return the normalised ARI of fuzzy c-means, and of a search misled.

    Both know the number of classes; all judgements of the search are wrong.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    seed : int
    """
    k = len(np.unique(y))
    right = PairSet.from_labels(y, n_pairs=PAIRS, random_state=seed)
    wrong = PairSet(right.i, right.j, -right.grade, len(y))
    alone = FuzzyCMeans(k, random_state=seed).fit(X)
    search = PairSearchCV(GuidedFDC(), {"n_clusters": [k]}, random_state=seed)
    search.fit(X, pairs=wrong)
    return [normalized_ari(y, own.memberships_) for own in (alone, search)]


def print_criteria(n_draws: int) -> None:
    """Print accuracy and normalised ARI by each criterion."""
    found = []
    for name in COMPARED:
        X, y = read_set(name)
        draws = [compare_criteria(X, y, seed, SIX) for seed in range(n_draws)]
        found.append(100 * np.mean(draws, axis=0))
        print(f"{name}: accuracy and ARI {found[-1].round(1).tolist()}", flush=True)
    print("mean", np.mean(found, axis=0).round(1).tolist())


def main(what: str, n_draws: int) -> None:
    """Print the table of one comparison."""
    warnings.simplefilter("ignore", FuzzyPairsWarning)
    if what == "criteria":
        print_criteria(n_draws)
        return
    if what != "wrong":
        if what == "crabs":
            X, y = read_set("crabs")
            judges = {"kind": y // 2, "sex": y % 2, "kind and sex": y}
            problems = [(name, X, meant, CLUSTERS) for name, meant in judges.items()]
        else:
            eight = list(range(2, 9))
            problems = [(name, *read_set(name), eight) for name in SMALL]
        means = []
        for name, X, meant, clusters in problems:
            found = 100 * compare_told(X, meant, n_draws, clusters)
            mean = found.mean(axis=0)
            means.append(mean)
            error = found.std(axis=0, ddof=1) / np.sqrt(n_draws)
            print(
                f"{name}: told k {mean[0]:.1f} +/- {error[0]:.1f}, "
                f"searched {mean[1]:.1f} +/- {error[1]:.1f}",
                flush=True,
            )
        print("mean", np.mean(means, axis=0).round(1))
        return
    rows = []
    for name in SETS:
        draws = range(1 if name in LARGE else n_draws)
        found = np.array([compare_wrong(*read_set(name), draw) for draw in draws])
        rows.append(100 * found.mean(axis=0))
        print(f"{name}: {rows[-1][0]:.1f} {rows[-1][1]:.1f}", flush=True)
    print("mean", np.mean(rows, axis=0).round(1))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6)
