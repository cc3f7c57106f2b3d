"""Run hostile cases: ``python -m hostile [PART OF A NAME] ...`` beside `tests`."""

import os
import sys
import time
from collections import Counter

from hostile.cases import CASES
from hostile.outcomes import GOOD
from hostile.workers import run_cases


def main() -> int:
    parts = sys.argv[1:]
    names = [n for n in CASES if not parts or any(part in n for part in parts)]
    n_workers = int(os.environ.get("FUZZYPAIRS_WORKERS", "1"))
    start, counts, slowest = time.monotonic(), Counter(), []
    for verdict in run_cases(names, n_workers=n_workers):
        counts[verdict.outcome] += 1
        slowest = sorted([*slowest, (verdict.seconds, verdict.case)])[-3:]
        if verdict.outcome not in GOOD:
            print(f"{verdict.outcome}: {verdict.case}: {verdict.reason}", flush=True)
    print(f"{len(names)} cases in {time.monotonic() - start:.0f} s: {dict(counts)}")
    print("slowest:", "; ".join(f"{name} {s:.1f} s" for s, name in slowest))
    return int(any(counts[kind] for kind in counts if kind not in GOOD))


if __name__ == "__main__":
    sys.exit(main())
