"""The page of `fuzzypairs demo`, and its picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzzypairs._typing import Labels
    from fuzzypairs.cli.demo import JudgeTrial, Subject
    from fuzzypairs.report import Table

__all__ = ["draw_figure", "write_page"]

# Pictures that are shown of each kind, and how many stand in a row of a cluster.
SHOWN, ACROSS = 3, 3
# Texts and words that are shown of a cluster.
TEXTS, WORDS = 4, 8


def draw_figure(trials: "list[JudgeTrial]") -> Any:
    """Draw pictures by cluster, a row for each judge: before and after judgements."""
    from fuzzypairs.plots import new_figure

    # As wide as a telephone shows it without turning: few pictures, large letters.
    figure = new_figure((7.2, 2.9 * len(trials)))
    rows = figure.subfigures(len(trials), 1)
    for part, trial in zip(rows, trials, strict=True):
        n = len(trial.pairs)
        part.suptitle(trial.judge.question, fontsize=17, fontweight="bold")
        panels = part.subplots(1, 2)
        names = ("without judgements", f"with {n} judgements")
        shown = _shown_pictures(trial)
        for ax, name, found in zip(panels, names, trial.clusters, strict=True):
            share = 100 * (found == trial.meant).mean()
            _draw_clusters(ax, trial, found, shown)
            ax.set_title(f"{name}:\n{share:.0f} % right", fontsize=14)
    return figure


def _shown_pictures(trial: "JudgeTrial") -> "Labels":
    """Return the pictures that a figure shows, the same for all: some of each kind."""
    import numpy as np

    drawn, kinds = np.random.default_rng(0), np.array(trial.items.kinds)
    each = [
        drawn.permutation(np.flatnonzero(kinds == k))[:SHOWN] for k in np.unique(kinds)
    ]
    return drawn.permutation(np.concatenate(each))


def _draw_clusters(
    ax: Any, trial: "JudgeTrial", found: "Labels", shown: "Labels"
) -> None:
    """Show pictures in a box for each cluster, with the wrong ones framed."""
    import numpy as np
    from matplotlib.patches import Rectangle

    from fuzzypairs.plots.style import BROKEN

    # Boxes have one size in all panels: as many rows as the largest cluster has.
    height = max(
        -(-int(np.bincount(c[shown], minlength=2).max()) // ACROSS)
        for c in trial.clusters
    )
    side, margin, gap = 11, 1, 4  # a picture, the rim of a box, and between boxes
    width, tall = side * ACROSS + 2 * margin + 1, side * height + 2 * margin + 1
    canvas = np.full((tall, 2 * width + gap), np.nan)
    for k, answer in enumerate(trial.judge.answers):
        left = k * (width + gap)
        for place, row in enumerate(shown[found[shown] == k]):
            y = margin + 2 + side * (place // ACROSS)
            x = left + margin + 2 + side * (place % ACROSS)
            canvas[y : y + 8, x : x + 8] = trial.items.X[row].reshape(8, 8)
            if found[row] != trial.meant[row]:
                ax.add_patch(
                    Rectangle((x - 1.2, y - 1.2), 9.4, 9.4, fill=False, ec=BROKEN, lw=2)
                )
        box = Rectangle((left - 0.5, -0.5), width, tall, fill=False, ec="0.6", lw=1)
        ax.add_patch(box)
        ax.text(
            left + width / 2, tall + 1.5, answer, ha="center", va="top", fontsize=13
        )
    ax.imshow(canvas, cmap="gray_r", vmin=0, vmax=1.1, interpolation="nearest")
    ax.set(xlim=(-4, 2 * width + gap + 4), ylim=(tall + 6, -1))
    ax.set_axis_off()


def _draw_pixels(trials: "list[JudgeTrial]") -> Any:
    """Draw how much each pixel matters for the clusters of each judge."""
    from fuzzypairs.plots import new_figure

    figure = new_figure((3.0 * len(trials), 3.0))
    panels = figure.subplots(1, len(trials), squeeze=False)[0]
    for trial, ax in zip(trials, panels, strict=True):
        weights = trial.weights.reshape(8, 8)
        ax.imshow(weights, cmap="Blues", interpolation="nearest")
        ax.set_title(trial.judge.question, fontsize=10)
        ax.set(xticks=[], yticks=[])
    return figure


def _cards(trial: "JudgeTrial") -> list[Any]:
    """Return typical messages of each cluster, and the words that set it apart."""
    import numpy as np

    from fuzzypairs.items import distinctive_words
    from fuzzypairs.plots.style import COLORS, GLYPHS, pick
    from fuzzypairs.report import Card
    from fuzzypairs.report.item_cell import Gallery, ItemCell
    from fuzzypairs.report.shown_items import word_line

    texts, found = trial.items.texts, trial.clusters[1]
    assert texts is not None
    k = len(trial.judge.answers)
    words = distinctive_words(texts, np.eye(k)[found], WORDS)
    cards = []
    for number, answer in enumerate(trial.judge.answers):
        mine = np.flatnonzero(found == number)
        sure = trial.model.memberships_[mine].max(axis=1)
        shown = mine[np.argsort(-sure, kind="stable")[:TEXTS]]
        wrong = {True: "in the wrong cluster", False: ""}
        items = [
            ItemCell(
                trial.items.kinds[n], texts[n], note=wrong[trial.meant[n] != number]
            )
            for n in shown
        ]
        cards.append(
            Card(
                answer,
                pick(GLYPHS, number),
                pick(COLORS, number),
                [f"{len(mine)} messages.", word_line(words[number])],
                galleries=[Gallery("Most typical", items)],
            )
        )
    return cards


def write_page(
    path: Path,
    subject: "Subject",
    trials: "list[JudgeTrial]",
    limits: "Sequence[Table]",
    origin: str,
) -> None:
    """Write the report of the demo."""
    from fuzzypairs.report import Picture, Section, write_report

    n, noun = subject.limits[0].n_pairs, subject.noun
    lead = " ".join(
        f"{t.judge.question} {100 * t.before:.1f} % of {len(t.meant)} {noun}s are in "
        f"the right cluster without judgements, and {100 * t.mean:.1f} % on average "
        f"with {n}."
        for t in trials
    )
    sections: list[Section] = []
    if trials[0].items.texts is None:
        shown = Picture(
            draw_figure(trials),
            alt="Pictures of digits in two clusters, without judgements and with them, "
            "for both judges; the tables hold the numbers.",
            caption=f"The same pictures in all panels, {SHOWN} of each digit, by "
            "cluster; frames mark those in the wrong one.",
        )
        pixels = Picture(
            _draw_pixels(trials),
            alt="The pixels that matter for each judge.",
            caption="How much each pixel matters for the clusters of each judge "
            "(darker: more).",
        )
        sections += [
            Section(subject.title, picture=shown),
            Section("Pixels that matter", picture=pixels),
        ]
    for t in trials:
        cards = [] if t.items.texts is None else _cards(t)
        said = t.model.verdict_.sentences
        sections.append(
            Section(t.judge.question, said, tables=[t.table()], cards=cards)
        )
    plain = "FDC" if trials[0].items.texts is None else "GuidedFDC"
    made = [
        origin,
        subject.method.format(n=n, said=trials[0].items.said)
        + f" Without judgements: {plain} with its defaults. With judgements: GuidedFDC "
        "with its defaults, and PCCA for comparison.",
    ]
    sections += [
        Section("Limits", tables=limits),
        Section("How this was made", made),
    ]
    write_report(path, title=subject.title, lead=lead, sections=sections)
