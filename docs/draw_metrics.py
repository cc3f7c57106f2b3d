"""Draw the pictures of docs/metrics.md from the code blocks of the page.

Run as ``python docs/draw_metrics.py``. The blocks of a section are executed as the
page has them, and its picture is drawn from the names they leave behind.
"""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from sklearn.metrics import adjusted_rand_score

from fuzzypairs.plots import BROKEN, COLORS, MARKERS, new_figure, plot_memberships

PAGE = Path(__file__).with_name("metrics.md")
PICTURES = Path(__file__).with_name("pictures")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
DPI = 110
GREY = "#444444"


def main() -> None:
    """Run the page up to its last picture."""
    drawings = {
        "Two rings": draw_rings,
        "Outliers": draw_outliers,
        "Counts of words": draw_texts,
        "Sets": draw_sets,
    }
    PICTURES.mkdir(exist_ok=True)
    names: dict[str, Any] = {}
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.splitlines()[0]
        if title in drawings:
            for block in BLOCK.findall(section):
                exec(block, names)
            name, figure = drawings[title](names)
            save(figure, PICTURES / f"{name}.png")


def save(figure: Any, path: Path) -> None:
    """Write a picture with few colours, which is a third of the size."""
    buffer = BytesIO()
    figure.savefig(buffer, dpi=DPI)
    with Image.open(buffer) as picture:
        few = picture.convert("RGB").quantize(160, dither=Image.Dither.NONE)
        few.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def draw_rings(names: dict[str, Any]) -> tuple[str, Any]:
    """Two rings under three models; lines are judgements."""
    figure = new_figure((9.6, 4.1))
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    models = [
        ("euclidean, 20 judgements", names["guided"], names["judged"]),
        ("rbf, no judgements", names["alone"], None),
        ("rbf, 20 judgements", names["both"], names["judged"]),
    ]
    for ax, (title, model, pairs) in zip(panels, models, strict=True):
        plot_memberships(names["rings"], model.memberships_, pairs, ax, legend=False)
        put_title(ax, title, names["side"], model.labels_)
        ax.set(aspect="equal", xlabel="", ylabel="", xticks=[], yticks=[])
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return "rings", figure


def draw_outliers(names: dict[str, Any]) -> tuple[str, Any]:
    """Prototypes with and without a few far points in between."""
    figure = new_figure((8.4, 4.0))
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    models = [
        ("euclidean: means", names["means"]),
        ("manhattan: medians", names["medians"]),
    ]
    points, group = names["points"], names["group"]
    for ax, (title, model) in zip(panels, models, strict=True):
        draw_rows(ax, points, model.labels_)
        ax.scatter(
            *model.cluster_centers_.T, s=190, marker="X", color="black",
            edgecolors="white", linewidths=1.2, label="prototype", zorder=4,
        )  # fmt: skip
        put_title(ax, title, group, model.labels_[: len(group)])
        ax.set(xlabel="feature 1", ylim=(-4, 31))
    panels[0].set_ylabel("feature 2")
    below = dict(zip(*panels[0].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(
        below.values(), below.keys(), loc="outside lower center", ncols=3, frameon=False
    )
    return "outliers", figure


def draw_texts(names: dict[str, Any]) -> tuple[str, Any]:
    """Texts by how many words of each topic they have."""
    words, topic = names["words"], names["topic"]
    first = words[0] > words[1]
    counts = names["counts"].toarray()
    places = np.column_stack(
        [counts[:, first].sum(axis=1), counts[:, ~first].sum(axis=1)]
    )
    figure = new_figure((8.4, 4.2))
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    models = [("euclidean", names["by_place"]), ("cosine", names["by_angle"])]
    for ax, (title, model) in zip(panels, models, strict=True):
        draw_rows(ax, places, model.labels_)
        put_title(ax, title, topic, model.labels_)
        ax.set(xlabel="words of topic 1 in a text")
    panels[0].set_ylabel("words of topic 2")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return "texts", figure


def draw_sets(names: dict[str, Any]) -> tuple[str, Any]:
    """Every set a row of dots, sorted by kind, coloured by cluster."""
    figure = new_figure((8.4, 4.6))
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    models = [("euclidean", names["by_count"]), ("jaccard", names["by_share"])]
    sets, kind = names["sets"], names["kind"]
    order = np.lexsort((sets.sum(axis=1), kind))
    borders = np.flatnonzero(np.diff(kind[order])) + 0.5
    for ax, (title, model) in zip(panels, models, strict=True):
        rows, items = np.nonzero(sets[order])
        clusters = model.labels_[order][rows]
        for cluster in range(model.n_clusters_):
            mine = clusters == cluster
            ax.scatter(
                items[mine], rows[mine], s=5, marker="s", color=COLORS[cluster],
                linewidths=0, label=f"cluster {cluster}",
            )  # fmt: skip
        ax.hlines(borders, -1, sets.shape[1], color=GREY, linewidth=0.8)
        put_title(ax, title, kind, model.labels_)
        ax.set(xlabel="item", xlim=(-1, sets.shape[1]), ylim=(len(sets), -1))
    panels[0].set_ylabel("set, sorted by kind and size")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=3,
        markerscale=3,
        frameon=False,
    )
    return "sets", figure


def draw_rows(ax: Any, places: Any, labels: Any) -> None:
    """Draw rows in the colour and shape of their cluster."""
    for cluster in np.unique(labels):
        ax.scatter(
            *places[labels == cluster].T, s=30, marker=MARKERS[cluster], alpha=0.8,
            color=COLORS[cluster], linewidths=0, label=f"cluster {cluster}",
        )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.15)
    ax.set_axisbelow(True)


def put_title(ax: Any, title: str, truth: Any, labels: Any) -> None:
    """Name the model and say how well it finds the groups, in red if badly."""
    found = adjusted_rand_score(truth, labels)
    ax.set_title(title, loc="left", fontsize="medium")
    # Never "-0.00".
    text = f"agreement {abs(round(found, 2)):.2f}"
    ax.set_title(
        text, loc="right", fontsize="medium", color=BROKEN if found < 0.9 else GREY
    )


if __name__ == "__main__":
    main()
