"""Many fits in one process: ``python -m hostile.soak N`` beside `tests`.

Fails if memory grows by 5 % or more after the first tenth, or a thread or an open file
is left.
"""

import os
import sys
import threading
import time
import warnings

from hostile import values
from hostile.cases import ALL, fit

KINDS = ("FDC", "PCCA", "SSDC", "DSC paper", "FHSS", "FDC manhattan", "FDC rbf")


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def n_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def main() -> int:
    n_fits, start = int(sys.argv[1]), time.monotonic()
    warnings.simplefilter("ignore")
    before, files, threads = 0, 0, 0
    for number in range(n_fits):
        if number == n_fits // 10:
            before, files, threads = resident(), n_files(), threading.active_count()
        fit(ALL[KINDS[number % len(KINDS)]], pairs=values.TRIPLES)
    growth = resident() / before - 1
    left = n_files() - files, threading.active_count() - threads
    seconds = time.monotonic() - start
    print(
        f"{n_fits} fits in {seconds:.0f} s: memory {growth:+.2%} after the first "
        f"tenth, {left[0]:+d} open files, {left[1]:+d} threads"
    )
    return int(growth >= 0.05 or left != (0, 0))


if __name__ == "__main__":
    sys.exit(main())
