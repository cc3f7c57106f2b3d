"""What pairs changed in a fit, as numbers, as a picture and as part of a page."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fuzzypairs import criteria
from fuzzypairs.pairs import PairSet
from fuzzypairs.plots import new_figure, plot_memberships
from fuzzypairs.report.html import Picture, Section, Table, percent, short_table

__all__ = ["Comparison"]

# How many rows the list of the largest changes shows.
SHOWN = 8


class Comparison:
    """What judgements changed: a fit without them beside a fit with them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data as it was clustered.
    pairs : PairSet or what `PairSet.coerce` accepts
        The judgements.
    before : array-like of shape (n_samples, n_clusters)
        Memberships without the judgements. Their clusters are renumbered after
        those of `after`, which keep the numbers that the model gives to new rows.
    after : array-like of shape (n_samples, n_clusters)
        Memberships with the judgements.
    truth : array-like of shape (n_samples,), optional
        True classes, where they are known.

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
    The clusters hold 1 of 1 judgements, against 0 when fitted without them.
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

        def changes(rows: NDArray[np.intp]) -> list[dict[str, Any]]:
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
                {"i": i, "j": j, "grade": round(grade, 4), "held": fate}
                for (i, j, grade), fate in zip(self.pairs, held.T.tolist(), strict=True)
            ],
        }

    def _scores(self, memberships: NDArray[np.float64]) -> dict[str, float]:
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
        """Say what changed in sentences, the most important first."""
        before, after = self.summary["without_pairs"], self.summary["with_pairs"]
        n_pairs, n_moved = len(self.pairs), len(self.summary["rows_moved"])
        sentences = [
            f"The clusters hold {after['pairs_held']} of {n_pairs} judgements, against "
            f"{before['pairs_held']} when fitted without them.",
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
        """Return how well both fits agree with the judgements and the truth."""
        fits = (self.summary["without_pairs"], self.summary["with_pairs"])
        shares = {
            "normalized_ari": "normalised ARI",
            "nmi": "NMI",
            "pair_agreement": "judgements held, by strength",
            "mean_certainty": "mean certainty",
        }
        held = [fit["pairs_held"] for fit in fits]
        rows: list[list[str | float]] = [
            [name, *(percent(fit[key]) for fit in fits)]
            for key, name in shares.items()
            if key in fits[0]
        ]
        rows += [
            ["judgements held", *held],
            ["judgements broken", *(len(self.pairs) - kept for kept in held)],
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
        for ax, memberships, title in zip(
            panels,
            (self.before, self.after),
            ("Without pairs", f"With {len(self.pairs)} pairs"),
            strict=True,
        ):
            plot_memberships(
                self.X, memberships, self.pairs, ax,
                highlight=moved, legend=False, title=title,
            )  # fmt: skip
        panels[1].set_ylabel("")
        # One legend for both: what occurs in one panel only is explained, too.
        entries = {
            label: handle
            for ax in panels
            for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            entries.values(),
            entries,
            loc="outside lower center",
            ncols=4,
            frameon=False,
        )
        return figure

    def sections(self) -> list[Section]:
        """Return the part of a report that tells what changed."""
        changes = Section(
            "What the pairs changed",
            picture=Picture(
                self.figure(),
                alt="All rows in the plane of their two main directions, coloured by "
                "cluster: without pairs on the left, with pairs on the right.",
                caption="Colour and shape tell the cluster; fainter is less certain. "
                "Lines are judgements: solid for alike, dashed for unlike, wider when "
                "stronger, red where the clusters break them. Rings mark rows that "
                "changed cluster.",
            ),
            tables=[self.scores()],
        )
        rows = Section(
            "Rows",
            ["Certainty runs from 0, all clusters alike, to 1, one cluster only."],
            tables=[
                _change_table("Rows that changed cluster", self.summary["rows_moved"]),
                self.certainties(),
            ],
        )
        return [changes, rows, self._judgements()]

    def _judgements(self) -> Section:
        word = {True: "held", False: "broken"}
        rows = [
            [
                pair["i"],
                pair["j"],
                pair["grade"],
                *(word[held] for held in pair["held"]),
            ]
            for pair in self.summary["pairs"]
        ]
        heads = ["row", "row", "grade", "without pairs", "with pairs"]
        caption = "Judgements from -1 (unlike) to 1 (alike), and their fate"
        return Section("Judgements", tables=[short_table(heads, rows, caption)])


def _change_table(caption: str, changes: list[dict[str, Any]]) -> Table:
    return short_table(
        [
            "row",
            "cluster before",
            "cluster after",
            "certainty before",
            "certainty after",
        ],
        [[c["row"], *c["cluster"], *c["certainty"]] for c in changes],
        caption,
    )
