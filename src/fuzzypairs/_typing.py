"""Types of arrays and of progress by name, for all modules."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Data", "Floats", "Ints", "Labels", "Mask", "Progress", "Show"]

# Samples as users give them: float32 stays float32.
Data = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.intp]
Mask = NDArray[np.bool_]
# Called with how much is done and how much there is, `Show` first with what is done.
Progress = Callable[[float, float], None]
Show = Callable[[str, float, float], None]
