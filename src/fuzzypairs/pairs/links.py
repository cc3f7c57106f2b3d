"""The constraint graph: groups of samples that judgements join, and its edges."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from fuzzypairs._typing import Ints

__all__ = ["Links", "find_components", "find_links"]


class Links(NamedTuple):
    """Informative judgements as edges between judged samples, ordered by group.

    Every judgement is two edges, one from each of its samples.
    """

    rows: Ints  # (n_rows,) judged samples; a group is a range of them
    groups: Ints  # (n_groups + 1,) first row of each group; sizes never decrease
    source: Ints  # (n_edges,) row that an edge leaves; never decreases
    indptr: Ints  # (n_rows + 1,) first edge of each row
    neighbor: Ints  # (n_edges,) row at the other end
    pair: Ints  # (n_edges,) judgement of an edge, an index into `grade`

    @classmethod
    def between(cls, rows: Ints, groups: Ints, p: Ints, q: Ints) -> "Links":
        """Order the edges of judgements of rows `p` and `q`."""
        source = np.concatenate([p, q])
        order = np.argsort(source, kind="stable")
        degree = np.bincount(source, minlength=len(rows))
        return cls(
            rows=rows,
            groups=groups,
            source=source[order],
            indptr=np.concatenate([[0], np.cumsum(degree)]),
            neighbor=np.concatenate([q, p])[order],
            pair=order % max(len(p), 1),
        )


def find_components(i: Ints, j: Ints, n_samples: int) -> tuple[int, Ints]:
    """Label samples by the group that chains of pairs (i, j) join; -1 for others."""
    labels = np.full(n_samples, -1, dtype=np.int64)
    # Only judged samples enter the graph, under numbers of their own.
    labels[i] = labels[j] = 0
    judged = np.flatnonzero(labels == 0)
    labels[judged] = np.arange(judged.size)
    graph = sparse.coo_array(
        (np.ones(len(i)), (labels[i], labels[j])), (judged.size,) * 2
    )
    n_groups, labels[judged] = csgraph.connected_components(graph, directed=False)
    return int(n_groups), labels


def find_links(i: Ints, j: Ints, labels: Ints) -> Links:
    """Order the pairs (i, j) by the groups `labels` of `find_components`."""
    judged = np.flatnonzero(labels >= 0)
    group = labels[judged]
    sizes = np.bincount(group)
    # Groups of one size in a row: kernels take several of them at a time.
    rows = judged[np.lexsort((group, sizes[group]))]
    place = np.empty(len(labels), dtype=np.int64)
    place[rows] = np.arange(len(rows))
    groups = np.concatenate([[0], np.cumsum(np.sort(sizes))])
    return Links.between(rows, groups, place[i], place[j])
