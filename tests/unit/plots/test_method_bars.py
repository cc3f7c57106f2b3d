"""Bars of the scores and times of methods."""

from matplotlib.colors import to_rgba

from fuzzypairs.plots.method_bars import PALE, plot_comparison
from fuzzypairs.plots.style import COLORS
from fuzzypairs.selection.comparison import MethodResult


def test_a_panel_for_each_criterion_and_failures_are_marked():
    done = [
        MethodResult(name, 3, 0.1, 0.9, 0.8, 0.7, 0.6, 0.5, 0)
        for name in ("FDC", "PCCA")
    ]
    figure = plot_comparison([*done, MethodResult("SSDC", error="too large")])
    first = figure.axes[0]

    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "normalised ARI",
        "NMI",
        "Rand index",
        "accuracy",
        "judgements satisfied",
        "seconds",
    ]
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "FDC, k = 3",
        "PCCA, k = 3",
        "SSDC",
    ]
    assert "failed" in [text.get_text() for text in first.texts]
    assert first.get_ylim() == (2.5, -0.5)  # with room for the failed one
    figure.canvas.draw()


def test_the_best_of_a_panel_is_coloured():
    rows = [
        MethodResult("FDC", 2, seconds=0.5, pair_agreement=0.9),
        MethodResult("PCCA", 2, seconds=0.2, pair_agreement=0.8),
    ]
    share, seconds = plot_comparison(rows).axes

    assert [bar.get_facecolor() for bar in share.patches] == [
        to_rgba(COLORS[0]),
        to_rgba(PALE),
    ]
    assert [bar.get_facecolor() for bar in seconds.patches] == [
        to_rgba(PALE),
        to_rgba(COLORS[0]),
    ]
    assert [text.get_text() for text in share.texts] == ["90.0 %", "80.0 %"]


def test_failures_alone_can_be_drawn():
    figure = plot_comparison(
        [MethodResult("FDC", error="no"), MethodResult("DSC", error="no")]
    )

    assert [ax.get_title(loc="left") for ax in figure.axes] == ["seconds"]
    figure.canvas.draw()
