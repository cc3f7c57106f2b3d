"""Piles of eight items against random pairs: how many answers reach the same clusters.

``python -m experiments.piles`` prints, for each set and share of wrong answers, the
normalised ARI in percent after 100 random pairs, and after numbers of piles.
"""

import argparse
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.active import CHOOSE, REPORT, read_set
from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.active import Questions
from fuzzypairs.active.item_sets import choose_items
from fuzzypairs.criteria import normalized_ari

BUDGETS = (5, 10, 15, 20, 30)
N_RANDOM, GRADE = 100, 0.75


def run(name: str, seed: int, wrong: float, n_items: int) -> tuple[float, ...]:
    """Return the score of random pairs, and those of piles at `BUDGETS`."""
    X, y = read_set(name)
    k = len(np.unique(y))
    rng = np.random.default_rng([seed, 2])

    def fit(pairs: PairSet) -> GuidedFDC:
        return GuidedFDC(k, random_state=seed).fit(X, pairs=pairs)

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = PairSet.from_labels(y, n_pairs=N_RANDOM, random_state=seed)
        flipped = np.where(rng.random(N_RANDOM) < wrong, -GRADE, GRADE) * pairs.grade
        pairs = PairSet(pairs.i, pairs.j, flipped, len(y))
        scores = [normalized_ari(y, fit(pairs).labels_)]
        questions = Questions(np.zeros((len(y), 0)), k, seed=seed)
        told: list[tuple[int, int, float, int]] = []
        for number in range(1, BUDGETS[-1] + 1):
            rows, _ = choose_items(questions.pool, n_items)
            # Somebody who is wrong about an item puts it into the pile of another one.
            piles = {
                row: y[rng.choice(rows)] if rng.random() < wrong else y[row]
                for row in rows
            }
            for one, other in combinations(rows, 2):
                grade = GRADE if piles[one] == piles[other] else -GRADE
                told.append((one, other, grade, number))
                questions.mark(one, other, grade)
            i, j, grades, answers = zip(*told, strict=True)
            if number in BUDGETS or number < BUDGETS[0] or number % 3 == 0:
                model = fit(PairSet(i, j, grades, len(y), answers=answers))
                questions.inform(model.memberships_)
                if number in BUDGETS:
                    scores.append(normalized_ari(y, model.labels_))
    return tuple(100 * score for score in scores)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", choices=["choose", "report"], default="choose")
    parser.add_argument("--n-sets", type=int, default=12)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--items", type=int, default=8)
    parser.add_argument("--wrong", type=float, nargs="*", default=[0.0, 0.12])
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    names = (CHOOSE if given.sets == "choose" else REPORT)[: given.n_sets]
    tasks = [(name, seed) for name in names for seed in range(given.draws)]
    heads = ("wrong", "set", f"random {N_RANDOM}", *(f"piles {n}" for n in BUDGETS))
    print(*heads, sep="\t")
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for wrong in given.wrong:
            work = partial(run, wrong=wrong, n_items=given.items)
            scores = np.array(list(pool.map(work, *zip(*tasks, strict=True))))
            by_set = scores.reshape(len(names), given.draws, -1).mean(axis=1)
            lines = [by_set.mean(axis=0), *by_set]
            for name, line in zip(("mean", *names), lines, strict=True):
                print(f"{wrong:g}", name, *(f"{s:.1f}" for s in line), sep="\t")


if __name__ == "__main__":
    main()
