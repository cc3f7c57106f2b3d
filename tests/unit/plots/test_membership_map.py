import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

from fuzzypairs.plots import BROKEN, COLORS, HELD, plot_memberships

X = np.array([[0.0, 0.0, 1.0], [0.1, 0.2, 0.9], [5.0, 5.0, 0.0], [5.1, 4.0, 0.0]])
MEMBERSHIPS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])
PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (2, 3, -0.3), (0, 3, 0.0)]


def drawn(ax):
    """Rows of the picture, without the empty entries that make the legend."""
    dots = [found for found in ax.collections if isinstance(found, PathCollection)]
    return [cluster for cluster in dots if len(cluster.get_offsets())]


def test_rows_lie_where_the_main_directions_put_them():
    ax = plot_memberships(X, MEMBERSHIPS)

    places = np.concatenate([dots.get_offsets() for dots in drawn(ax)])
    centred = X - X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    # Clusters are drawn in turn, here rows 0 and 1, then 2 and 3; signs are free.
    np.testing.assert_allclose(abs(places), abs(centred @ axes[:2].T))
    share = 100 * lengths[0] ** 2 / (lengths**2).sum()
    assert ax.get_xlabel() == f"main direction 1 ({share:.0f} % of variance)"


def test_two_columns_are_drawn_as_they_are():
    ax = plot_memberships(X[:, :2], MEMBERSHIPS)

    places = np.concatenate([dots.get_offsets() for dots in drawn(ax)])
    np.testing.assert_array_equal(places, X[:, :2])


def test_certain_rows_have_the_full_colour_and_doubtful_ones_are_hollow():
    first, second = drawn(plot_memberships(X, MEMBERSHIPS))

    sure, mixed = first.get_facecolors()
    np.testing.assert_allclose(sure, to_rgba(COLORS[0]))
    np.testing.assert_allclose(mixed[:3], sure[:3])
    assert mixed[3] < 0.2
    np.testing.assert_allclose(first.get_edgecolors()[0], sure)
    np.testing.assert_allclose(second.get_facecolors()[0], to_rgba(COLORS[1]))


def test_judgements_are_lines_by_sign_strength_and_state():
    ax = plot_memberships(X[:, :2], MEMBERSHIPS, PAIRS)

    kinds = [found for found in ax.collections if isinstance(found, LineCollection)]
    for kind, (i, j, grade), color in zip(
        kinds,
        [(0, 1, 0.9), (1, 2, 0.5), (0, 2, -0.4), (2, 3, -0.3)],
        [HELD, BROKEN, HELD, BROKEN],
        strict=True,
    ):
        (line,) = kind.get_segments()
        np.testing.assert_array_equal(line, X[[i, j], :2])
        assert kind.get_linewidth() == pytest.approx(0.5 + 2 * abs(grade))
        assert to_hex(kind.get_color()[0]) == color.lower()
        (_, dashes) = kind.get_linestyle()[0]
        assert (dashes is None) == (grade > 0)


def test_the_legend_explains_what_occurs_and_nothing_else():
    ax = plot_memberships(X, MEMBERSHIPS, PAIRS[:2], highlight=[3])

    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "cluster 0",
        "cluster 1",
        "cluster changed",
        "judged alike, satisfied",
        "judged unlike, satisfied",
    ]
    assert plot_memberships(X, MEMBERSHIPS, legend=False).get_legend() is None


def test_highlighted_rows_are_ringed():
    ax = plot_memberships(X[:, :2], MEMBERSHIPS, highlight=[1, 3])

    np.testing.assert_array_equal(drawn(ax)[-1].get_offsets(), X[[1, 3], :2])


def test_given_axes_are_used_and_returned():
    ax = Figure().subplots()

    assert plot_memberships(X, MEMBERSHIPS, ax=ax, title="Rows") is ax
    assert ax.get_title(loc="left") == "Rows"


@pytest.mark.parametrize("n_clusters", [1, 2, 9])
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_every_shape_can_be_drawn(n_clusters, n_features):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(20, n_features))
    memberships = rng.dirichlet(np.ones(n_clusters), size=20)

    ax = plot_memberships(data, memberships, [(0, 1, 0.5)])

    ax.figure.canvas.draw()
    assert (np.asarray(ax.figure.canvas.buffer_rgba()) != 255).any()


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
    places = {tuple(place) for dots in drawn(ax) for place in dots.get_offsets()}
    assert len(places) == 20
    assert {tuple(X[row]) for row in (0, 2, 4, 77)} <= places
    assert ax.get_title(loc="right") == "20 of 500 rows, 2 of 4 judgements"


def test_rows_without_any_spread_can_be_drawn():
    ax = plot_memberships(np.ones((4, 3)), MEMBERSHIPS)

    places = np.concatenate([dots.get_offsets() for dots in drawn(ax)])
    np.testing.assert_array_equal(places, [[1, 0]] * 4)


def test_rows_must_match():
    with pytest.raises(ValueError, match="X has 4 samples but memberships has 3"):
        plot_memberships(X, MEMBERSHIPS[:-1])
