"""From a cold interpreter to the first small fit, with kernels cached."""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import Row

FIRST_FIT = """
import numpy as np
from fuzzypairs import FDC

X = np.arange(20.0).reshape(10, 2)
FDC(2, alpha=0.0, beta=1.0, random_state=0).fit(X, pairs=[(0, 9, -0.5)])

import time

print(time.process_time())
"""


def rows(quick: bool) -> Iterator[Row]:
    first_fit()  # fills the cache of the kernels
    seconds = min(first_fit() for _ in range(5))
    yield Row("import and first small fit, cached", seconds, "s", 1.5)


def first_fit() -> float:
    """Return the processor time of a whole interpreter that fits ten rows."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FIT], check=True, capture_output=True, text=True
    )
    return float(done.stdout)
