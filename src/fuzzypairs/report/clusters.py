"""The sections about clusters: map, cards, prototypes, mixed rows, true classes."""

import numpy as np

from fuzzypairs.criteria import certainty
from fuzzypairs.plots import most_mixed, plot_memberships, plot_mixtures, style
from fuzzypairs.report.facts import ABREAST, IN_LIST, MOST_COLUMNS, MOST_DRAWN, FitFacts
from fuzzypairs.report.html import Card, Picture, Section, Table, counted, cut, percent

# Largest numbers of judgements on the map, and of entries of the lists in cards.
MOST_PAIRS, IN_CARD = 100, 5


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
        fit.X, fit.U, fit.pairs, most_rows=MOST_DRAWN, most_pairs=MOST_PAIRS
    )
    caption = (
        "Colour and shape tell the cluster of a row. The fuller its colour, the more "
        "certain it is; hollow ones are mixed."
    )
    if fit.n_judged:
        caption += (
            " Lines are judgements: solid for alike, dashed for unlike, wider when "
            "stronger, red where the clusters break them."
        )
    alt = "Rows in the plane of their two main directions, coloured by cluster."
    return Section("Map", picture=Picture(ax.figure, alt, caption))


def _clusters(fit: FitFacts) -> Section:
    text = (
        "Rows count by their memberships. Differences are those between the cluster "
        "and the rest, in standard deviations: above about 0.8 they are large."
    )
    cards = [_card(fit, cluster) for cluster in range(len(fit.sizes))]
    return Section("Clusters", [text], cards=cards)


def _card(fit: FitFacts, cluster: int) -> Card:
    size, u = fit.sizes[cluster], fit.U[:, cluster]
    mine = np.flatnonzero(fit.labels == cluster)
    rows = f"{counted(size, 'row')}, {percent(size / len(u))}"
    text = [f"{rows}; no row has it as its strongest."]
    if size:
        typical = mine[np.argsort(-u[mine], kind="stable")[:IN_CARD]]
        mixed = mine[most_mixed(fit.U[mine])[:IN_CARD]]
        lists = {
            "Most typical": [f"{fit.names[row]} ({u[row]:.2f})" for row in typical],
            "Most mixed": [_mixture(fit, row, cluster) for row in mixed],
        }
        text = [
            f"{rows}; mean certainty {certainty(fit.U)[mine].mean():.2f}.",
            *(f"{title}: {', '.join(entries)}." for title, entries in lists.items()),
        ]
    traits = sorted(
        (profile.trait(cluster) for profile in fit.profiles),
        key=lambda trait: -abs(trait.difference),
    )
    table = Table(
        ["sets it apart", "here", "elsewhere", "difference"],
        [
            [trait.name, trait.here, trait.elsewhere, f"{trait.difference:+.2f}"]
            for trait in traits[:IN_CARD]
        ],
        numeric=(1, 2, 3),
    )
    mark = style.pick(style.GLYPHS, cluster)
    color = style.pick(style.COLORS, cluster)
    return Card(f"Cluster {cluster}", mark, color, text, table)


def _mixture(fit: FitFacts, row: int, cluster: int) -> str:
    """Return a row with its memberships of its own cluster and of the next one."""
    own = f"{fit.names[row]} ({fit.U[row, cluster]:.2f}"
    others = np.delete(np.arange(len(fit.sizes)), cluster)
    if not len(others):
        return f"{own})"
    other = others[fit.U[row, others].argmax()]
    return f"{own}, cluster {other} {fit.U[row, other]:.2f})"


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
    if len(fit.sizes) == 3:
        some = np.random.default_rng(0).permutation(n_rows)[:MOST_DRAWN]
        ax = plot_mixtures(fit.U[some])
        caption = (
            "Each row by its memberships: a row in a corner belongs to that cluster "
            "alone, a row in the middle to all three equally."
        )
        if len(some) < n_rows:
            caption += f" {len(some):,} of {n_rows:,} rows are drawn."
    else:
        ax = plot_mixtures(fit.U, fit.names)
        caption = "Memberships of the most mixed rows."
    best = np.argsort(-fit.U[fit.mixed], axis=1, kind="stable")[:, :2].tolist()
    table = Table(
        ["row", "first cluster", "membership", "second cluster", "membership"],
        [
            [fit.names[row], a, float(fit.U[row, a]), b, float(fit.U[row, b])]
            for row, (a, b) in zip(fit.mixed, best, strict=True)
        ],
        "The most mixed rows",
    ).first(IN_LIST)
    picture = Picture(ax.figure, alt=caption, caption=caption)
    return Section("Mixed rows", (), picture, [table] if table.rows else [])


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
