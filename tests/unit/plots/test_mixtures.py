import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from fuzzypairs import FDC
from fuzzypairs.plots import (
    COLORS,
    JudgementsDisplay,
    MembershipMapDisplay,
    MixturesDisplay,
    ObjectiveDisplay,
    SearchDisplay,
    most_mixed,
    plot_judgements,
    plot_memberships,
    plot_mixtures,
    plot_search,
    shared_membership,
)

U = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])
PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (0, 3, 0.0)]
RESULTS = {
    "param_beta": np.ma.MaskedArray([1.0, 0.1, 1.0, 10.0, 5.0], [0, 0, 0, 0, 1]),
    "param_alpha": [0, "auto", "auto", 0, 0],
    "mean_test_score": [0.8, 0.5, 0.7, np.nan, 0.9],
    "split0_test_score": [0.9, 0.5, 0.7, np.nan, 0.9],
    "split1_test_score": [0.7, 0.5, 0.7, np.nan, 0.9],
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (10, 3)), rng.normal(5, 1, (10, 3))])


@pytest.fixture(scope="module")
def model(data):
    return FDC(n_clusters=2, random_state=0).fit(data, pairs=PAIRS)


def dots(ax):
    found = [item for item in ax.collections if isinstance(item, PathCollection)]
    return np.concatenate([item.get_offsets() for item in found])


def test_displays_draw_what_the_functions_draw(model, data):
    memberships = model.memberships_
    shown = MembershipMapDisplay.from_estimator(model, data, pairs=PAIRS, title="T")
    np.testing.assert_array_equal(
        dots(shown.ax_), dots(plot_memberships(data, memberships, PAIRS))
    )
    assert shown.ax_.get_title(loc="left") == "T"
    judged = JudgementsDisplay.from_estimator(model, pairs=PAIRS)
    np.testing.assert_array_equal(
        dots(judged.ax_), dots(plot_judgements(PAIRS, memberships))
    )
    mixtures = MixturesDisplay.from_estimator(model, names=list("abcdefghijklmnopqrst"))
    assert len(mixtures.ax_.get_yticks()) == 20
    (line,) = ObjectiveDisplay.from_estimator(model).ax_.lines
    np.testing.assert_array_equal(line.get_ydata(), model.objective_history_)


def test_displays_draw_again_where_they_are_told(model, data):
    ax, other = Figure().subplots(1, 2)
    display = MembershipMapDisplay.from_estimator(model, data, ax=ax)

    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.plot(other) is display
    assert display.ax_ is other


def test_displays_need_a_fitted_model_with_memberships(model, data):
    with pytest.raises(NotFittedError):
        MembershipMapDisplay.from_estimator(FDC(), data)
    with pytest.raises(NotFittedError):
        ObjectiveDisplay.from_estimator(FDC())
    hard = FDC()
    hard.labels_ = model.labels_
    with pytest.raises(TypeError, match="has no memberships_; expected"):
        MixturesDisplay.from_estimator(hard)


def test_a_map_of_many_rows_keeps_the_judged_ones():
    rng = np.random.default_rng(0)
    X, memberships = rng.normal(size=(500, 2)), np.eye(2)[np.arange(500) % 2]
    # Even rows are together: only the weak second judgement is broken.
    pairs = [(0, 2, 0.9), (0, 4, -0.1), (6, 8, 0.5), (10, 12, 0.8)]

    ax = plot_memberships(
        X, memberships, pairs, highlight=[77], most_rows=20, most_pairs=2
    )

    lines = [item for item in ax.collections if isinstance(item, LineCollection)]
    ends = np.concatenate([line.get_segments() for line in lines])
    np.testing.assert_array_equal(ends, X[[[0, 2], [0, 4]]])
    places = {tuple(place) for place in dots(ax)}
    assert len(places) == 20
    assert {tuple(X[row]) for row in (0, 2, 4, 77)} <= places
    assert ax.get_title(loc="right") == "20 of 500 rows, 2 of 4 judgements"


def test_rows_without_any_spread_can_be_drawn():
    ax = plot_memberships(np.ones((4, 3)), U)

    np.testing.assert_array_equal(dots(ax), [[1, 0]] * 4)


def test_the_triangle_puts_rows_between_their_clusters():
    ax = plot_mixtures([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [1 / 3] * 3])

    top = np.sqrt(0.75)
    # Cluster by cluster: rows 0, 3 and 4 go to the first of their strongest.
    np.testing.assert_allclose(
        dots(ax), [[0, 0], [0.5, 0], [0.5, top / 3], [1, 0], [0.5, top]]
    )
    assert [text.get_text() for text in ax.texts] == [f"cluster {k}" for k in range(3)]


def test_bars_show_the_most_mixed_rows_piece_by_piece():
    ax = plot_mixtures(U, ["oak", "$elm$", "ash", "a" * 30], most=2)

    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [r"\$elm\$", "a" * 23 + "…"]
    first, second = ax.containers
    assert [bar.get_width() for bar in first] == [0.5, 0.25]
    assert [(bar.get_x(), bar.get_width()) for bar in second] == [
        (0.5, 0.5),
        (0.25, 0.75),
    ]
    assert to_hex(second[0].get_facecolor()) == COLORS[1].lower()
    assert first[0].get_hatch() != second[0].get_hatch()


def test_the_kind_of_picture_can_be_chosen():
    three = np.eye(3)

    assert plot_mixtures(three).containers == []
    assert len(plot_mixtures(three, kind="bars").containers) == 3
    with pytest.raises(ValueError, match=r"needs 3 clusters, .* have 2"):
        plot_mixtures(U, kind="triangle")
    with pytest.raises(ValueError, match="kind"):
        plot_mixtures(three, kind="pie")
    with pytest.raises(ValueError, match=r"names has 1 entries but .* 4 rows"):
        plot_mixtures(U, ["oak"])


def test_one_cluster_has_no_mixed_rows():
    np.testing.assert_array_equal(most_mixed(np.ones((3, 1))), [0, 1, 2])


def test_judgements_are_placed_by_grade_and_shared_membership():
    ax = plot_judgements(PAIRS, U)

    # Rows 0 and 1 share half, and have cluster 0 in common; 1 and 2 do not.
    np.testing.assert_allclose(shared_membership(PAIRS, U), [0.5, 0, 0.25, 0.5])
    held, broken = (item.get_offsets() for item in ax.collections)
    np.testing.assert_allclose(held, [[0.9, 0.5], [-0.4, 0.0]])
    np.testing.assert_allclose(broken, [[0.5, 0.5]])


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
    display = SearchDisplay(RESULTS, "alpha").plot()

    ax = display.ax_
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "auto"]
    np.testing.assert_array_equal(ax.containers[0][0].get_ydata(), [0.9, 0.7])


def test_a_fitted_search_can_be_drawn():
    search = FDC()
    search.cv_results_ = {"param_k": [2, 3, 4], "mean_test_score": [0.5, 0.7, 0.6]}

    ax = SearchDisplay.from_estimator(search, "k").ax_

    assert ax.get_xscale() == "linear"
    np.testing.assert_array_equal(ax.containers[0][0].get_ydata(), [0.5, 0.7, 0.6])


def test_a_search_names_the_parameters_it_has():
    with pytest.raises(ValueError, match=r"parameter is 'k' but .* varied beta, alpha"):
        plot_search(RESULTS, "k")
