"""The experiment on strategies: graders, the bar, tables."""

import numpy as np
import pytest

from experiments import active
from experiments.active import GRADERS, Dialogue, Grader, questions_to, tables


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([70.0, 80.0, 90.0], "40"),  # half way from 30 to 50
        ([90.0, 90.0, 90.0], "<= 10"),
        ([70.0, 70.0, 71.0], "> 50"),
    ],
)
def test_questions_to_the_bar_are_interpolated(means, expected):
    assert questions_to([10, 30, 50], np.array(means), 85.0) == expected


def test_graders_are_wrong_lenient_and_skip_as_often_as_they_should():
    rng = np.random.default_rng(0)

    def answers(grader):
        return [grader.answer(False, rng) for _ in range(2000)]

    assert all(-1.0 <= grade < 0.0 for grade in answers(GRADERS["exact"]))
    assert np.mean(np.array(answers(Grader(wrong=0.1))) > 0) == pytest.approx(
        0.1, abs=0.02
    )
    assert np.mean(answers(Grader(shift=0.3))) == pytest.approx(-0.45, abs=0.02)
    skipped = [grade is None for grade in answers(Grader(skips=0.2))]
    assert np.mean(skipped) == pytest.approx(0.2, abs=0.03)


def test_a_short_dialogue_is_scored_at_its_budgets(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + 4.0 * y[:, None]
    monkeypatch.setattr(active, "read_set", lambda name: (X, y))
    line = active.run(Dialogue("blobs", "auto", "exact", 0, 25))

    assert list(line["ari"]) == [10, 25]
    assert line["ari"][25] > 95.0


def test_tables_compare_with_random_pairs():
    lines = [
        {"set": name, "strategy": strategy, "grader": "exact", "seed": 0,
         "version": "1a2b3c4", "ari": {"50": 70.0 + gain, "100": 80.0 + gain}}
        for name in ("a", "b")
        for strategy, gain in (("random", 0.0), ("auto", 5.0))
    ]  # fmt: skip
    text = tables(lines)

    assert "2 sets, 1 seeds, version 1a2b3c4" in text
    assert "| auto | 75.0 (+5.0 ± 0.0) | 85.0 (+5.0 ± 0.0) | 75 |" in text
