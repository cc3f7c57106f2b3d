import json
import os
import re
import sys

import numpy as np
import pytest

from fuzzypairs.plots import plot_objective
from fuzzypairs.report import (
    Card,
    Comparison,
    Picture,
    Section,
    Table,
    write_report,
)
from pages import Page

X = np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, 1.0]])
BEFORE = np.array([[0.1, 0.9], [0.2, 0.8], [0.6, 0.4], [0.5, 0.5]])
AFTER = np.array([[0.9, 0.1], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0]])
PAIRS = [(0, 2, 0.75), (0, 3, -0.25)]


def page_of(tmp_path, *sections, title="Title", lead="Lead."):
    path = tmp_path / "report.html"
    write_report(path, title=title, lead=lead, sections=sections)
    return Page.read(path)


@pytest.fixture
def both():
    return Comparison(X, PAIRS, BEFORE, AFTER, truth=[0, 0, 0, 1])


def test_a_page_holds_what_it_was_given(tmp_path):
    table = Table(["name", "share"], [["first", 0.5], ["second", 2]], "Shares")
    picture = Picture(plot_objective([2.0, 1.0]).figure, alt="falls", caption="Below.")
    page = page_of(tmp_path, Section("Head", ["One.", "Two."], picture, [table]))

    shown = [word for word in page.words if word]
    start, picture_ends = shown.index("Lead."), shown.index("Below.")
    assert shown[start - 1 : start + 4] == ["Title", "Lead.", "Head", "One.", "Two."]
    assert shown[picture_ends + 1 : -1] == [
        *("Shares", "name", "share", "first", "0.50", "second", "2"),
    ]
    # The picture's letters are text: they can be searched, and copied.
    assert "objective" in shown[start + 4 : picture_ends]
    assert [cell.get("class") for cell in page.named("td")] == [None, "number"] * 2
    assert page.drawn() == ["falls"]


def test_cards_and_what_was_left_out_are_shown(tmp_path):
    table = Table(["a"], [["1.5"]], n_more=1234, numeric=(0,))
    card = Card("Cluster 7", "●", "#0072B2", ["Seven rows."], table)
    page = page_of(tmp_path, Section("Head", cards=[card]))

    assert page.named("article") == [{"class": "card", "style": "--mark: #0072B2"}]
    shown = [word for word in page.words if word]
    assert shown[shown.index("●") : -1] == [
        *("●", "Cluster 7", "Seven rows.", "a", "1.5", "and 1,234 more"),
    ]
    assert page.named("td") == [{"class": "number"}]


def test_pictures_take_the_colours_and_letters_of_the_page():
    ax = plot_objective([2.0, 1.0])
    ax.set_title('<b> & id="m1" #000000 url(#x)')
    svg = Picture(ax.figure, alt="falls").svg("first")

    tags = "".join(re.findall("<[^>]*>", svg))
    assert "currentColor" in tags
    assert "#000000" not in tags
    assert "font-family" not in tags
    # What comes from data stays as it is.
    assert '&lt;b&gt; &amp; id="m1" #000000 url(#x)' in svg


def test_names_in_pictures_are_counted_under_a_prefix():
    first, again, other = (
        Picture(plot_objective([2.0, 1.0]).figure, alt="falls").svg(prefix)
        for prefix in ("a", "a", "b")
    )

    assert first == again
    names = re.findall(r' id="([^"]*)"', first)
    assert names
    assert len(names) == len(set(names))
    assert set(re.findall(r'#(a-\d+)[")]', first)) == set(names)
    assert set(names).isdisjoint(re.findall(r' id="([^"]*)"', other))


def test_letters_that_matplotlib_lacks_reach_the_page():
    ax = plot_objective([2.0, 1.0])
    ax.set_title("農")

    assert "農" in Picture(ax.figure, alt="falls").svg("first")


def test_a_page_needs_no_network_and_runs_nothing(tmp_path, both):
    page = page_of(tmp_path, *both.sections())

    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "iframe", "a"})
    for _, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on")]
        assert attrs.get("src", "data:").startswith("data:")
    style = next(word for word in page.words if "prefers-color-scheme" in word)
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert re.findall(r"url\(|@import|https?:", style) == []


def test_names_from_data_are_escaped(tmp_path):
    evil = "<script>alert('&')</script>"
    page = page_of(
        tmp_path,
        Section(evil, [evil], tables=[Table([evil], [[evil]], evil)]),
        title=evil,
        lead=evil,
    )

    assert page.named("script") == []
    # Title, heads of page and section, lead, paragraph, caption, column and cell.
    assert page.words.count(evil) == 8


def test_a_failed_page_leaves_the_old_one(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")

    class Broken:
        def get_figwidth(self):
            return 1

        def savefig(self, *args, **kwargs):
            raise RuntimeError("cannot draw")

    with pytest.raises(RuntimeError, match="cannot draw"):
        page_of(tmp_path, Section("Head", picture=Picture(Broken(), alt="")))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_cells_must_fill_the_columns():
    with pytest.raises(ValueError, match=r"rows\[1\] has 1 cells but .* 2 columns"):
        Table(["a", "b"], [[1, 2], [3]])


def test_without_jinja_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[cli\]'"):
        page_of(tmp_path)


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
        "The clusters hold 2 of 2 judgements, against 0 when fitted without them.",
        "Of 4 rows, 2 changed cluster.",
    ]
    assert both.scores().cells() == [
        ["normalised ARI", "33.3 %", "100.0 %"],
        ["NMI", "15.1 %", "100.0 %"],
        ["judgements held, by strength", "0.0 %", "100.0 %"],
        ["mean certainty", "40.0 %", "80.0 %"],
        ["judgements held", "0", "2"],
        ["judgements broken", "2", "0"],
        ["rows that changed cluster", "", "2"],
    ]
    assert both.certainties().rows[0] == [3, 0, 1, 0.0, 1.0]


def test_the_truth_may_be_unknown(tmp_path):
    both = Comparison(X, PAIRS, BEFORE, AFTER)

    assert "nmi" not in both.summary["with_pairs"]
    assert len(both.findings()) == 2
    assert both.scores().cells()[0] == [
        "judgements held, by strength",
        "0.0 %",
        "100.0 %",
    ]
    assert len(page_of(tmp_path, *both.sections()).drawn()) == 1


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
