"""Tables as text."""

import csv

from fuzzypairs.report import Table
from fuzzypairs.reproduction.formats import to_csv, to_latex, to_markdown

TABLE = Table(["data", "ARI"], [["R&D", "90.00±1.00"], ["a_b", "▲"]], "100 % ●")


def test_csv_can_be_read_again():
    text = to_csv(["a", "b"], [["x,y", 2.0**-8], ['"', None]])
    assert list(csv.reader(text.splitlines())) == [
        ["a", "b"], ["x,y", "0.00390625"], ['"', ""],
    ]  # fmt: skip


def test_markdown_has_the_caption_first():
    lines = to_markdown(TABLE).splitlines()
    assert lines[0] == "**100 % ●**"
    assert lines[2:] == ["| data | ARI |", "|---|---|", "| R&D | 90.00±1.00 |",
                         "| a_b | ▲ |"]  # fmt: skip


def test_latex_escapes_what_it_would_read():
    text = to_latex(TABLE)
    assert r"\caption{100 \% $\bullet$}\\" in text
    assert r"R\&D & 90.00$\pm$1.00 \\" in text
    assert r"a\_b & $\blacktriangle$ \\" in text
