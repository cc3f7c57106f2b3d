"""From a cold interpreter to the first small fit."""

from collections.abc import Iterator

from fuzzypairs.bench.measuring import Row, processor_seconds

__all__ = ["rows"]

FIRST_FIT = """
import numpy as np
from fuzzypairs import FDC

X = np.arange(20.0).reshape(10, 2)
FDC(2, alpha=0.0, beta=1.0, random_state=0).fit(X, pairs=[(0, 9, -0.5)])

import time

print(time.process_time())
"""
BARE = "import sklearn.cluster, time; print(time.process_time())"


def rows(quick: bool) -> Iterator[Row]:
    """Measure the first fit, compared with an import of scikit-learn's clusterers."""
    processor_seconds(FIRST_FIT)  # writes byte code
    codes = (FIRST_FIT, BARE)
    # In turn, so that load from other processes affects all of them.
    repeats = 2 if quick else 5
    times = [[processor_seconds(code) for code in codes] for _ in range(repeats)]
    ours, bare = map(min, zip(*times, strict=True))
    yield Row(
        "import and first small fit beyond `import sklearn.cluster`",
        ours - bare,
        "s",
        0.3,
        detail=f"{ours:.2f} s - {bare:.2f} s",
    )
