import numpy as np
import pytest

from fuzzypairs.plots import plot_feature_weights


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_bars_are_shares_the_largest_first():
    ax = plot_feature_weights([1.0, 6.0, 3.0], names=["a", "$b", "c"])

    assert [bar.get_width() for bar in ax.patches] == [60.0, 30.0, 10.0]
    assert names(ax) == [r"\$b", "c", "a"]
    assert [text.get_text() for text in ax.texts] == ["60 %", "30 %", "10 %"]


def test_few_of_many_are_drawn_and_counted():
    ax = plot_feature_weights(np.arange(20.0), most=5)

    assert names(ax) == ["19", "18", "17", "16", "15"]
    assert ax.get_title(loc="right") == "5 of 20"


def test_names_must_fit():
    with pytest.raises(ValueError, match="names has 1 entries but there are 2 weights"):
        plot_feature_weights([1.0, 2.0], names=["a"])
    assert len(plot_feature_weights([0.0, 0.0]).patches) == 2
