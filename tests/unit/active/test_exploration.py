"""Neighbourhoods: scores by hand, and questions until all clusters are found."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs.active import Session
from fuzzypairs.active.exploration import Neighbourhoods, npu_score
from fuzzypairs.pairs.answer_groups import SAME


@pytest.mark.parametrize(
    ("probabilities", "score"),
    [
        ((0.5, 0.5), 0.6667),
        ((0.8, 0.2), 0.6016),
        ((0.2, 0.8), 0.6016),
        ((1 / 3, 1 / 3, 1 / 3), 0.7925),
        ((0.7, 0.2, 0.1), 0.8263),
        ((1.0, 0.0), 0.0),
    ],
)
def test_npu_score(probabilities, score):
    assert npu_score(np.array([probabilities]))[0] == pytest.approx(score, abs=5e-5)


def test_neighbourhoods():
    hoods = Neighbourhoods()
    hoods.add(3, None)
    hoods.add(5, 0)
    hoods.add(8, None)
    hoods.skip(1)

    assert hoods.members == [[3, 5], [8]]
    assert hoods.placed == {1, 3, 5, 8}


@pytest.mark.parametrize("strategy", ["explore-consolidate", "min-max", "npu"])
def test_exploring_finds_separated_clusters_with_the_first_samples(strategy):
    k = 4
    X, y = make_blobs(
        80, centers=10 * np.eye(k), cluster_std=0.1, random_state=0, n_features=k
    )
    session = Session(X, k, strategy, refit_every=0)
    seen = set()
    for _ in range(k * (k - 1) // 2):
        (question,) = session.pop()
        same = y[question.i] == y[question.j]
        session.mark(question.i, question.j, 1.0 if same else -1.0)
        seen |= {y[question.i], y[question.j]}

    assert seen == set(range(k))
    assert not session.pairs.similar.any()  # every question found a new cluster


@pytest.mark.parametrize("strategy", ["explore-consolidate", "min-max", "npu"])
def test_known_clusters_are_extended_by_one_representative(strategy):
    X, y = make_blobs(60, centers=3, cluster_std=0.3, random_state=2)
    session = Session(X, 3, strategy, refit_every=0)
    for _ in range(40):
        (question,) = session.pop()
        same = y[question.i] == y[question.j]
        session.mark(question.i, question.j, 1.0 if same else -1.0)

    alike = session.pairs.select(session.pairs.grade >= SAME)
    ends = np.bincount(np.concatenate([alike.i, alike.j]))
    assert ends.max() >= 5  # one sample stands for its cluster in most questions


def test_an_undecided_grader_opens_no_neighbourhood_without_end():
    X, _ = make_blobs(30, centers=3, random_state=0)
    session = Session(X, None, "explore-consolidate", refit_every=0)
    for _ in range(60):
        for question in session.pop():
            session.mark(question.i, question.j, 0.3)

    assert len(session.pairs) == 60
