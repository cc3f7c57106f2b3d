"""The sections about clusters: map, cards, prototypes, mixed rows, true classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.plots import most_mixed, plot_memberships, plot_mixtures, style
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.report.facts import ABREAST, IN_LIST, MOST_COLUMNS, MOST_DRAWN, FitFacts
from fuzzypairs.report.html import Card, Picture, Section, Table, counted, cut, percent
from fuzzypairs.report.item_cell import Gallery
from fuzzypairs.report.shown_items import (
    item_galleries,
    numbers_of,
    word_line,
    words_of,
)

Words = Sequence[tuple[str, float]]

# Largest numbers of judgements on the map, and of entries of the lists in cards.
MOST_PAIRS, IN_CARD = 100, 5
# Largest number of mixed rows that are drawn as bars.
MOST_BARS = 30
# Rows with the largest memberships among which typical ones are looked for.
CANDIDATES = 2000
# From this ratio of the second to the first membership on a row may be listed as mixed.
A_LITTLE = 0.05
# Columns that differ by less, in standard deviations, do not set a cluster apart.
SLIGHT = 0.2


def cluster_sections(fit: FitFacts) -> list[Section]:
    """Return the sections about clusters."""
    made = [_map(fit), _clusters(fit)]
    made = made if fit.items is None else made[::-1]  # what items look like comes first
    if fit.profiles:
        made.append(_prototypes(fit))
    if len(fit.sizes) > 1:
        made.append(_mixed(fit))
    if fit.truth is not None:
        made.append(_classes(fit))
    return made


def _map(fit: FitFacts) -> Section:
    ax = plot_memberships(
        fit.X, fit.U, fit.pairs, most_rows=MOST_DRAWN, most_pairs=MOST_PAIRS,
        row_links=True,
    )  # fmt: skip
    caption = (
        f"Colour and shape tell the cluster of a {fit.noun}. The fuller its colour, "
        "the more certain it is; hollow ones are mixed. Point at one, or click on it, "
        "to read its name."
    )
    if fit.n_judged:
        caption += (
            " Lines are judgements: solid for alike, dashed for unlike, wider when "
            "stronger, red where the clusters violate them."
        )
    rename_clusters(fit, ax)
    alt = f"The {fit.noun}s in the plane of their main directions, coloured by cluster."
    picture = Picture(ax.figure, alt, caption, row_titles(fit, ax))
    return Section("Map", picture=picture)


def rename_clusters(fit: FitFacts, ax: Any) -> None:
    """Put the names of clusters into the legend of a figure."""
    legend = ax.get_legend()
    for text in () if legend is None else legend.get_texts():
        word, _, number = text.get_text().partition(" ")
        if word == "cluster" and number.isdigit():
            text.set_text(fit.cluster(int(number)))


def row_titles(fit: FitFacts, ax: Any, rows: Ints | None = None) -> dict[int, str]:
    """Return what to call the rows that a map links; `rows` are those it has."""
    links = [url for dots in ax.collections for url in dots.get_urls() if url]
    numbers = [int(link.removeprefix("#row-")) for link in links]
    titles = {}
    for number in numbers:
        row = number if rows is None else int(rows[number])
        titles[number] = (
            f"{fit.names[row]}: {fit.cluster(fit.labels[row])}, certainty "
            f"{percent(fit.certainty[row])}"
        )
    return titles


def _clusters(fit: FitFacts) -> Section:
    text = ""
    if fit.items is not None and fit.items.kind == "text":
        text = (
            "Numbers behind words are log-odds ratios with a prior, over their "
            "standard errors; a word is listed if it is clearly more frequent in the "
            "cluster than in others. "
        )
    if fit.profiles:
        text += (
            "Rows count by their memberships. Differences are those between the "
            "cluster and the rest, in standard deviations: above about 0.8 they are "
            "large."
        )
    if fit.profiles and fit.column_weights is not None:
        text += (
            " Weights say how much a column matters in the space of the fit. Columns "
            "are ordered by difference times weight."
        )
    text += (
        f" Typical {fit.noun}s are those nearest to the mean of their cluster, among "
        "its clearest ones."
    )
    words = [] if fit.items is None else words_of(fit.items, fit.labels, len(fit.sizes))
    cards = [_card(fit, cluster, words) for cluster in range(len(fit.sizes))]
    return Section("Clusters", [text.strip()], cards=cards)


def _card(fit: FitFacts, cluster: int, words: Sequence[Words]) -> Card:
    size = fit.sizes[cluster]
    mine = np.flatnonzero(fit.labels == cluster)
    rows = f"{counted(size, fit.noun)}, {percent(size / len(fit.U))}"
    text = [f"{rows}; no {fit.noun} has it as its strongest."]
    galleries: list[Gallery] = []
    if size:
        text = [f"{rows}; mean certainty {percent(fit.certainty[mine].mean())}."]
        n_typical, n_mixed = IN_CARD, IN_CARD
        if fit.items is not None:
            n_typical, n_mixed = numbers_of(fit.items, len(fit.sizes))
        mixed = _mixed_rows(fit, mine, n_mixed)
        typical = _typical_rows(fit, np.setdiff1d(mine, mixed), cluster, n_typical)
        if fit.items is None:
            lists = {
                "Most typical": [fit.names[row] for row in typical],
                "Most mixed": [
                    f"{fit.names[row]} ({fit.mixture(row, cluster)})" for row in mixed
                ],
            }
            text += [f"{title}: {', '.join(e)}." for title, e in lists.items() if e]
        else:
            text += [word_line(words[cluster])] if fit.items.kind == "text" else []
            galleries = item_galleries(fit, cluster, typical, mixed)
    mark = style.pick(style.GLYPHS, cluster)
    color = f"var(--k{cluster % len(style.COLORS)})"
    called, title = fit.cluster(cluster), f"Cluster {cluster}"
    if called != title.lower():
        title = f"{called} ({title.lower()})"
    table = _traits(fit, cluster) if fit.profiles else None
    return Card(title, mark, color, text, table, galleries)


def _traits(fit: FitFacts, cluster: int) -> Table:
    """Return the columns that set a cluster apart."""
    weights = fit.column_weights
    ordered = sorted(
        fit.profiles, key=lambda profile: -fit.importance(profile, cluster)
    )
    heads = ["sets it apart", "here", "elsewhere", "difference"]
    traits = [(profile.column, profile.trait(cluster)) for profile in ordered[:IN_CARD]]
    # A table without rows would say less than one with small differences.
    traits = [t for t in traits if abs(t[1].difference) >= SLIGHT] or traits[:1]
    return Table(
        heads if weights is None else [*heads, "weight"],
        [
            [
                *(trait.name, trait.here, trait.elsewhere, f"{trait.difference:+.2f}"),
                *([] if weights is None else [f"{100 * weights[column]:.0f} %"]),
            ]
            for column, trait in traits
        ],
        numeric=(1, 2, 3, 4),
    )


def _mixed_rows(fit: FitFacts, mine: Ints, most: int) -> Ints:
    """Return the most mixed rows of a cluster, of which none is clear."""
    U = fit.U[mine]
    rows = most_mixed(U)[:most]
    return mine[rows[mixedness(U[rows]) >= A_LITTLE]]


def _typical_rows(fit: FitFacts, mine: Ints, cluster: int, most: int) -> Ints:
    """Return the rows nearest to the mean of a cluster, of its clearest ones."""
    u = fit.U[mine, cluster]
    clear = mine[np.argsort(-u, kind="stable")[:CANDIDATES]]
    if not len(clear):
        return clear
    near = fit.X[clear]
    found = np.asarray(getattr(fit.model, "feature_weights_", ()))
    weights = found if len(found) == near.shape[1] else np.ones(near.shape[1])
    mean = np.average(near, axis=0, weights=fit.U[clear, cluster] + 1e-12)
    return clear[np.argsort((near - mean) ** 2 @ weights, kind="stable")[:most]]


def _prototypes(fit: FitFacts) -> Section:
    text = (
        "A typical row of each cluster, in the units of the table: means of numbers "
        "and dates, the most common category with its share. The columns that differ "
        "most come first."
    )
    every = range(len(fit.sizes))
    tables = []
    for clusters in (every[first : first + ABREAST] for first in every[::ABREAST]):
        columns = ["column", *(fit.cluster(c) for c in clusters)]
        rows = [
            [profile.column, *(profile.prototype(c) for c in clusters)]
            for profile in fit.profiles
        ]
        table = Table(columns, rows, numeric=range(1, len(columns)))
        tables.append(table.first(MOST_COLUMNS))
    return Section("Prototypes", [text], tables=tables)


def _mixed(fit: FitFacts) -> Section:
    n_rows = len(fit.U)
    most = most_mixed(fit.U)[:MOST_BARS]
    some = most[mixedness(fit.U[most]) >= A_LITTLE]
    picture = None
    if len(fit.sizes) == 3:
        drawn = np.random.default_rng(0).permutation(n_rows)[:MOST_DRAWN]
        ax = plot_mixtures(fit.U[drawn])
        rename_clusters(fit, ax)
        caption = (
            f"Each {fit.noun} by its memberships: one in a corner belongs to that "
            "cluster alone, one in the middle to all three equally."
        )
        if len(drawn) < n_rows:
            caption += f" {len(drawn):,} of {n_rows:,} {fit.noun}s are drawn."
        picture = Picture(ax.figure, alt=caption, caption=caption)
    elif len(some):
        ax = plot_mixtures(fit.U[some], [fit.names[row] for row in some.tolist()])
        rename_clusters(fit, ax)
        caption = f"Memberships of the most mixed {fit.noun}s."
        picture = Picture(ax.figure, alt=caption, caption=caption)
    none = f"No {fit.noun} is mixed: all belong to one cluster alone."
    text = [] if len(some) else [none]
    rows = fit.mixed[:IN_LIST].tolist()
    best = np.argsort(-fit.U[rows], axis=1, kind="stable")[:, :2].tolist()
    table = Table(
        [fit.noun, "first cluster", "membership", "second cluster", "membership"],
        [
            [
                *(fit.called(row), fit.tag(a), percent(fit.U[row, a])),
                *(fit.tag(b), percent(fit.U[row, b])),
            ]
            for row, (a, b) in zip(rows, best, strict=True)
        ],
        f"The most mixed {fit.noun}s",
        len(fit.mixed) - len(rows),
        (2, 4) if fit.cluster_names else (1, 2, 3, 4),
    )
    return Section(f"Mixed {fit.noun}s", text, picture, [table] if rows else [])


def _classes(fit: FitFacts) -> Section:
    classes, labels = fit.classes
    names, codes = np.unique(classes, return_inverse=True)
    counts = np.zeros((len(names), len(fit.sizes)), dtype=int)
    np.add.at(counts, (codes, labels), 1)
    columns = ["class", *(fit.cluster(c) for c in range(len(fit.sizes)))]
    rows = [[cut(name), *row] for name, row in zip(names, counts.tolist(), strict=True)]
    return Section(
        "True classes",
        [f"How many {fit.noun}s of each true class are in each cluster."],
        tables=[Table(columns, rows).first(MOST_COLUMNS)],
    )
