"""Versions and hardware, for bug reports."""

import importlib.metadata
import platform
import sys

import joblib
import numpy as np

from fuzzypairs import __version__
from fuzzypairs.threads import Threads

__all__ = ["show_versions"]

REQUIRED = ("joblib", "numba", "numpy", "scikit-learn", "scipy", "threadpoolctl")
OPTIONAL = ("Jinja2", "matplotlib", "pandas", "pyarrow", "pyscipopt", "rich", "skops",
            "typer")  # fmt: skip
# Instruction sets that only processors of a level have, by numpy's old and new names.
LEVELS = {
    "x86-64-v4": {"X86_V4", "AVX512_SKX"},
    "x86-64-v3": {"X86_V3", "AVX2"},
    "x86-64-v2": {"X86_V2", "SSE42"},
}


def show_versions() -> None:
    """Print versions and hardware, for bug reports.

    The versions of fuzzypairs, of Python and of the required and optional
    dependencies, the platform, the level of the processor, and how many threads a
    fit uses.

    Examples
    --------
    >>> from fuzzypairs import show_versions
    >>> show_versions()
    System:
       fuzzypairs: ...
           python: ...
         platform: ...
        processor: ...
            cores: ...
          threads: ... with n_jobs=None, ... with n_jobs=-1
    <BLANKLINE>
    Required dependencies:
           joblib: ...
    """
    counts = (f"{Threads(n).n_threads} with n_jobs={n}" for n in (None, -1))
    tables = {
        "System": {
            "fuzzypairs": __version__,
            "python": sys.version.replace("\n", " "),
            "platform": platform.platform(),
            "processor": _processor_level(),
            "cores": str(joblib.cpu_count()),
            "threads": ", ".join(counts),
        },
        "Required dependencies": {name: _version(name) for name in REQUIRED},
        "Optional dependencies": {name: _version(name) for name in OPTIONAL},
    }
    width = max(len(name) for table in tables.values() for name in table)
    print(
        "\n\n".join(
            f"{title}:\n"
            + "\n".join(f"{name:>{width}}: {value}" for name, value in table.items())
            for title, table in tables.items()
        )
    )


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor_level() -> str:
    """Return the x86-64 level, or the architecture of other processors."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return platform.machine()
    found = np.show_config(mode="dicts")["SIMD Extensions"]
    names = {*found.get("baseline", ()), *found.get("found", ())}
    return next((level for level, has in LEVELS.items() if has & names), "x86-64")
