"""The one decorator of all kernels: caching, the GIL and fast-math, decided here."""

from collections.abc import Callable
from typing import Any

import numba

# Reordering sums, fused multiply-add and reciprocals are welcome; "no NaN" and
# "no inf" are not: they would let the compiler delete the guards on bad distances.
#
# Loops that add up must not write to short arrays as well. Such a loop is compiled
# twice, for arrays that lie close together in memory and for others, and the two add in
# different orders: results would depend on where arrays happen to lie.
FAST_MATH = {"reassoc", "nsz", "contract", "arcp"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function of arrays so that threads can run it side by side.

    `parallel=True` is never used: ranges of rows go to a thread pool instead
    (see `fuzzypairs.threads`), which works after a fork and under
    foreign threads.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": FAST_MATH,
        "error_model": "numpy",
    }
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # No folder can be written (read-only install, no home): numba refuses
        # to cache while decorating. Compile at first use instead.
        return numba.njit(**options)(function)
