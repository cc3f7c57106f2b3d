"""GuidedFDC on blocks: it is fitted to a sample and the judged rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from fuzzypairs._typing import Floats, Ints
from fuzzypairs.blocks.block_rows import Blocks
from fuzzypairs.blocks.held_rows import hold_rows
from fuzzypairs.blocks.maps import choose_map
from fuzzypairs.blocks.named_pairs import read_judgements
from fuzzypairs.blocks.pass_progress import PassClock
from fuzzypairs.cluster.guided import GuidedFDC
from fuzzypairs.validation import check_seed

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


def fit_guided_blocks(
    source: Blocks, pairs: Any, model: GuidedFDC, client: Any
) -> GuidedBlocks:
    """Fit a GuidedFDC with the parameters of `model` to blocks of features."""
    map_ = choose_map(client, model.n_jobs)
    seed = check_seed(model.random_state)
    # Two passes over the blocks: a survey, and the rows that are held.
    clock = PassClock(len(source), 1.0, 1)
    held = hold_rows(source, map_, read_judgements(pairs, source), seed, clock)
    X = held.X
    if source.reading.names is not None and not hasattr(X, "tocsr"):
        X = pd.DataFrame(X, columns=source.reading.names)
    fitted = clone(model).fit(X, pairs=held.pairs, sample_weight=held.weight)
    U = fitted.memberships_[held.judged]
    for name in ("memberships_", "labels_", "unguided_memberships_"):
        delattr(fitted, name)
    return GuidedBlocks(
        fitted, held.rows[held.judged], np.ascontiguousarray(U), held.ids
    )
