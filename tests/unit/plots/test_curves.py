import numpy as np
import pytest

from fuzzypairs.plots import plot_objective, plot_search

RESULTS = {
    "param_beta": np.ma.MaskedArray([1.0, 0.1, 1.0, 10.0, 5.0], [0, 0, 0, 0, 1]),
    "param_alpha": [0, "auto", "auto", 0, 0],
    "mean_test_score": [0.8, 0.5, 0.7, np.nan, 0.9],
    "split0_test_score": [0.9, 0.5, 0.7, np.nan, 0.9],
    "split1_test_score": [0.7, 0.5, 0.7, np.nan, 0.9],
}


def test_the_objective_is_drawn_from_the_first_iteration():
    ax = plot_objective([9.0, 4.0, 3.5])

    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3])
    np.testing.assert_array_equal(line.get_ydata(), [9, 4, 3.5])


def test_a_search_shows_the_best_of_each_value_with_its_error():
    ax = plot_search(RESULTS, "beta")

    line, caps = ax.containers[0][0], ax.containers[0][2][0]
    np.testing.assert_array_equal(line.get_xdata(), [0.1, 1.0, 10.0])
    np.testing.assert_array_equal(line.get_ydata(), [0.5, 0.8, np.nan])
    # Folds of 0.9 and 0.7: standard deviation 0.1414, over the root of 2.
    segments = caps.get_segments()
    np.testing.assert_allclose(segments[1][:, 1], [0.7, 0.9])
    assert ax.get_xscale() == "log"


def test_a_search_over_words_has_a_place_for_each():
    ax = plot_search(RESULTS, "alpha")

    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "auto"]
    np.testing.assert_array_equal(ax.containers[0][0].get_ydata(), [0.9, 0.7])


def test_a_search_without_folds_has_a_line():
    results = {"param_k": [2, 3, 4], "mean_test_score": [0.5, 0.7, 0.6]}

    ax = plot_search(results, "k")

    assert ax.get_xscale() == "linear"
    np.testing.assert_array_equal(ax.containers[0][0].get_ydata(), [0.5, 0.7, 0.6])


def test_a_search_names_the_parameters_it_has():
    with pytest.raises(ValueError, match=r"parameter is 'k' but .* varied beta, alpha"):
        plot_search(RESULTS, "k")
