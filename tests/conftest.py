"""Shared by all tests."""

from pathlib import Path

import hypothesis
import pytest

import fuzzypairs

# Compiling the kernels takes longer than any deadline; draws are the same each time.
hypothesis.settings.register_profile("fuzzypairs", deadline=None, derandomize=True)
hypothesis.settings.load_profile("fuzzypairs")


def pytest_configure(config: pytest.Config) -> None:
    """Drop cached kernels that are older than any kernel's source.

    numba looks at the file a kernel is in, not at those it calls into.
    """
    if hasattr(config, "workerinput"):
        return
    sources = Path(fuzzypairs.__file__).parent / "kernels"
    newest = max(path.stat().st_mtime for path in sources.glob("*.py"))
    cached = list(sources.glob("__pycache__/*.nb[ci]"))
    if any(path.stat().st_mtime < newest for path in cached):
        for path in cached:
            path.unlink()
