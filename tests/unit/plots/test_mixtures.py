import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from fuzzypairs.plots import COLORS, most_mixed, plot_mixtures

U = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]])


def dots(ax):
    found = [item for item in ax.collections if isinstance(item, PathCollection)]
    return np.concatenate([item.get_offsets() for item in found])


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
