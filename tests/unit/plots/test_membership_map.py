import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

from fuzzypairs.plots import BROKEN, COLORS, HELD, plot_memberships, plot_objective

X = np.array([[0.0, 0.0, 1.0], [0.1, 0.2, 0.9], [5.0, 5.0, 0.0], [5.1, 4.0, 0.0]])
MEMBERSHIPS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])
PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (2, 3, -0.3), (0, 3, 0.0)]


def drawn(ax):
    """Rows of the picture, without the empty entries that make the legend."""
    dots = [found for found in ax.collections if isinstance(found, PathCollection)]
    return [cluster for cluster in dots if len(cluster.get_offsets())]


def pixels(ax):
    canvas = ax.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


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

    sure, torn = first.get_facecolors()
    np.testing.assert_allclose(sure, to_rgba(COLORS[0]))
    np.testing.assert_allclose(torn[:3], sure[:3])
    assert torn[3] < 0.2
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
        "judged alike, held",
        "judged unlike, held",
    ]
    assert plot_memberships(X, MEMBERSHIPS, legend=False).get_legend() is None


def test_highlighted_rows_are_ringed():
    ax = plot_memberships(X[:, :2], MEMBERSHIPS, highlight=[1, 3])

    np.testing.assert_array_equal(drawn(ax)[-1].get_offsets(), X[[1, 3], :2])


def test_given_axes_are_used_and_returned():
    ax = Figure().subplots()

    assert plot_memberships(X, MEMBERSHIPS, ax=ax, title="Rows") is ax
    assert ax.get_title(loc="left") == "Rows"
    assert plot_objective([2.0, 1.0], ax) is ax


@pytest.mark.parametrize("n_clusters", [1, 2, 9])
@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_every_shape_can_be_drawn(n_clusters, n_features):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(20, n_features))
    memberships = rng.dirichlet(np.ones(n_clusters), size=20)

    image = pixels(plot_memberships(data, memberships, [(0, 1, 0.5)]))

    assert (image != 255).any()


def test_the_objective_is_drawn_from_the_first_iteration():
    ax = plot_objective([9.0, 4.0, 3.5])

    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3])
    np.testing.assert_array_equal(line.get_ydata(), [9, 4, 3.5])


def test_threads_draw_side_by_side():
    def image(_):
        return pixels(plot_memberships(X, MEMBERSHIPS, PAIRS))

    alone = image(0)
    with ThreadPoolExecutor(3) as pool:
        images = list(pool.map(image, range(3)))

    for other in images:
        np.testing.assert_array_equal(other, alone)


def test_pyplot_is_never_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    assert (pixels(plot_objective([2.0, 1.0])) != 255).any()


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[plot\]'"):
        plot_objective([2.0, 1.0])


def test_rows_must_match():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot_memberships(X, MEMBERSHIPS[:-1])
