"""Versions and hardware, for bug reports."""

import importlib.metadata
import platform
import sys

import joblib

from fuzzypairs import __version__
from fuzzypairs._core import cpu_level, cpu_levels
from fuzzypairs.threads import Threads

__all__ = ["show_versions"]

REQUIRED = ("joblib", "numpy", "scikit-learn", "scipy", "threadpoolctl")
OPTIONAL = ("Jinja2", "anywidget", "dask", "distributed", "httpx2", "matplotlib",
            "onnxruntime", "openpyxl", "pandas", "pyarrow", "pyscipopt", "rich",
            "skops", "starlette", "typer", "uvicorn", "wordllama")  # fmt: skip


def show_versions() -> None:
    """Print versions and hardware, for bug reports.

    The versions of fuzzypairs, of Python and of the required and optional
    dependencies, the platform, the CPU level of the compiled core, and how many
    threads a fit uses.

    Examples
    --------
    >>> from fuzzypairs import show_versions
    >>> show_versions()
    System:
       fuzzypairs: ...
           python: ...
         platform: ...
        CPU level: ...
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
            "CPU level": f"{cpu_level()} of {', '.join(cpu_levels())}",
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
