"""What a hostile call may end in: a valid result, or an error that names its cause."""

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning

from fuzzypairs.exceptions import FuzzyPairsWarning

# Outcomes that are as they should be.
GOOD = ("valid", "named")
ALLOWED = (ValueError, TypeError, MemoryError, NotImplementedError, OSError)


@dataclass(frozen=True)
class Case:
    """A call with one hostile argument."""

    name: str
    # Words of which an error must hold one: the argument, or what stands for it.
    arguments: tuple[str, ...]
    run: Callable[[], Any]
    # Whether only an error is right.
    refused: bool = False


def outcome(case: Case) -> tuple[str, str]:
    """Run a case; return its outcome, and why."""
    try:
        with warnings.catch_warnings():
            # A number that overflows unnoticed is a mistake; what users are told of
            # their data is not.
            warnings.simplefilter("error")
            for kind in (FuzzyPairsWarning, ConvergenceWarning, FitFailedWarning):
                warnings.simplefilter("ignore", kind)
            # Of scikit-learn and SciPy, and of NumPy's matrices.
            warnings.simplefilter("ignore", FutureWarning)
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            result = case.run()
            wrong = invalid(result)
    except ALLOWED as error:
        words = "|".join(map(re.escape, case.arguments))
        message = f"{type(error).__name__}: {error}"[:300]
        if isinstance(error, MemoryError) and "memory" not in str(error):
            return "unnamed", message
        if re.search(rf"(?<![A-Za-z0-9_])({words})(?![A-Za-z0-9_])", str(error)):
            return "named", message
        return "unnamed", message
    except BaseException as error:  # whatever else is a defect
        return "wrong error", f"{type(error).__name__}: {error}"[:300]
    if wrong:
        return "invalid", wrong
    return ("accepted", repr(result)[:100]) if case.refused else ("valid", "")


def invalid(result: Any) -> str:
    """Return what is wrong with a result, "" if nothing."""
    if hasattr(result, "labels_"):
        return _invalid_model(result)
    if isinstance(result, float | np.floating):
        return "" if math.isfinite(result) else f"result {result}"
    if isinstance(result, np.ndarray) and result.dtype.kind == "f":
        return "" if np.isfinite(result).all() else "result is not finite"
    if hasattr(result, "grade"):
        ends = bool((result.i < result.j).all() and (result.j < result.n_samples).all())
        return "" if ends and (np.abs(result.grade) <= 1).all() else "pairs are wrong"
    return ""


def _invalid_model(model: Any) -> str:
    n_clusters = model.n_clusters_
    labels = np.asarray(model.labels_)
    if not n_clusters >= 1 and not (labels == -1).all():
        return f"n_clusters_ {n_clusters}"
    if labels.min() < -1 or labels.max() >= max(n_clusters, 1):
        return f"labels from {labels.min()} to {labels.max()}"
    U = getattr(model, "memberships_", None)
    if U is not None and (wrong := off_simplex(U, len(labels), n_clusters)):
        return f"memberships_ {wrong}"
    for name in ("cluster_centers_", "objective_", "objective_history_", "beta_"):
        value = getattr(model, name, None)
        if value is not None and not np.isfinite(value).all():
            return f"{name} is not finite"
    return ""


def off_simplex(U: Any, n_samples: int, n_clusters: int) -> str:
    """Return what is wrong with memberships, "" if nothing."""
    if U.shape != (n_samples, n_clusters):
        return f"have shape {U.shape}"
    if not np.isfinite(U).all():
        return "are not finite"
    if U.min() < 0 or np.abs(U.sum(axis=1) - 1).max() > 1e-9:
        return "are off the simplex"
    return ""


def command_outcome(result: Any, folder: Path) -> None:
    """Raise what a run of the command has done wrong."""
    left = [p.name for p in folder.rglob("*.tmp")]
    if left:
        raise AssertionError(f"left {left}")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code not in (0, 1, 2):
        raise AssertionError(f"exit code {result.exit_code}")
    if "Traceback" in result.output or "error in the program" in result.output:
        raise AssertionError(f"an error that nobody foresaw: {result.output}")
    if result.exit_code:
        raise ValueError(result.stderr or result.output)
