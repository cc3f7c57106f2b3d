"""The part of a page about judgements: their fate, their pull, contradictions."""

import numpy as np

from fuzzypairs.plots import plot_judgements, shared_membership
from fuzzypairs.report.conflicts import pulls
from fuzzypairs.report.facts import IN_LIST, Fit
from fuzzypairs.report.html import Picture, Section, Table, percent, short_table
from fuzzypairs.report.sentences import counted

__all__ = ["judgement_section"]


def judgement_section(fit: Fit) -> Section:
    """Return what the page tells about judgements."""
    pairs = fit.pairs
    n_silent = int((pairs.grade == 0).sum())
    text = [
        "A judgement of alike is held when both rows have the same strongest "
        "cluster, one of unlike when they have not. Shared is how much of their "
        "membership two rows have in common, from 0 to 1. The pull of a judgement "
        "is how hard it still draws the memberships its way where the fit ended: 0 "
        "once it is obeyed to the full. Those with the strongest pull deserve a "
        "second look."
    ]
    if n_silent:
        text.append(
            f"{counted(n_silent, 'judgement was', 'judgements were')} 0, "
            "can't say, and had no effect."
        )
    n_chained = fit.contradictions.n_chained
    if n_chained:
        text.append(
            f"{counted(n_chained, 'judgement')} of unlike "
            f"{'is' if n_chained == 1 else 'are'} between rows that a chain of "
            "three or more judgements of alike joins."
        )
    if not len(pairs.informative):
        return Section("Judgements", text)
    n_asked, n_broken = len(pairs.informative), int((~fit.held).sum())
    return Section(
        "Judgements",
        text,
        Picture(
            plot_judgements(pairs, fit.U).figure,
            alt=f"{n_asked - n_broken} of {n_asked} judgements are held.",
            caption="What was judged against what the clusters made of it. Rows "
            "judged alike should share their memberships, to the upper right; rows "
            "judged unlike should not, to the lower left.",
        ),
        [*_fates(fit), *_conflicts(fit)],
    )


def _fates(fit: Fit) -> list[Table]:
    pairs, names = fit.pairs, fit.names
    pull = pulls(pairs, fit.U, fit.model.beta_)
    total = pull.sum() or 1.0
    shared = shared_membership(pairs, fit.U)
    order = np.argsort(-pull, kind="stable")
    tables = []
    for caption, kept in (
        ("Broken judgements, by pull", ~fit.held),
        ("Held judgements, by pull", fit.held & (pairs.grade != 0)),
    ):
        rows: list[list[str | float]] = [
            [
                names[pairs.i[at]],
                names[pairs.j[at]],
                float(pairs.grade[at]),
                float(shared[at]),
                f"{pull[at]:.3g}",
                percent(pull[at] / total),
            ]
            for at in order[kept[order]]
        ]
        heads = ["row", "row", "grade", "shared", "pull", "of all pull"]
        if rows:
            tables.append(
                short_table(heads, rows, caption, IN_LIST, numeric=(2, 3, 4, 5))
            )
    return tables


def _conflicts(fit: Fit) -> list[Table]:
    found, names = fit.contradictions, fit.names
    if not found.n_triangles:
        return []
    return [
        Table(
            ["a", "b", "c", "a, b", "b, c", "a, c"],
            [
                [names[t.a], names[t.b], names[t.c], t.ab, t.bc, t.ac]
                for t in found.triangles
            ],
            "Judgements that contradict each other, the strongest first: a and b "
            "alike, b and c alike, but a and c unlike",
            found.n_triangles - len(found.triangles),
        )
    ]
