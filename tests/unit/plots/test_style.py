import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from fuzzypairs import FDC
from fuzzypairs.plots import (
    JudgementsDisplay,
    MembershipMapDisplay,
    MixturesDisplay,
    ObjectiveDisplay,
    plot_judgements,
    plot_memberships,
    plot_objective,
)
from fuzzypairs.plots.style import COLORS, HATCHES, MARKERS, pick

PAIRS = [(0, 1, 0.9), (0, 2, -0.4), (1, 2, 0.5), (0, 3, 0.0)]


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


def pixels(ax):
    canvas = ax.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


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


def test_forty_two_clusters_all_look_different():
    for shapes in (MARKERS, HATCHES):
        styles = {(pick(COLORS, k), pick(shapes, k)) for k in range(42)}
        assert len(styles) == 42
