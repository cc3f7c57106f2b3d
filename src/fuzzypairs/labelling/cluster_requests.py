"""What people say of whole clusters: their names, that two are one, or one is two.

Names are stored. The others are questions: some items of the clusters are to be sorted
into piles, and the answer counts as any other.
"""

from typing import TYPE_CHECKING

import numpy as np

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.labelling.answer_checks import ServiceError, check_rows, check_text
from fuzzypairs.labelling.desk import SET_SIZE, AskedSet
from fuzzypairs.labelling.fitting import Fitted

if TYPE_CHECKING:
    from fuzzypairs.labelling.service import Service

__all__ = ["ask_about", "name_cluster"]

LONGEST_CLUSTER_NAME = 60
# Random rows of a cluster among which those to be sorted lie far apart on the map.
MOST_DRAWN = 40


def name_cluster(service: "Service", row: int, name: str) -> None:
    """Name the cluster that a row is in.

    Parameters
    ----------
    service : Service
    row : int
    name : str
        Empty for none.
    """
    fitted = _fitted(service)
    check_rows([row], len(fitted.labels))
    called = " ".join(check_text("name", name).split())[:LONGEST_CLUSTER_NAME]
    ids = service.catalogue.ids
    same = np.flatnonzero(fitted.labels == fitted.labels[row])
    service.store.name_cluster(ids[row], called, [ids[other] for other in same])
    service.model.tell()


def ask_about(service: "Service", annotator: str, rows: list[int]) -> AskedSet:
    """Ask next to sort items of the cluster of a row, or of those of two.

    Parameters
    ----------
    service : Service
    annotator : str
    rows : list of int
        A row of each cluster.
    """
    fitted = _fitted(service)
    if not isinstance(rows, list) or len(rows) not in (1, 2):
        raise ServiceError(
            f"rows is {rows!r:.60}, expected rows of one or two clusters"
        )
    check_rows(rows, len(fitted.labels))
    clusters = sorted({int(fitted.labels[row]) for row in rows})
    bad = list(map(service.row_or_none, service.store.bad_items()))
    rng = np.random.default_rng(0)
    chosen: list[int] = []
    for cluster in clusters:
        mine = np.flatnonzero(fitted.labels == cluster)
        free = [row for row in mine.tolist() if row not in bad]
        mine = rng.permutation(np.array(free, dtype=np.int64))
        n = SET_SIZE // len(clusters)
        if len(clusters) == 1:
            chosen += _far_apart(fitted.places, mine[:MOST_DRAWN], n)
        else:  # those that are surest stand for a cluster
            sure = np.argsort(-fitted.memberships[mine, cluster], kind="stable")
            chosen += mine[sure[:n]].tolist()
    if len(chosen) < 2:
        raise ServiceError("these clusters have too few items to be sorted")
    what = "is cluster {} two?" if len(clusters) == 1 else "are clusters {} and {} one?"
    reason = what.format(*clusters)
    return service.ask_items(annotator, rng.permutation(chosen).tolist(), reason)


def _far_apart(places: Floats, rows: Ints, n: int) -> list[int]:
    """Return n of some rows, each far from those before it."""
    chosen: list[int] = rows[:1].tolist()
    while chosen and len(chosen) < min(n, len(rows)):
        gaps = ((places[rows, None] - places[chosen]) ** 2).sum(axis=2).min(axis=1)
        gaps[np.isin(rows, chosen)] = -1.0
        chosen.append(int(rows[gaps.argmax()]))
    return chosen


def _fitted(service: "Service") -> Fitted:
    if service.model.fitted is None:
        raise ServiceError("the first model is still being fitted")
    return service.model.fitted
