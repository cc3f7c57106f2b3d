"""The sections about what judgements changed: weights, certainty, before and after."""

import numpy as np

from fuzzypairs import criteria
from fuzzypairs._typing import Floats
from fuzzypairs.cluster.verdict import Verdict
from fuzzypairs.plots import (
    plot_feature_weights,
    plot_memberships,
    plot_reliability,
    style,
)
from fuzzypairs.plots.reliability import reliability_bins
from fuzzypairs.report.clusters import rename_clusters, row_titles
from fuzzypairs.report.facts import IN_LIST, FitFacts
from fuzzypairs.report.html import (
    Banner,
    Bar,
    Picture,
    Section,
    Table,
    counted,
    percent,
)

# Largest numbers of rows and rings in a map.
MOST_DRAWN, MOST_RINGS = 500, 100
# Columns matter about equally if the first has at most so many times the last's weight.
UNEVEN = 2.0


def banner_of(verdict: Verdict | None, notes: list[str]) -> Banner | None:
    """Return the verdict of a fit with its warnings, or None if there are none."""
    if verdict is None:
        return Banner("none", notes=notes) if notes else None
    found = {
        "with your judgements": verdict.with_judgements,
        "without judgements": verdict.without_judgements,
    }
    bars = [
        Bar(name, float(a.share), float(a.low), float(a.high))
        for name, a in found.items()
        if a is not None
    ]
    return Banner(verdict.level, verdict.sentences, bars, notes)


def guidance_sections(fit: FitFacts) -> list[Section]:
    """Return the sections about what judgements changed; none without judgements."""
    made = [_weights(fit)]
    if fit.before is not None:
        made.append(_before_after(fit, fit.before))
    return made


def _weights(fit: FitFacts) -> Section:
    heading, weights = "What your judgements show", fit.column_weights
    if fit.items is not None and len(weights or ()) < 2:
        return Section(heading, [_of_features(fit)])
    if weights is None:
        text = (
            "All columns count the same: the judgements did not show that some matter "
            "more than others. They act on the rows they are about"
        )
        spread = hasattr(fit.model, "propagation_")
        return Section(heading, [text + (", and on similar rows." if spread else ".")])
    ordered = sorted(weights.items(), key=lambda item: -item[1])
    few = ordered[0][1] > UNEVEN * ordered[-1][1]
    said = ", ".join(f"“{name}” ({100 * w:.0f} %)" for name, w in ordered[:3])
    text = (
        f"Your judgements follow some columns more than others: {said}."
        if few
        else "Your judgements follow all columns about equally."
    )
    picture = Picture(
        plot_feature_weights(list(weights.values()), list(weights)).figure,
        alt=f"Weights of columns: {said}.",
        caption="How much clusters depend on each column. The dotted line is the "
        "weight that all would have if they mattered equally.",
    )
    return Section(heading, [text], picture)


def _of_features(fit: FitFacts) -> str:
    """Say how unequally the features of items count, of which nobody knows names."""
    weights = np.sort(np.asarray(getattr(fit.model, "feature_weights_", ())))[::-1]
    if not len(weights) or np.allclose(weights, weights[0]):
        return "The judgements did not show that some features matter more than others."
    n_half = int(np.searchsorted(np.cumsum(weights) / weights.sum(), 0.5)) + 1
    return (
        f"The judgements decided which of the {len(weights)} features of each "
        f"{fit.noun} matter: {n_half} of them have half of the weight."
    )


def _before_after(fit: FitFacts, before: Floats) -> Section:
    moved = np.flatnonzero(fit.moved)
    told = fit.pairs.informative
    held = [int(criteria.pairs_held(told, U).sum()) for U in (before, fit.U)]
    text = [
        f"Clusters found without judgements satisfy {held[0]:,} of "
        f"{counted(len(told), 'judgement')}; those of this fit satisfy {held[1]:,}. "
        f"{counted(len(moved), f'{fit.noun} is', f'{fit.noun}s are')} in another "
        f"cluster than without judgements, {percent(len(moved) / len(fit.U))} of all."
    ]
    every = np.random.default_rng(0).permutation(len(fit.U))
    rows = np.sort(every[:MOST_DRAWN])
    rings = np.flatnonzero(fit.moved[rows])
    rings = rings if len(rings) <= MOST_RINGS else rings[:0]
    places = fit.X[rows]
    pictures = []
    for title, U in (
        ("Without judgements", before[rows]),
        ("With judgements", fit.U[rows]),
    ):
        ax = style.given_or_new(None, (4.8, 4.4))
        plot_memberships(places, U, ax=ax, highlight=rings, title=title, row_links=True)
        rename_clusters(fit, ax)
        titles = row_titles(fit, ax, rows)
        alt = f"Map of {fit.noun}s. {title}."
        pictures.append(Picture(ax.figure, alt=alt, titles=titles))
    if len(rows) < len(fit.U):
        text.append(f"The maps show {len(rows):,} of {len(fit.U):,} {fit.noun}s.")
    order = moved[np.argsort(-fit.certainty[moved], kind="stable")][:IN_LIST]
    sure = criteria.certainty(before)[order]
    table = Table(
        [fit.noun, "cluster without", "cluster with", "certainty without", "with"],
        [
            [
                fit.called(row),
                fit.tag(int(before[row].argmax())),
                fit.tag(int(fit.labels[row])),
                percent(was),
                percent(fit.certainty[row]),
            ]
            for row, was in zip(order, sure, strict=True)
        ],
        f"The {fit.noun}s that changed cluster, the most certain first",
        len(moved) - len(order),
        (3, 4) if fit.cluster_names else (1, 2, 3, 4),
    )
    return Section("Before and after", text, pictures, [table] if len(order) else [])


def certainty_section(fit: FitFacts) -> Section | None:
    """Return whether held-out judgements confirm probabilities, if there are any."""
    evidence = getattr(fit.model, "evidence_", None)
    if evidence is None or not len(evidence.held_out.pairs):
        return None
    held_out = evidence.held_out
    probability, grade = held_out.guided, held_out.pairs.grade
    bins = reliability_bins(probability, grade)
    if not len(bins):
        return None
    mean, share, _, _, count = bins.T
    gap = float(np.average(np.abs(mean - share), weights=count))
    text = (
        f"Each of {counted(int(count.sum()), 'judgement')} was held out once, and the "
        "model fitted to the others said how probable it is that the two rows belong "
        "together. On average this probability and the share of pairs that were judged "
        f"alike differ by {100 * gap:.0f} points. "
    )
    text += (
        "Certainty can be taken as it is."
        if gap < 0.1
        else "Take certainty with care: it orders rows, but its values are off."
    )
    picture = Picture(
        plot_reliability(probability, grade).figure,
        alt="Shares of held-out pairs judged alike against their probability: "
        + "; ".join(f"{percent(p)}: {percent(s)}" for p, s in bins[:, :2])
        + ".",
        caption="On the dotted line probabilities are reliable; below it they are too "
        "high. Numbers count judgements.",
    )
    return Section("How far to trust certainty", [text], picture)
