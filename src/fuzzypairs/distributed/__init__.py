"""Estimators of Dask collections: data beyond memory, and beyond one machine."""

try:
    import dask
except ImportError as error:  # pragma: no cover - the tests have it
    message = "fuzzypairs.distributed needs Dask: pip install 'fuzzypairs[distributed]'"
    raise ImportError(message) from error

from fuzzypairs.blocks.dask_estimators import DaskFDC, DaskFuzzyCMeans
from fuzzypairs.blocks.pass_progress import PassProgress, watch_passes

__all__ = ["DaskFDC", "DaskFuzzyCMeans", "PassProgress", "watch_passes"]

del dask
