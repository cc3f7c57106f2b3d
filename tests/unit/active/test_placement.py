"""The default strategy: random pairs, then groups, then uncertain samples."""

import numpy as np

from fuzzypairs.active import Questions
from fuzzypairs.active.placement import FIRST

Y = np.arange(90) % 3
SHARP = np.eye(3)[Y]


def ask(questions, n):
    asked = []
    for _ in range(n):
        for question in questions.pop():
            asked.append(question)
            alike = Y[question.i] == Y[question.j]
            questions.mark(question.i, question.j, 1.0 if alike else -1.0)
    return asked


def test_random_pairs_come_first_and_as_long_as_there_is_no_model():
    questions = Questions(np.zeros((90, 0)), 3)
    assert all(q.is_random for q in ask(questions, FIRST + 10))
    questions.inform(SHARP)

    assert 2 <= sum(q.is_random for q in ask(questions, 20)) <= 6


def test_later_questions_compare_with_groups_and_place_most_rows():
    questions = Questions(np.zeros((90, 0)), 3)
    questions.inform(SHARP)
    ask(questions, FIRST)
    later = [q for q in ask(questions, 80) if not q.is_random]
    sizes = sorted(len(m) for m in questions.pool.groups().members.values())

    assert all(" cluster" in q.reason for q in later)
    # The model is right, so that the first cluster asked is mostly the one.
    assert np.mean([Y[q.i] == Y[q.j] for q in later]) > 0.8
    assert sum(sizes[-3:]) > 60


def test_all_of_many_clusters_are_found_with_few_questions():
    classes = np.arange(200) % 10
    questions = Questions(np.zeros((200, 0)), 10)
    questions.inform(np.eye(10)[classes])
    for _ in range(FIRST + 30):
        (question,) = questions.pop()
        alike = classes[question.i] == classes[question.j]
        questions.mark(question.i, question.j, 1.0 if alike else -1.0)
    groups = questions.pool.groups()
    found = groups.that_stand_for_clusters(10)

    assert {classes[c] for c in found} == set(range(10))


def test_an_uncertain_row_is_asked_first():
    U = SHARP.copy()
    U[50:] = [0.4, 0.3, 0.3]  # of the rows not asked, 40 of 63
    questions = Questions(np.zeros((90, 0)), 3)
    for i in range(0, 21, 3):  # two members of each cluster, judged by hand
        questions.mark(i, i + 3, 1.0)
        questions.mark(i + 1, i + 4, 1.0)
        questions.mark(i + 2, i + 5, 1.0)
    questions.mark(0, 1, -1.0)
    questions.mark(1, 2, -1.0)
    questions.mark(0, 2, -1.0)
    questions.inform(U)
    (question,) = questions.pop()

    assert max(question.pair) >= 50
    assert "uncertain" in question.reason


def test_several_questions_at_once_are_about_different_rows():
    questions = Questions(np.zeros((90, 0)), 3)
    questions.inform(SHARP)
    ask(questions, FIRST)
    asked = [q for q in questions.pop(6) if not q.is_random]
    judged = {row for members in questions.pool.groups().members.values()
              for row in members if len(members) > 1}  # fmt: skip
    fresh = [row for q in asked for row in q.pair if row not in judged]

    assert len({q.pair for q in asked}) == len(asked)
    assert len(set(fresh)) == len(fresh)


def test_some_questions_compare_placed_rows_again():
    questions = Questions(np.zeros((90, 0)), 3)
    questions.inform(SHARP)
    ask(questions, 60)
    n_compared, n_violated = questions.pool.groups().compare_answers(questions.pairs)

    assert n_compared >= 5
    assert n_violated == 0
