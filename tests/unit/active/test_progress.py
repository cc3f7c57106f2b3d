"""What more answers would buy."""

import numpy as np
from sklearn.datasets import make_blobs

from fuzzypairs import PairSet
from fuzzypairs.active import Session

X, Y = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)


def hint_of(pairs):
    return Session(X, 3, pairs=pairs, refit_every=0).stop_hint()


def test_few_answers_say_go_on():
    hint = hint_of([(0, 1, 1.0), (0, 2, -1.0)])

    assert hint.worth_asking
    assert np.isnan(hint.gain)
    assert "too few" in hint.message


def test_clusters_that_agree_with_all_answers_need_no_more():
    hint = hint_of(PairSet.from_labels(Y, n_pairs=60, random_state=0))

    assert hint.agreement == 1.0
    assert hint.gain == 0.0
    assert hint.interval == (0.0, 0.0)
    assert not hint.worth_asking
    assert "unlikely to change much" in hint.message


def test_random_answers_have_a_wide_interval_around_no_gain():
    rng = np.random.default_rng(0)
    noise = rng.integers(3, size=len(Y))
    hint = hint_of(PairSet.from_labels(noise, n_pairs=60, random_state=0))

    low, high = hint.interval
    assert low <= hint.gain <= high
    assert low < 0.05
    assert hint.agreement < 0.8
