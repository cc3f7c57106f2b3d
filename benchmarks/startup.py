"""From a cold interpreter to the first small fit."""

import os
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


BARE = "import sklearn.cluster, time; print(time.process_time())"


def rows(quick: bool) -> Iterator[Row]:
    interpreter(FIRST_FIT)  # writes byte code
    codes = (FIRST_FIT, BARE)
    # In turn, so that load from other processes affects all of them.
    times = [[interpreter(code) for code in codes] for _ in range(5)]
    ours, bare = map(min, zip(*times, strict=True))
    yield Row(
        "import and first small fit beyond `import sklearn.cluster`",
        ours - bare,
        "s",
        0.3,
        detail=f"{ours:.2f} s - {bare:.2f} s",
    )


def interpreter(code: str) -> float:
    """Return the processor time of a whole interpreter that runs `code`."""
    # Installed packages have bytecode. A checkout must be allowed to write its own;
    # otherwise all modules are compiled at every start, which takes 0.1 s.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    return float(done.stdout)
