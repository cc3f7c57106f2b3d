"""When the groups of a run are descended from other starts, and from how many."""

from dataclasses import dataclass, field

import numpy as np

from fuzzypairs._typing import Floats

__all__ = ["SMALL_GROUP", "MultiStartPolicy", "Trials"]

# Groups of up to this many samples are descended from several starts within a fit: two
# for each sample, and at least four. Of 2900 random groups of two to five samples that
# may be indefinite, one start found the best known point in 79 %, eight random vertices
# more in 94 %, twenty in 97 %, and the two for each sample in 97 %; these were the best
# of 17 sets of starts tried on the same groups, so a little less elsewhere.
SMALL_GROUP = 8
# Starts for each row of a group, and at least for the group.
Trials = tuple[int, int]
NONE: Trials = (0, 0)
BRIEF: Trials = (1, 1)
FULL: Trials = (2, 4)
# Long runs stop trying when that lowers the objective by no more than this share of
# `tol`. Going on as long as one of thousands of groups improves made a fit of 20 000
# samples and 2000 judgements take 35 passes instead of 28.
LITTLE = 0.1


@dataclass
class MultiStartPolicy:
    """Decides when groups try other starts: where prototypes have moved since.

    Parameters
    ----------
    is_long : bool
        Runs whose passes are long try a few starts once, when acceleration begins:
        what groups find moves prototypes in turn, and found at the end alone it takes
        a third of all passes again. They stop when trying gains little.
    """

    is_long: bool
    # Where prototypes were at the last trial; None before the first.
    tried_at: Floats | None = None
    n_trials: int = 0
    is_over: bool = field(default=False, init=False)

    def is_early_trial_due(self) -> bool:
        """Tell whether groups should try starts though prototypes still move."""
        return self.is_long and self.tried_at is None

    def next_trials(self, C: Floats, shortest: float) -> Trials:
        """Return how many starts to try at prototypes C; note that they were tried.

        `shortest` is the root mean square move of a prototype that counts.
        """
        if self.is_over:
            return NONE
        if self.tried_at is not None:
            gap = (C - self.tried_at).ravel()
            if np.sqrt(gap @ gap / len(C)) <= shortest:
                return NONE
        self.tried_at = C.copy()
        self.n_trials += 1
        return BRIEF if self.is_long and self.n_trials == 1 else FULL

    def record(self, gained: float, tol: float) -> None:
        """Note by what share the last trial lowered the objective."""
        if self.is_long and self.n_trials > 1 and gained <= LITTLE * tol:
            self.is_over = True

    def restart(self) -> None:
        """Forget all trials: a cluster was deleted."""
        self.tried_at, self.n_trials, self.is_over = None, 0, False

    def after(self, C: Floats) -> "MultiStartPolicy":
        """Return the policy of a run that goes on from C, where this one is done."""
        tried_at = C.copy() if self.is_over else self.tried_at
        return MultiStartPolicy(self.is_long, tried_at, n_trials=1)
