"""What judgements changed in a fit: as numbers, as a picture and as sections."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs import criteria
from fuzzypairs._typing import Floats, Ints
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import new_figure, plot_memberships
from fuzzypairs.report.html import Picture, Section, Table, percent

__all__ = ["Comparison"]

# Largest number of rows in the list of the largest changes of certainty.
SHOWN = 8


class Comparison:
    """What judgements changed: a fit without them and a fit with them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as it was clustered.
    pairs : PairSet or what `PairSet.coerce` accepts
        The judgements.
    before : array-like of shape (n_samples, n_clusters)
        Memberships without the judgements. Their clusters are renumbered to match
        those of `after`.
    after : array-like of shape (n_samples, n_clusters)
        Memberships with the judgements.
    truth : array-like of shape (n_samples,), optional
        True classes.

    Attributes
    ----------
    summary : dict
        The numbers, ready for JSON; [before, after] where there are two.

    Examples
    --------
    >>> from fuzzypairs.report import Comparison
    >>> before = [[0.0, 1.0], [0.4, 0.6], [1.0, 0.0]]
    >>> after = [[1.0, 0.0], [0.2, 0.8], [0.0, 1.0]]
    >>> both = Comparison([[0.0], [0.5], [1.0]], [(1, 2, 0.9)], before, after)
    >>> for sentence in both.findings():
    ...     print(sentence)
    The clusters satisfy 1 of 1 judgements, against 0 when fitted without them.
    Of 3 rows, 1 changed cluster.
    """

    def __init__(
        self,
        X: ArrayLike,
        pairs: Any,
        before: ArrayLike,
        after: ArrayLike,
        truth: ArrayLike | None = None,
    ) -> None:
        self.X = np.asarray(X)
        self.pairs = PairSet.coerce(pairs, n_samples=len(self.X))
        self.after = np.asarray(after)
        self.before = criteria.align_clusters(self.after, before)
        self.truth = truth
        self.summary = self._summarise()

    def _summarise(self) -> dict[str, Any]:
        fits = (self.before, self.after)
        labels = np.array([U.argmax(axis=1) for U in fits])
        sure = np.array([criteria.certainty(U) for U in fits]).round(4)
        held = np.array([criteria.pairs_held(self.pairs, U) for U in fits])

        def changes(rows: Ints) -> list[dict[str, Any]]:
            return [
                {
                    "row": int(row),
                    "cluster": labels[:, row].tolist(),
                    "certainty": sure[:, row].tolist(),
                }
                for row in rows
            ]

        most = np.argsort(-abs(sure[1] - sure[0]), kind="stable")[:SHOWN]
        return {
            "without_pairs": self._scores(self.before),
            "with_pairs": self._scores(self.after),
            "rows_moved": changes(np.flatnonzero(labels[0] != labels[1])),
            "certainty_changed_most": changes(most),
            "pairs": [
                {"i": i, "j": j, "grade": round(grade, 4), "held": both}
                for (i, j, grade), both in zip(self.pairs, held.T.tolist(), strict=True)
            ],
        }

    def _scores(self, memberships: Floats) -> dict[str, float]:
        scores = {
            "pairs_held": int(criteria.pairs_held(self.pairs, memberships).sum()),
            "pair_agreement": criteria.pair_agreement(self.pairs, memberships),
            "mean_certainty": float(criteria.certainty(memberships).mean()),
        }
        if self.truth is not None:
            scores["normalized_ari"] = criteria.normalized_ari(self.truth, memberships)
            scores["nmi"] = criteria.nmi(self.truth, memberships)
        return {name: round(score, 6) for name, score in scores.items()}

    def findings(self) -> list[str]:
        """Return what changed in sentences, the most important first."""
        before, after = self.summary["without_pairs"], self.summary["with_pairs"]
        n_pairs, n_moved = len(self.pairs), len(self.summary["rows_moved"])
        sentences = [
            f"The clusters satisfy {after['pairs_held']} of {n_pairs} judgements, "
            f"against {before['pairs_held']} when fitted without them.",
            f"Of {len(self.X)} rows, {n_moved} changed cluster.",
        ]
        if self.truth is None:
            return sentences
        return [
            f"With {n_pairs} graded pairs the normalised ARI against the true classes "
            f"goes from {percent(before['normalized_ari'])} to "
            f"{percent(after['normalized_ari'])}.",
            *sentences,
        ]

    def scores(self) -> Table:
        """Return how well both fits agree with the judgements and true classes."""
        fits = (self.summary["without_pairs"], self.summary["with_pairs"])
        shares = {
            "normalized_ari": "normalised ARI",
            "nmi": "NMI",
            "pair_agreement": "judgements satisfied, by strength",
            "mean_certainty": "mean certainty",
        }
        held = [fit["pairs_held"] for fit in fits]
        rows: list[list[str | float]] = [
            [name, *(percent(fit[key]) for fit in fits)]
            for key, name in shares.items()
            if key in fits[0]
        ]
        rows += [
            ["judgements satisfied", *held],
            ["judgements violated", *(len(self.pairs) - kept for kept in held)],
            ["rows that changed cluster", "", len(self.summary["rows_moved"])],
        ]
        return Table(["", "without pairs", "with pairs"], rows)

    def certainties(self) -> Table:
        """Return the rows whose certainty changed most."""
        return _change_table(
            "Rows whose certainty changed most", self.summary["certainty_changed_most"]
        )

    def figure(self) -> Any:
        """Draw both fits side by side, in one projection and one colouring."""
        figure = new_figure((11, 5.4))
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        moved = [change["row"] for change in self.summary["rows_moved"]]
        titles = ("Without pairs", f"With {len(self.pairs)} pairs")
        for ax, U, title in zip(panels, (self.before, self.after), titles, strict=True):
            plot_memberships(
                self.X, U, self.pairs, ax, highlight=moved, legend=False, title=title
            )
        panels[1].set_ylabel("")
        # One legend has the entries of both panels.
        entries = {
            label: handle
            for ax in panels
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        place = "outside lower center"
        figure.legend(entries.values(), entries, loc=place, ncols=4, frameon=False)
        return figure

    def sections(self) -> list[Section]:
        """Return the sections of a report about what changed."""
        picture = Picture(
            self.figure(),
            alt="All rows in the plane of their two main directions, coloured by "
            "cluster: without pairs on the left, with pairs on the right.",
            caption="Colour and shape tell the cluster; fainter is less certain. "
            "Lines are judgements: solid for alike, dashed for unlike, wider when "
            "stronger, red where the clusters break them. Rings mark rows that "
            "changed cluster.",
        )
        moved = _change_table("Rows that changed cluster", self.summary["rows_moved"])
        state = {True: "satisfied", False: "violated"}
        judgements = Table(
            ["row", "row", "grade", "without pairs", "with pairs"],
            [
                [p["i"], p["j"], p["grade"], *(state[held] for held in p["held"])]
                for p in self.summary["pairs"]
            ],
            "Judgements from -1 (unlike) to 1 (alike), satisfied or violated",
        ).first()
        return [
            Section("What the pairs changed", (), picture, [self.scores()]),
            Section(
                "Rows",
                ["Certainty runs from 0, equal memberships, to 1, one cluster only."],
                tables=[moved, self.certainties()],
            ),
            Section("Judgements", tables=[judgements]),
        ]


def _change_table(caption: str, changes: list[dict[str, Any]]) -> Table:
    words = ("cluster before", "cluster after", "certainty before", "certainty after")
    rows = [[c["row"], *c["cluster"], *c["certainty"]] for c in changes]
    return Table(["row", *words], rows, caption).first()
