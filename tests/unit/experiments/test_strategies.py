"""Questions at borders of clusters, and where models differ."""

import numpy as np
import pytest

from experiments.strategies import border_sample, describe, predicted_grades
from fuzzypairs import PairSet
from fuzzypairs.active import Session
from fuzzypairs.active.pool import Pool


def two_blobs(spread=(0.3, 0.3)):
    rng = np.random.default_rng(0)
    left = rng.normal([-5.0, 0.0], spread[0], size=(20, 2))
    right = rng.normal([5.0, 0.0], spread[1], size=(20, 2))
    return np.vstack([left, right, [[0.0, 0.0]]])


def test_the_sample_between_two_clusters_is_asked_first():
    X = two_blobs()
    session = Session(X, 2, "frontier", refit_every=0)

    first, second = session.pop(2)

    assert 40 in first.pair
    assert 40 in second.pair  # against typical samples of both clusters
    others = {*first.pair, *second.pair} - {40}
    assert len({other < 20 for other in others}) == 2


def test_the_wider_cluster_has_the_larger_volume():
    X = two_blobs((0.2, 1.0))[:40]
    U = np.repeat(np.eye(2), 20, axis=0)

    centers, volumes = describe(X, U)

    assert volumes[1] > volumes[0]
    assert np.allclose(centers, [X[:20].mean(axis=0), X[20:].mean(axis=0)])


def test_one_cluster_has_no_border():
    X = two_blobs()
    pool = Pool(X, 1, np.ones((41, 1)), np.arange(41), np.random.default_rng(0))

    assert border_sample(pool) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_predicted_grades_are_those_of_memberships(sign):
    rng = np.random.default_rng(1)
    U = rng.dirichlet(np.ones(3), size=8)
    pairs = PairSet.from_memberships(U, n_pairs=12, random_state=0)

    grades = predicted_grades(U, pairs.i, pairs.j)

    assert np.allclose(grades, pairs.grade)


def test_disagreement_asks_each_sample_once_in_a_batch():
    rng = np.random.default_rng(3)
    session = Session(rng.normal(size=(50, 2)), 4, "disagreement", refit_every=0)

    questions = session.pop(5)

    rows = [row for q in questions for row in q.pair]
    assert len(questions) == 5
    assert len(set(rows)) == 10
