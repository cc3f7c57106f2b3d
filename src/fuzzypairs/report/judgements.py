"""The section about judgements: which are satisfied, influence, contradictions."""

import numpy as np

from fuzzypairs._typing import Floats
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import plot_judgements, shared_membership
from fuzzypairs.report.facts import IN_LIST, FitFacts
from fuzzypairs.report.html import Picture, Section, Table, counted, percent
from fuzzypairs.report.item_cell import ItemCell

# A smaller membership counts as 0.
ZERO = 1e-9


def judgement_section(fit: FitFacts) -> Section:
    """Return the section about judgements."""
    pairs = fit.pairs
    text = [
        f"A judgement of alike is satisfied when both {fit.noun}s have the same "
        "strongest cluster, one of unlike when they do not. Shared is how much of "
        f"their membership two {fit.noun}s have in common. The influence of a "
        "judgement is how strongly it still acts on the memberships where the fit "
        "ended: 0 once it is fully satisfied. Check those with the largest influence "
        "first."
    ]
    if n_unknown := int((pairs.grade == 0).sum()):
        text.append(
            f"{counted(n_unknown, 'judgement was', 'judgements were')} 0, "
            "can't say, and had no effect."
        )
    triangles, n_chained = fit.contradictions
    if n_chained:
        text.append(
            f"{counted(n_chained, 'judgement')} of unlike "
            f"{'is' if n_chained == 1 else 'are'} between {fit.noun}s that a chain of "
            "three or more judgements of alike joins."
        )
    if not fit.n_judged:
        return Section("Judgements", text)
    picture = Picture(
        plot_judgements(pairs, fit.U).figure,
        alt=f"{fit.n_judged - fit.n_broken} of {fit.n_judged} judgements satisfied.",
        caption="Grades against shared memberships. Those judged alike should share "
        "their memberships: upper right. Those judged unlike should not: lower left.",
    )
    tables = _influence_tables(fit)
    if triangles:
        tables.append(
            Table(
                ["a", "b", "c", "a, b", "b, c", "a, c"],
                [
                    [*(fit.called(row) for row in t[:3]), *t[3:]]
                    for t in triangles[:IN_LIST]
                ],
                "Judgements that contradict each other, the strongest first: a and b "
                "alike, b and c alike, but a and c unlike",
                max(len(triangles) - IN_LIST, 0),
            )
        )
    return Section("Judgements", text, picture, tables)


def _influence_tables(fit: FitFacts) -> list[Table]:
    pairs = fit.pairs
    # Without a weight of judgements in the model: the order is that of any weight.
    influence = pair_influence(pairs, fit.U, getattr(fit.model, "beta_", 1.0))
    shared = shared_membership(pairs, fit.U)
    by_influence = np.argsort(-influence, kind="stable")
    found = np.asarray(getattr(fit.model, "pair_reliability_", ()))
    reliability = found if len(found) == len(pairs) else None
    by_doubt, order = "by influence", by_influence
    if reliability is not None:
        by_doubt = "the least reliable first"
        order = by_influence[np.argsort(reliability[by_influence], kind="stable")]
    tables, has_judges = [], len(pairs.judge_names) > 1
    for caption, mine in (
        (f"Violated judgements, {by_doubt}", order[~fit.held[order]]),
        (
            "Satisfied judgements, by influence",
            by_influence[(fit.held & (pairs.grade != 0))[by_influence]],
        ),
    ):
        rows: list[list[str | float | ItemCell]] = [
            [
                fit.called(pairs.i[n]),
                fit.called(pairs.j[n]),
                float(pairs.grade[n]),
                percent(shared[n]),
                f"{influence[n]:.3g}",
                *([] if reliability is None else [percent(reliability[n])]),
                *([pairs.judge_names[pairs.judges[n]]] if has_judges else []),
            ]
            for n in mine[:IN_LIST]
        ]
        if rows:
            columns = [fit.noun, fit.noun, "grade", "shared", "influence"]
            columns += [] if reliability is None else ["reliability"]
            numbers, n_more = range(2, len(columns)), len(mine) - len(rows)
            columns += ["judge"] * has_judges
            tables.append(Table(columns, rows, caption, n_more, numbers))
    return tables


def pair_influence(pairs: PairSet, U: Floats, beta: float) -> Floats:
    """Return the influence of each judgement where a fit ended, shape (n_pairs,).

    The term of a judgement in the objective, eq. (6), has the gradients

        beta s (u_p - u_q) and its opposite for s >= 0,    -beta s u_q, -beta s u_p else

    with respect to its two rows. Its influence is their norm after projection onto
    the steps that keep rows on the simplex: 0 for a judgement that is fully satisfied,
    whatever its grade.
    """
    u, v, s = U[pairs.i], U[pairs.j], pairs.grade[:, None]
    steps = [
        _feasible_step(u, np.where(s >= 0, s * (v - u), s * v)),
        _feasible_step(v, np.where(s >= 0, s * (u - v), s * u)),
    ]
    influence: Floats = beta * np.linalg.norm(np.hstack(steps), axis=1)
    return influence


def _feasible_step(U: Floats, step: Floats) -> Floats:
    """Project steps from rows U onto the tangent cone of the simplex.

    Entries lose their mean, but those that would fall below 0 stay and do not count
    in the mean.
    """
    free = np.ones(U.shape, dtype=bool)
    for _ in range(U.shape[1]):
        mean = (step * free).sum(axis=1, keepdims=True) / free.sum(
            axis=1, keepdims=True
        )
        fixed = free & (U <= ZERO) & (step < mean)
        if not fixed.any():
            break
        free &= ~fixed
    return np.where(free, step - mean, 0.0)
