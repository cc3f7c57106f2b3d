"""Array types by name, for all modules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Data", "Floats", "Ints", "Labels", "Mask"]

# Samples as users give them: float32 stays float32.
Data = NDArray[np.floating[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = NDArray[np.intp]
Mask = NDArray[np.bool_]
