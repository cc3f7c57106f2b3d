import os
import re
import sys

import pytest

from fuzzypairs.plots import new_figure, plot_objective
from fuzzypairs.report import Card, Picture, Section, Table, write_report
from fuzzypairs.report.html import counted, cut, percent
from pages import Page


def page_of(tmp_path, *sections, title="Title", lead="Lead."):
    path = tmp_path / "report.html"
    write_report(path, title=title, lead=lead, sections=sections)
    return Page.read(path)


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
    # Labels of a picture are text, which can be searched and copied.
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


def test_broad_pictures_are_moved_rather_than_shrunk(tmp_path):
    figures = [new_figure((inches, 2.0)) for inches in (6.4, 11.0)]
    for figure in figures:
        figure.subplots()
    sections = [Section("One", picture=Picture(each, alt="")) for each in figures]
    page = page_of(tmp_path, *sections)

    assert [figure.get("class") for figure in page.named("figure")] == [None, "broad"]


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


def test_a_page_needs_no_network_and_runs_nothing(tmp_path):
    picture = Picture(plot_objective([2.0, 1.0]).figure, alt="falls")
    page = page_of(tmp_path, Section("Head", picture=picture))

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

        def get_layout_engine(self):
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


def test_a_long_table_is_cut_to_its_first_rows():
    table = Table(["a", "b"], [[1, "x"], [2, "y"], [3, "z"]], "Caption", numeric=[1])

    short = table.first(2)
    assert short == Table(["a", "b"], [[1, "x"], [2, "y"]], "Caption", 1, [1])
    assert table.first() == table


def test_names_shares_and_numbers_as_text():
    assert cut("a" * 40) == "a" * 40
    assert cut("a" * 41) == "a" * 39 + "…"
    assert percent(0.123) == "12.3 %"
    assert counted(1, "row") == "1 row"
    assert counted(1200, "pass") == "1,200 passes"
    assert counted(2, "row is", "rows are") == "2 rows are"
