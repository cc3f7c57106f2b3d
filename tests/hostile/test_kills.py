"""Commands killed at random moments; `make kills` kills each 200 times."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_command_leaves_whole_results_or_none():
    done = subprocess.run(
        [sys.executable, "-m", "hostile.kills", "5"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("all well") == 4
