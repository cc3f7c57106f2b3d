"""What the code of one CPU level shares with that of another: nothing."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

LEVELS = ("v2", "v3", "v4", "generic")
ROOT = Path(__file__).parents[3]


def objects():
    """Return the compiled files of each CPU level."""
    found = {
        level: sorted(ROOT.glob(f"build/**/level_{level}.dir/core/*.o"))
        for level in LEVELS
    }
    return {level: files for level, files in found.items() if files}


def weak_symbols(listing):
    """Return the functions and data that a linker would merge, from a list by nm."""
    lines = re.findall(r"^[0-9a-f]* *([a-zA-Z]) (.*)$", listing, re.M)
    names = {name for kind, name in lines if kind in "VWu"}
    # References to the personality routine of C++ exceptions, the same everywhere.
    return {name for name in names if not name.startswith("DW.ref.")}


def test_lists_of_nm_are_read():
    listing = "0000 W std::max(int)\n0000 T f()\n     U g()\n0000 V DW.ref.__gxx\n"
    assert weak_symbols(listing) == {"std::max(int)"}


@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm (binutils)")
@pytest.mark.skipif(not objects(), reason="needs the compiled core in build/")
def test_no_symbol_of_a_level_can_replace_that_of_another():
    # The linker keeps one of several weak symbols, perhaps one for another CPU.
    for level, files in objects().items():
        listing = subprocess.run(
            ["nm", "-C", "--defined-only", *files],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        own = f"fuzzypairs::{level}::"
        assert own in listing
        shared = {name for name in weak_symbols(listing) if own not in name}
        assert not shared, level
