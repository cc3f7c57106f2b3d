import json

import numpy as np
import pytest

from fuzzypairs.report import Comparison, write_report
from pages import Page

X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, 1.0]])
BEFORE = np.array([[0.1, 0.9], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
AFTER = np.array([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0]])
PAIRS = [(0, 2, 0.75), (0, 3, -0.25)]


@pytest.fixture
def both():
    return Comparison(X, PAIRS, BEFORE, AFTER, truth=[0, 0, 0, 1])


def test_a_comparison_worked_by_hand(both):
    # Aligned, BEFORE puts rows 0 and 1 in cluster 0, row 2 in 1, and row 3 in 0, the
    # first of two equals. AFTER moves row 2 to cluster 0 and row 3 to 1.
    summary = both.summary

    assert [change["row"] for change in summary["rows_moved"]] == [2, 3]
    assert summary["rows_moved"][0] == {
        "row": 2,
        "cluster": [1, 0],
        "certainty": [pytest.approx(0.2), pytest.approx(0.6)],
    }
    most = [change["row"] for change in summary["certainty_changed_most"]]
    assert most == [3, 2, 1, 0]
    assert [pair["held"] for pair in summary["pairs"]] == [[False, True], [False, True]]
    assert summary["without_pairs"]["pairs_held"] == 0
    assert summary["with_pairs"]["pair_agreement"] == 1
    assert summary["with_pairs"]["mean_certainty"] == pytest.approx(0.8)
    assert summary["with_pairs"]["normalized_ari"] == 1


def test_a_comparison_says_what_it_found(both):
    # Before, one pair of rows is together on both sides, 1.5 by chance, 3 at most:
    # ARI = (1 - 1.5) / (3 - 1.5) = -1/3. Both sides split 3 to 1, so NMI = I / H with
    # I = (ln(8/9) + ln(4/3)) / 2 and H = ln 4 - 3/4 ln 3.
    assert both.findings() == [
        "With 2 graded pairs the normalised ARI against the true classes goes from "
        "33.3 % to 100.0 %.",
        "The clusters satisfy 2 of 2 judgements, against 0 when fitted without them.",
        "Of 4 rows, 2 changed cluster.",
    ]
    assert both.scores().cells() == [
        ["normalised ARI", "33.3 %", "100.0 %"],
        ["NMI", "15.1 %", "100.0 %"],
        ["judgements satisfied, by strength", "0.0 %", "100.0 %"],
        ["mean certainty", "40.0 %", "80.0 %"],
        ["judgements satisfied", "0", "2"],
        ["judgements violated", "2", "0"],
        ["rows that changed cluster", "", "2"],
    ]
    assert both.certainties().rows[0] == [3, 0, 1, 0.0, 1.0]


def test_the_truth_may_be_unknown(tmp_path):
    both = Comparison(X, PAIRS, BEFORE, AFTER)

    assert "nmi" not in both.summary["with_pairs"]
    assert len(both.findings()) == 2
    assert both.scores().cells()[0] == [
        "judgements satisfied, by strength",
        "0.0 %",
        "100.0 %",
    ]
    path = tmp_path / "report.html"
    write_report(path, title="Title", lead="Lead.", sections=both.sections())
    assert len(Page.read(path).drawn()) == 1


def test_long_lists_are_cut_on_the_page_but_not_in_the_summary():
    n_samples = 150
    data = np.arange(2.0 * n_samples).reshape(-1, 2)
    labels = np.arange(n_samples) % 2
    chain = [(row, row + 1, 0.5) for row in range(n_samples - 1)]
    both = Comparison(data, chain, np.eye(2)[labels], np.eye(2)[labels])

    _, _, judgements = both.sections()
    (table,) = judgements.tables
    assert len(table.rows) == 100
    assert table.n_more == 49
    assert len(both.summary["pairs"]) == 149


def test_a_summary_is_strict_json(both):
    assert json.loads(json.dumps(both.summary, allow_nan=False)) == both.summary


def test_clusters_that_vanished_keep_their_place():
    three = np.eye(3)[[0, 1, 2, 2]]

    both = Comparison(X, PAIRS, before=AFTER, after=three)

    assert both.before.shape == (4, 3)
    assert both.figure().axes[0].get_title(loc="left") == "Without pairs"
