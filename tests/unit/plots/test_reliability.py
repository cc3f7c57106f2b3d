import numpy as np
import pytest

from fuzzypairs.plots import plot_reliability
from fuzzypairs.plots.reliability import reliability_bins


def test_bins_worked_by_hand():
    p = [0.0, 0.1, 0.5, 1.0, 0.95, np.nan, 0.7]
    s = [-1.0, 0.2, 0.5, 0.9, -0.1, 1.0, 0.0]

    bins = reliability_bins(p, s, n_bins=2)

    # Below 0.5: 0 and 0.1, of which one was judged alike. From 0.5 on: 0.5, 1 and
    # 0.95, of which two were. NaN and grade 0 do not count.
    np.testing.assert_allclose(
        bins[:, [0, 1, 4]], [[0.05, 0.5, 2], [2.45 / 3, 2 / 3, 3]]
    )
    # Wilson's interval of 1 of 2 and of 2 of 3, as statsmodels has them.
    np.testing.assert_allclose(
        bins[:, 2:4], [[0.0945, 0.9055], [0.2077, 0.9385]], atol=1e-3
    )


def test_nothing_known_has_no_bins():
    assert reliability_bins([np.nan, 0.5], [1.0, 0.0]).shape == (0, 5)
    with pytest.raises(ValueError, match="probability has 1 samples but grade has 2"):
        reliability_bins([0.5], [1.0, 0.0])


def test_bins_are_drawn_beside_the_diagonal():
    ax = plot_reliability([0.9, 0.1], [0.5, -0.5])
    diagonal, line, *_ = ax.lines
    np.testing.assert_allclose(line.get_xydata(), [[0.1, 0.0], [0.9, 1.0]])
    assert [text.get_text() for text in ax.texts] == ["1", "1"]
    np.testing.assert_allclose(diagonal.get_xydata(), [[0, 0], [1, 1]])
    assert plot_reliability([0.9], [1.0], ax) is ax
