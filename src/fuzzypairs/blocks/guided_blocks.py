"""GuidedFDC on blocks: its map is learned from a sample and the judged rows.

Clusters without judgements are those of all rows, by passes over the blocks. The map is
learned from the judged rows and a sample, as in memory, and applied to blocks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.active.inference import fit_answers
from fuzzypairs.blocks.block_passes import FitBlocks
from fuzzypairs.blocks.block_rows import Blocks
from fuzzypairs.blocks.dask_estimators import BlockFDC
from fuzzypairs.cluster.fdc import FDC
from fuzzypairs.cluster.guided import GuidedFDC

__all__ = ["GuidedBlocks", "fit_guided_blocks"]


@dataclass(frozen=True, eq=False)
class GuidedBlocks:
    """A fitted GuidedFDC, and the memberships of judged rows; see `DaskFDC`."""

    model: GuidedFDC
    judged_rows_: Ints
    judged_memberships_: Floats
    judged_ids_: Any

    def to_local(self) -> GuidedFDC:
        """Return the model, without memberships of the sample."""
        return self.model


class _BlockGuided(GuidedFDC):
    """GuidedFDC that is given held rows, and whose passes go over all blocks."""

    fit_blocks: FitBlocks

    def _variant(self, **changes: Any) -> FDC:
        params = {**self.get_params(deep=False), "propagate": False, **changes}
        if "metric" in changes:  # held rows are mapped already
            return FDC(**params)
        variant = BlockFDC(**params)
        variant.fit_blocks = self.fit_blocks
        return variant


def fit_guided_blocks(
    source: Blocks,
    pairs: Any,
    model: GuidedFDC,
    client: Any,
    *,
    are_answers: bool = False,
) -> GuidedBlocks:
    """Fit a GuidedFDC with the parameters of `model` to blocks of features.

    If the judgements are answers to questions, then also to what follows from them.
    """
    blocks = FitBlocks.open(source, pairs, model, client)
    held = blocks.held
    fitted = _BlockGuided(**model.get_params(deep=False))
    fitted.fit_blocks = blocks
    X = pd.DataFrame(held.X, columns=source.reading.names)
    if are_answers:
        most = int(np.max(model.n_clusters))
        fit_answers(fitted, X, held.pairs, most, held.weight)
    else:
        fitted.fit(X, pairs=held.pairs, sample_weight=held.weight)
    U = fitted.memberships_[held.judged]
    local = _as_local(fitted, GuidedFDC)
    local.model_ = _as_local(fitted.model_, FDC)
    return GuidedBlocks(local, held.rows[held.judged], U, held.ids)


def _as_local(model: Any, kind: type) -> Any:
    """Return a fitted model as one without blocks and without memberships."""
    local = kind(**model.get_params(deep=False))
    left_out = ("fit_blocks", "memberships_", "labels_")
    vars(local).update({n: v for n, v in vars(model).items() if n not in left_out})
    return local
