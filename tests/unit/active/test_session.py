"""A session: what is asked, answered, taken back and fitted."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.active import STRATEGIES, Session
from fuzzypairs.exceptions import PairsError

X, Y = make_blobs(60, centers=3, cluster_std=1.0, random_state=4)


def answer(session, n_questions, grade=lambda same: 1.0 if same else -1.0):
    asked = []
    for _ in range(n_questions):
        for question in session.pop():
            same = Y[question.i] == Y[question.j]
            session.mark(question.i, question.j, grade(same))
            asked.append(question)
    return asked


def test_three_samples_have_three_questions():
    session = Session([[0.0], [1.0], [5.0]], n_clusters=2)
    asked = [session.pop()[0] for _ in range(3)]

    assert {q.pair for q in asked} == {(0, 1), (0, 2), (1, 2)}
    assert session.pop() == []
    assert session.pop(5) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
class TestEveryStrategy:
    def test_answers_are_true_distinct_and_as_many_as_asked(self, strategy):
        session = Session(X, 3, strategy)
        asked = answer(session, 50)

        pairs = session.pairs
        assert len(asked) == len({q.pair for q in asked}) == len(pairs) == 50
        assert all(q.i != q.j and q.reason for q in asked)
        assert np.array_equal(pairs.similar, Y[pairs.i] == Y[pairs.j])

    def test_a_tenth_is_random(self, strategy):
        asked = answer(Session(X, 3, strategy, refit_every=0), 40)

        assert sum(q.is_random for q in asked) >= 4

    @pytest.mark.parametrize("reply", [0.3, 0.0, None, -1.0, 1.0])
    def test_a_constant_grader_ends_when_all_was_asked(self, strategy, reply):
        session = Session(X[:8], 3, strategy, refit_every=10)
        while questions := session.pop():
            session.mark(questions[0].i, questions[0].j, reply)

        assert session.n_answers == 28

    def test_unknown_number_of_clusters(self, strategy):
        assert len(answer(Session(X, None, strategy, refit_every=0), 12)) == 12

    def test_one_seed_asks_the_same(self, strategy):
        runs = [answer(Session(X, 3, strategy, 7), 15) for _ in range(2)]

        assert runs[0] == runs[1]

    def test_undo_asks_the_same_pair_again_or_another_open_one(self, strategy):
        session = Session(X, 3, strategy, refit_every=0)
        answer(session, 7)
        before = session.pairs
        answer(session, 1)

        taken_back = session.undo()

        assert taken_back.grade in (-1.0, 1.0)
        assert session.pairs == before
        assert len(answer(session, 5)) == 5
        assert len(session.pairs) == 12


def test_prefetched_questions_are_distinct_and_answered_in_any_order():
    session = Session(X, 3)
    questions = session.pop(4)
    for question in reversed(questions):
        session.mark(question.i, question.j, -0.5)

    assert len({q.pair for q in questions}) == len(session.pairs) == 4
    assert answer(session, 10)


def test_undo_of_nothing():
    session = Session(X, 3, pairs=[(0, 1, 0.5)])

    assert session.undo() is None
    assert len(session.pairs) == 1  # what was given stays


def test_skipped_questions_are_not_asked_again():
    session = Session(X[:4], 2, refit_every=0)
    asked = answer(session, 10, grade=lambda same: None)

    assert len(asked) == 6
    assert len(session.pairs) == 0


def test_repeats_exchange_sides_and_are_averaged():
    session = Session(X, 3, refit_every=0, repeats=0.5)
    asked = answer(session, 40)

    again = [q for q in asked if "before" in q.reason]
    assert 10 <= len(again) <= 30
    assert len(session.pairs) == len({q.pair for q in asked}) == 40 - len(again)


def test_judgements_from_before_are_not_asked():
    known = [(i, j, -1.0) for i in range(6) for j in range(i) if (i, j) != (5, 0)]
    session = Session(X[:6], 2, pairs=known, refit_every=0)

    assert [q.pair for q in session.pop(5)] == [(0, 5)]


def test_the_model_follows_the_answers():
    session = Session(X, 3, refit_every=5)
    first = session.model_
    answer(session, 5)

    assert isinstance(first, GuidedFDC)
    assert session.model_ is not first
    assert session.fit() is session.model_
    assert session.model_.memberships_.shape == (60, 3)


def test_the_hint_is_the_verdict_of_a_fit_to_all_answers():
    session = Session(X, 3)
    assert session.stop_hint().worth_asking
    answer(session, 40)

    hint, verdict = session.stop_hint(), session.fit().verdict_
    assert hint.n_answers == 40
    assert hint.agreement == verdict.with_judgements.share
    assert hint.worth_asking == verdict.worth_asking
    assert hint.message == " ".join(verdict.sentences)


def test_fits_in_the_background_end_in_the_model():
    session = Session(X, 3, in_background=True)
    first = session.model_
    answer(session, 5)
    session._fitting.result()
    session.pop()

    assert session.model_ is not first


def test_use_refuses_a_model_of_other_rows():
    with pytest.raises(ValueError, match="model was fitted to 50 rows but X has 60"):
        Session(X, 3).use(GuidedFDC(3).fit(X[:50]))


@pytest.mark.parametrize("model", [GuidedFDC(3), "auto", None])
def test_use_refuses_what_is_no_fitted_model(model):
    with pytest.raises(TypeError, match=r"model is a .* without memberships_"):
        Session(X, 3).use(model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "best"}, 'strategy must be one of "auto"'),
        ({"n_clusters": 1}, "n_clusters must be 2 or more"),
        ({"repeats": 1.0}, "repeats must be finite, 0 or more and below 1"),
        ({"refit_every": -1}, "refit_every must be 0 or more"),
    ],
)
def test_bad_parameters_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        Session(X, **{"n_clusters": 3, **change})


def test_bad_answers_are_named_and_nothing_is_kept():
    session = Session(X, 3)
    with pytest.raises(PairsError, match=r"1\.5"):
        session.mark(0, 1, 1.5)
    with pytest.raises(PairsError, match="60"):
        session.mark(0, 60, 1.0)
    with pytest.raises(PairsError, match="itself"):
        session.mark(3, 3, 1.0)

    assert session.n_answers == 0


def test_a_large_pool_is_sampled():
    rng = np.random.default_rng(0)
    session = Session(rng.normal(size=(12_000, 2)), 2, refit_every=0)

    assert len(session._questions.pool.candidates) == 10_000
    assert len(answer_any(session, 5)) == 5


def answer_any(session, n_questions):
    return [q for _ in range(n_questions) for q in session.pop()]


def test_answers_agree_with_a_pairset():
    session = Session(X, 3, refit_every=0)
    session.mark(5, 2, 0.5)
    session.mark(2, 5, 1.0)
    session.mark(1, 0, 0.0)

    assert session.pairs == PairSet([2, 0], [5, 1], [0.75, 0.0], 60)
