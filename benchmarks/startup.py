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


BARE = "import sklearn.base, time; print(time.process_time())"


def rows(quick: bool) -> Iterator[Row]:
    interpreter(FIRST_FIT)  # fills the cache of the kernels
    ours = min(interpreter(FIRST_FIT) for _ in range(5))
    bare = min(interpreter(BARE) for _ in range(5))
    yield Row(
        "import and first small fit, cached",
        ours,
        "s",
        1.5,
        detail=f"of which a bare `import sklearn.base` is {bare:.2f} s",
    )


def interpreter(code: str) -> float:
    """Return the processor time of a whole interpreter that runs `code`."""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return float(done.stdout)
