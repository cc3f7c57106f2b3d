import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fuzzypairs import FDC
from fuzzypairs.plots import plot_memberships, plot_objective
from fuzzypairs.plots.style import COLORS, HATCHES, MARKERS, pick

PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (0, 3, 0.0)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (10, 3)), rng.normal(5, 1, (10, 3))])


@pytest.fixture(scope="module")
def model(data):
    return FDC(n_clusters=2, random_state=0).fit(data, pairs=PAIRS)


def pixels(ax):
    canvas = ax.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def test_given_axes_are_used_and_returned():
    ax = Figure().subplots()

    assert plot_objective([2.0, 1.0], ax) is ax


def test_threads_draw_side_by_side(model, data):
    def image(_):
        return pixels(plot_memberships(data, model.memberships_, PAIRS))

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


def test_56_clusters_all_look_different():
    for shapes in (MARKERS, HATCHES):
        styles = {(pick(COLORS, k), pick(shapes, k)) for k in range(56)}
        assert len(styles) == 56
