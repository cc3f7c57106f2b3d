"""COBRAS: parts are split and merged as answers say."""

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from fuzzypairs.active import Session


def answer_all(session, y, n_questions):
    for _ in range(n_questions):
        for question in session.pop():
            same = y[question.i] == y[question.j]
            session.mark(question.i, question.j, 1.0 if same else -1.0)


def test_separated_blobs_need_few_questions_without_their_number():
    X, y = make_blobs(90, centers=10 * np.eye(3), cluster_std=0.1, random_state=0)
    session = Session(X, None, "cobras", refit_every=0)

    answer_all(session, y, 15)

    judged = np.unique(np.concatenate([session.pairs.i, session.pairs.j]))
    assert set(y[judged]) == {0, 1, 2}
    assert adjusted_rand_score(y, session.fit().labels_) == 1.0


def test_equal_rows_end():
    session = Session(np.zeros((6, 2)), 2, "cobras", refit_every=0)

    answer_all(session, np.zeros(6), 40)

    assert session.n_answers == 15  # random pairs take over until all were asked
    assert session.pop() == []
