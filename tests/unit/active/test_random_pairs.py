"""Random pairs: all of them, once."""

import numpy as np
from sklearn.datasets import make_blobs

from fuzzypairs.active import Session


def test_every_pair_of_few_samples_is_asked_once():
    session = Session(np.arange(5.0)[:, None], 2, "random", refit_every=0)
    asked = set()
    while questions := session.pop():
        (question,) = questions
        asked.add(question.pair)
        session.mark(question.i, question.j, 0.0)

    assert len(asked) == session.n_answers == 10


def test_pairs_are_uniform_and_sides_are_exchanged():
    X, _ = make_blobs(6, random_state=0)
    counts = np.zeros((6, 6))
    for seed in range(150):
        (question,) = Session(X, 2, "random", seed, refit_every=0).pop()
        counts[question.i, question.j] += 1

    assert np.count_nonzero(counts) == 30  # every pair in both orders
    assert np.all(np.diag(counts) == 0)
