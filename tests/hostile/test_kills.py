"""Commands killed at random moments; `make kills` kills each 200 times."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("command", ["fit", "tune", "reproduce", "label"])
def test_a_killed_command_leaves_whole_results_or_none(command):
    done = subprocess.run(
        [sys.executable, "-m", "hostile.kills", "20", command],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"{command}: 20 kills" in done.stdout
    assert "all well" in done.stdout
