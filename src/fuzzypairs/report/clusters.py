"""The part of a page about clusters: map, cards, prototypes, mixed rows, classes."""

import numpy as np

from fuzzypairs import criteria
from fuzzypairs.plots import most_mixed, plot_memberships, plot_mixtures
from fuzzypairs.plots.style import COLORS, GLYPHS, pick
from fuzzypairs.report.facts import ABREAST, IN_LIST, MOST_COLUMNS, MOST_ROWS, Fit
from fuzzypairs.report.html import (
    Card,
    Picture,
    Section,
    Table,
    cut,
    percent,
    short_table,
)
from fuzzypairs.report.sentences import counted

__all__ = ["cluster_sections"]

# Judgements that the map shows, and entries of the lists in cards.
MOST_PAIRS, IN_CARD = 100, 5


def cluster_sections(fit: Fit) -> list[Section]:
    """Return what the page tells about clusters."""
    made = [_map(fit), _clusters(fit), _prototypes(fit)]
    if len(fit.sizes) > 1:
        made.append(_mixed(fit))
    if fit.truth is not None:
        made.append(_classes(fit))
    return made


def _map(fit: Fit) -> Section:
    ax = plot_memberships(
        fit.X, fit.U, fit.pairs, most_rows=MOST_ROWS, most_pairs=MOST_PAIRS
    )
    lines = (
        " Lines are judgements: solid for alike, dashed for unlike, wider when "
        "stronger, red where the clusters break them."
        if len(fit.pairs.informative)
        else ""
    )
    return Section(
        "Map",
        picture=Picture(
            ax.figure,
            alt="Rows in the plane of their two main directions, coloured by cluster.",
            caption="Colour and shape tell the cluster of a row. The fuller its "
            "colour, the more certain it is; hollow ones are mixed." + lines,
        ),
    )


def _clusters(fit: Fit) -> Section:
    return Section(
        "Clusters",
        [
            "Rows count by their memberships. Differences are those between the "
            "cluster and the rest, in standard deviations: above about 0.8 they "
            "are large."
        ],
        cards=[_card(fit, cluster) for cluster in range(len(fit.sizes))],
    )


def _card(fit: Fit, cluster: int) -> Card:
    size = fit.sizes[cluster]
    mine = np.flatnonzero(fit.labels == cluster)
    share = percent(size / len(fit.U))
    text = [f"{counted(size, 'row')}, {share}; no row has it as its strongest."]
    if size:
        sure = criteria.certainty(fit.U)[mine].mean()
        u = fit.U[:, cluster]
        typical = mine[np.argsort(-u[mine], kind="stable")[:IN_CARD]]
        mixed = mine[most_mixed(fit.U[mine])[:IN_CARD]]
        text = [
            f"{counted(size, 'row')}, {share}; mean certainty {sure:.2f}.",
            "Most typical: "
            + ", ".join(f"{fit.names[row]} ({u[row]:.2f})" for row in typical)
            + ".",
            "Most mixed: "
            + ", ".join(_as_mixed(fit, row, cluster) for row in mixed)
            + ".",
        ]
    traits = sorted(
        (profile.trait(cluster) for profile in fit.profiles),
        key=lambda trait: -abs(trait.difference),
    )
    apart = Table(
        ["sets it apart", "here", "elsewhere", "difference"],
        [
            [trait.name, trait.here, trait.elsewhere, f"{trait.difference:+.2f}"]
            for trait in traits[:IN_CARD]
        ],
        numeric=(1, 2, 3),
    )
    mark, color = pick(GLYPHS, cluster), pick(COLORS, cluster)
    return Card(f"Cluster {cluster}", mark, color, text, apart)


def _as_mixed(fit: Fit, row: int, cluster: int) -> str:
    u = fit.U[row].copy()
    own, u[cluster] = u[cluster], -1.0
    if len(u) == 1:
        return f"{fit.names[row]} ({own:.2f})"
    other = int(u.argmax())
    return f"{fit.names[row]} ({own:.2f}, cluster {other} {u[other]:.2f})"


def _prototypes(fit: Fit) -> Section:
    k = len(fit.sizes)
    return Section(
        "Prototypes",
        [
            "What a typical row of each cluster looks like, in the units of the "
            "table: means of numbers and dates, the most common word with its "
            "share. The columns that differ most come first."
        ],
        tables=[
            short_table(
                ["column", *(f"cluster {c}" for c in clusters)],
                [
                    [profile.column, *(profile.prototype(c) for c in clusters)]
                    for profile in fit.profiles
                ],
                "",
                MOST_COLUMNS,
                numeric=range(1, len(clusters) + 1),
            )
            for first in range(0, k, ABREAST)
            if (clusters := range(first, min(first + ABREAST, k)))
        ],
    )


def _mixed(fit: Fit) -> Section:
    is_triangle = len(fit.sizes) == 3
    best = np.argsort(-fit.U[fit.mixed], axis=1, kind="stable")[:, :2]
    listing = short_table(
        ["row", "first cluster", "membership", "second cluster", "membership"],
        [
            [
                fit.names[row],
                int(first),
                float(fit.U[row, first]),
                int(second),
                float(fit.U[row, second]),
            ]
            for row, (first, second) in zip(fit.mixed, best, strict=True)
        ],
        "The most mixed rows",
        IN_LIST,
    )
    some = np.random.default_rng(0).permutation(len(fit.U))[:MOST_ROWS]
    ax = plot_mixtures(fit.U[some] if is_triangle else fit.U, fit.names)
    caption = (
        "Every row by its memberships: a row in a corner belongs to that cluster "
        "alone, a row in the middle to all three alike."
        if is_triangle
        else "The most mixed rows, piece by piece of their membership."
    )
    if is_triangle and len(some) < len(fit.U):
        caption += f" {len(some):,} of {len(fit.U):,} rows are drawn."
    return Section(
        "Mixed rows",
        picture=Picture(ax.figure, alt=caption, caption=caption),
        tables=[listing] if len(fit.mixed) else [],
    )


def _classes(fit: Fit) -> Section:
    classes, labels = fit.classes
    words, codes = np.unique(classes, return_inverse=True)
    counts = np.zeros((len(words), len(fit.sizes)), dtype=int)
    np.add.at(counts, (codes, labels), 1)
    return Section(
        "True classes",
        ["How many rows of each true class are in each cluster."],
        tables=[
            short_table(
                ["class", *(f"cluster {c}" for c in range(len(fit.sizes)))],
                [
                    [cut(str(word)), *row]
                    for word, row in zip(words, counts.tolist(), strict=True)
                ],
                "",
                MOST_COLUMNS,
            )
        ],
    )
