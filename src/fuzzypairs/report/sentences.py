"""What a fit found, in sentences."""

from collections.abc import Sequence

from fuzzypairs import criteria
from fuzzypairs.report.facts import ABREAST, Fit
from fuzzypairs.report.html import percent

__all__ = ["counted", "findings", "listed"]

# Below this mean certainty memberships say next to nothing.
FLAT = 0.05


def findings(fit: Fit) -> list[str]:
    """Say what was found, the most important first.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from fuzzypairs import FDC, PairSet
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = FDC(n_clusters=2, random_state=0).fit(X)
    >>> fit = Fit(model, X, pd.DataFrame(X), PairSet.empty(4), list("abcd"), [], None)
    >>> print(findings(fit)[0])
    The 2 clusters have 2 and 2 rows.
    """
    return [
        _say_clusters(fit),
        *_say_mixed(fit),
        _say_pairs(fit),
        *_say_truth(fit),
        *_say_doubts(fit),
    ]


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "pass")
    ('1 row', '1,200 passes')
    """
    several = many or (one + ("es" if one.endswith("s") else "s"))
    return f"{number:,} {one if number == 1 else several}"


def listed(words: Sequence[str]) -> str:
    """Return words with commas, and an "and" before the last.

    Examples
    --------
    >>> listed(["oak", "elm", "ash"])
    'oak, elm and ash'
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _say_clusters(fit: Fit) -> str:
    k = len(fit.sizes)
    asked = fit.model.n_clusters
    bound = f" (at most {asked} were asked for)" if k < asked else ""
    if k == 1:
        return f"All {len(fit.U):,} rows are in one cluster{bound}."
    least, most = min(fit.sizes), max(fit.sizes)
    if k <= ABREAST:
        sizes = f"{listed([f'{size:,}' for size in fit.sizes])} rows"
    else:
        sizes = f"{least:,} " + (f"to {most:,} rows" if most > least else "rows each")
    apart = [f"“{profile.column}”" for profile in fit.profiles[:3]]
    by = f" They differ most in {listed(apart)}." if apart else ""
    return f"The {k} clusters{bound} have {sizes}.{by}"


def _say_mixed(fit: Fit) -> list[str]:
    if len(fit.sizes) == 1:
        return []
    if not len(fit.mixed):
        return [
            "No row is mixed: all belong to their first cluster more than twice as "
            "much as to any other."
        ]
    return [
        f"{counted(len(fit.mixed), 'row is', 'rows are')} mixed: the second cluster "
        "has at least half the membership of the first."
    ]


def _say_pairs(fit: Fit) -> str:
    n_asked, n_broken = len(fit.pairs.informative), int((~fit.held).sum())
    if not n_asked:
        return "There were no judgements, so the clusters follow the data alone."
    if n_asked == 1:
        says = f"The one judgement is {'broken' if n_broken else 'held'}."
    elif not n_broken:
        says = f"All {n_asked:,} judgements are held."
    else:
        held = n_asked - n_broken
        says = f"Of {n_asked:,} judgements {held:,} are held and {n_broken:,} broken."
    n_triangles = fit.contradictions.n_triangles
    if n_triangles:
        says += f" {counted(n_triangles, 'triple')} of judgements cannot all hold."
    return says


def _say_truth(fit: Fit) -> list[str]:
    if fit.truth is None:
        return []
    classes, labels = fit.classes
    if not len(classes):
        return ["The column of true classes is empty."]
    return [
        "Against the true classes the normalised ARI is "
        f"{percent(criteria.normalized_ari(classes, labels))} and the NMI "
        f"{percent(criteria.nmi(classes, labels))}."
    ]


def _say_doubts(fit: Fit) -> list[str]:
    doubts = []
    if len(fit.sizes) > 1 and criteria.certainty(fit.U).mean() < FLAT:
        doubts.append(
            "Nearly all rows belong to all clusters alike, so the clusters mean "
            "little: raise alpha, or ask for fewer clusters."
        )
    if not fit.model.converged_:
        doubts.append("The fit had not converged when it stopped: raise max_iter.")
    return doubts
