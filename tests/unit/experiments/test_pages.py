"""Tables and curves, written from lines alone."""

import numpy as np

from experiments import pages
from experiments.design import AMOUNTS
from experiments.judgements import POINTS
from experiments.methods import METHODS, Method
from experiments.scores import read_scores


def test_pages_come_from_lines_alone(lines, page, monkeypatch):
    monkeypatch.setattr(Method, "labels", None)  # a fit would fail
    written = pages.write_pages(lines, list(METHODS), page)

    text = page.read_text()
    assert text.startswith("# Title\n")
    assert text.endswith(f"{pages.END}\n\nEnd.\n")
    assert "old" not in text
    assert "| GuidedFDC | **85.00** | **85.00** | **85.00** | 2 / 0 | none |" in text
    assert "| PCK-means | 75.00 | 75.00 | 75.00 | 0 / 2 | -5.00 (zoo) |" in text
    assert "![Curves](judgements/curves.png)" in text
    assert "Means over 2 sets of 2 draws (zoo, wine)." in text
    assert all(path.stat().st_size for path in written)
    assert {path.name for path in written} == {
        "judgements.md", "sets.md", "scores.csv", "curves.png", "curves.svg",
    }  # fmt: skip
    rows = (page.parent / "judgements" / "scores.csv").read_text().splitlines()
    assert rows[0] == "point,set,draws,method,normalized_ari"
    assert "iv,wine,2,GuidedFDC,88.0000" in rows

    # The same lines give the same files.
    before = {path: path.read_bytes() for path in written}
    assert pages.write_pages(lines, list(METHODS), page) == written
    assert {path: path.read_bytes() for path in written} == before


def test_choices_with_fewer_draws_have_a_table_of_their_own(lines, page):
    chosen = [
        {**line, "method": "FDC by truth", "ari": 0.99}
        for line in lines
        if line["method"] == "GuidedFDC" and line["point"] == "iv" and line["draw"] == 0
    ]
    pages.write_pages([*lines, *chosen], list(METHODS), page)
    text = page.read_text()
    assert "Means over 2 sets of 2 draws (zoo, wine)." in text
    assert "Settings that were chosen, over 2 sets of 1 draw (zoo, wine):" in text
    assert "| FDC by truth | **99.00** | **99.00** | **99.00** |" in text
    folder = page.with_suffix("")
    assert "iv,wine,1,FDC by truth,99.0000" in (folder / "scores.csv").read_text()
    assert "Settings that were chosen:" in (folder / "sets.md").read_text()


def test_curves_show_means_along_amounts_and_shares(lines):
    scores = {p: read_scores(lines, p, list(METHODS)) for p in POINTS}
    figure = pages.draw_curves(scores)

    assert len(figure.axes) == 2
    drawn = {curve.get_label(): curve for curve in figure.axes[0].lines}
    assert list(drawn) == ["FCM", "PCK-means", "GuidedFDC"]
    np.testing.assert_allclose(drawn["GuidedFDC"].get_xdata(), list(AMOUNTS.values()))
    expected = [85 + POINTS.index(point) for point in AMOUNTS]
    np.testing.assert_allclose(drawn["GuidedFDC"].get_ydata(), expected)
    assert pages.draw_curves({"iv": scores["iv"]}) is None
