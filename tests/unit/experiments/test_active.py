"""The experiment on strategies: graders, the bar, tables."""

import numpy as np
import pytest

from experiments import active
from experiments.active import GRADERS, Dialogue, Grader
from experiments.active_pages import questions_to, tables, write_page
from experiments.pages import BEGIN, END


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


LINES = [
    {"set": name, "strategy": strategy, "grader": "exact", "seed": seed,
     "ari": {"50": 70.0 + gain, "100": 80.0 + gain}}
    for name in ("a", "b")
    for seed in (0, 1)
    for strategy, gain in (("random", 0.0), ("auto", 5.0))
]  # fmt: skip


def test_tables_compare_with_random_pairs():
    text = tables(LINES)

    assert "2 sets, 2 seeds." in text
    assert "| auto | 75.0 (+5.0 ± 0.0) | 85.0 (+5.0 ± 0.0) | 75 |" in text
    assert "| b | 70.0, 75.0 | 80.0, 85.0 |" in text


def test_strategies_with_other_numbers_of_seeds_are_named():
    assert "2 sets, 2 seeds of random, 1 seeds of auto." in tables(
        [x for x in LINES if x["strategy"] == "random" or x["seed"] == 0]
    )


def test_a_page_has_its_tables_and_its_picture(tmp_path):
    page, picture = tmp_path / "page.md", tmp_path / "page.png"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_page(LINES, page, picture)
    text = page.read_text()

    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "### Grader: exact" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
