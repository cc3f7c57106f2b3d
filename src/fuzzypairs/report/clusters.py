"""The sections about clusters: map, cards, prototypes, mixed rows, true classes."""

from typing import Any

import numpy as np

from fuzzypairs._typing import Ints
from fuzzypairs.plots import most_mixed, plot_memberships, plot_mixtures, style
from fuzzypairs.plots.mixtures import mixedness
from fuzzypairs.report.facts import ABREAST, IN_LIST, MOST_COLUMNS, MOST_DRAWN, FitFacts
from fuzzypairs.report.html import Card, Picture, Section, Table, counted, cut, percent

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
    made = [_map(fit), _clusters(fit), _prototypes(fit)]
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
        "Colour and shape tell the cluster of a row. The fuller its colour, the more "
        "certain it is; hollow ones are mixed. Point at a row, or click on it, to read "
        "its name."
    )
    if fit.n_judged:
        caption += (
            " Lines are judgements: solid for alike, dashed for unlike, wider when "
            "stronger, red where the clusters violate them."
        )
    alt = "Rows in the plane of their two main directions, coloured by cluster."
    picture = Picture(ax.figure, alt, caption, row_titles(fit, ax))
    return Section("Map", picture=picture)


def row_titles(fit: FitFacts, ax: Any, rows: Ints | None = None) -> dict[int, str]:
    """Return what to call the rows that a map links; `rows` are those it has."""
    links = [url for dots in ax.collections for url in dots.get_urls() if url]
    numbers = [int(link.removeprefix("#row-")) for link in links]
    titles = {}
    for number in numbers:
        row = number if rows is None else int(rows[number])
        titles[number] = (
            f"{fit.names[row]}: cluster {fit.labels[row]}, certainty "
            f"{percent(fit.certainty[row])}"
        )
    return titles


def _clusters(fit: FitFacts) -> Section:
    text = (
        "Rows count by their memberships. Differences are those between the cluster "
        "and the rest, in standard deviations: above about 0.8 they are large."
    )
    if fit.column_weights is not None:
        text += (
            " Weights say how much a column matters in the space of the fit. Columns "
            "are ordered by difference times weight."
        )
    text += (
        " Typical rows are those nearest to the mean of their cluster, among its "
        "clearest ones."
    )
    cards = [_card(fit, cluster) for cluster in range(len(fit.sizes))]
    return Section("Clusters", [text], cards=cards)


def _card(fit: FitFacts, cluster: int) -> Card:
    size = fit.sizes[cluster]
    mine = np.flatnonzero(fit.labels == cluster)
    rows = f"{counted(size, 'row')}, {percent(size / len(fit.U))}"
    text = [f"{rows}; no row has it as its strongest."]
    if size:
        mixed = _mixed_rows(fit, mine)
        typical = _typical_rows(fit, np.setdiff1d(mine, mixed), cluster)
        lists = {
            "Most typical": [fit.names[row] for row in typical],
            "Most mixed": [_mixture(fit, row, cluster) for row in mixed],
        }
        text = [
            f"{rows}; mean certainty {percent(fit.certainty[mine].mean())}.",
            *(
                f"{title}: {', '.join(entries)}."
                for title, entries in lists.items()
                if entries
            ),
        ]
    weights = fit.column_weights
    ordered = sorted(
        fit.profiles, key=lambda profile: -fit.importance(profile, cluster)
    )
    heads = ["sets it apart", "here", "elsewhere", "difference"]
    traits = [(profile.column, profile.trait(cluster)) for profile in ordered[:IN_CARD]]
    # A table without rows would say less than one with small differences.
    traits = [t for t in traits if abs(t[1].difference) >= SLIGHT] or traits[:1]
    table = Table(
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
    mark = style.pick(style.GLYPHS, cluster)
    color = f"var(--k{cluster % len(style.COLORS)})"
    return Card(f"Cluster {cluster}", mark, color, text, table)


def _mixed_rows(fit: FitFacts, mine: Ints) -> Ints:
    """Return the most mixed rows of a cluster, of which none is clear."""
    U = fit.U[mine]
    rows = most_mixed(U)[:IN_CARD]
    return mine[rows[mixedness(U[rows]) >= A_LITTLE]]


def _typical_rows(fit: FitFacts, mine: Ints, cluster: int) -> Ints:
    """Return the rows nearest to the mean of a cluster, of its clearest ones."""
    u = fit.U[mine, cluster]
    clear = mine[np.argsort(-u, kind="stable")[:CANDIDATES]]
    if not len(clear):
        return clear
    near = fit.X[clear]
    found = np.asarray(getattr(fit.model, "feature_weights_", ()))
    weights = found if len(found) == near.shape[1] else np.ones(near.shape[1])
    mean = np.average(near, axis=0, weights=fit.U[clear, cluster] + 1e-12)
    return clear[np.argsort((near - mean) ** 2 @ weights, kind="stable")[:IN_CARD]]


def _mixture(fit: FitFacts, row: int, cluster: int) -> str:
    """Return a row with its memberships of its own cluster and of the next one."""
    others = np.delete(np.arange(len(fit.sizes)), cluster)
    other = others[fit.U[row, others].argmax()]
    own, next_one = percent(fit.U[row, cluster]), percent(fit.U[row, other])
    return f"{fit.names[row]} ({own}, cluster {other} {next_one})"


def _prototypes(fit: FitFacts) -> Section:
    text = (
        "A typical row of each cluster, in the units of the table: means of numbers "
        "and dates, the most common category with its share. The columns that differ "
        "most come first."
    )
    every = range(len(fit.sizes))
    tables = []
    for clusters in (every[first : first + ABREAST] for first in every[::ABREAST]):
        columns = ["column", *(f"cluster {c}" for c in clusters)]
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
        caption = (
            "Each row by its memberships: a row in a corner belongs to that cluster "
            "alone, a row in the middle to all three equally."
        )
        if len(drawn) < n_rows:
            caption += f" {len(drawn):,} of {n_rows:,} rows are drawn."
        picture = Picture(ax.figure, alt=caption, caption=caption)
    elif len(some):
        ax = plot_mixtures(fit.U[some], [fit.names[row] for row in some.tolist()])
        caption = "Memberships of the most mixed rows."
        picture = Picture(ax.figure, alt=caption, caption=caption)
    text = [] if len(some) else ["No row is mixed: all belong to one cluster alone."]
    rows = fit.mixed[:IN_LIST].tolist()
    best = np.argsort(-fit.U[rows], axis=1, kind="stable")[:, :2].tolist()
    table = Table(
        ["row", "first cluster", "membership", "second cluster", "membership"],
        [
            [fit.names[row], a, percent(fit.U[row, a]), b, percent(fit.U[row, b])]
            for row, (a, b) in zip(rows, best, strict=True)
        ],
        "The most mixed rows",
        len(fit.mixed) - len(rows),
        (1, 2, 3, 4),
    )
    return Section("Mixed rows", text, picture, [table] if rows else [])


def _classes(fit: FitFacts) -> Section:
    classes, labels = fit.classes
    names, codes = np.unique(classes, return_inverse=True)
    counts = np.zeros((len(names), len(fit.sizes)), dtype=int)
    np.add.at(counts, (codes, labels), 1)
    columns = ["class", *(f"cluster {c}" for c in range(len(fit.sizes)))]
    rows = [[cut(name), *row] for name, row in zip(names, counts.tolist(), strict=True)]
    return Section(
        "True classes",
        ["How many rows of each true class are in each cluster."],
        tables=[Table(columns, rows).first(MOST_COLUMNS)],
    )
