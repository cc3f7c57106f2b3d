"""The page on the paper: its functions and tests exist, all equations are listed."""

import importlib.util
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`([a-z]\w*(?:\.\w+)+)`", PAGE)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


def resolve(name):
    """Import the longest module in a dotted name and look up the rest."""
    *path, last = name.split(".")
    package = [] if path[0] == "naive" else ["fuzzypairs"]
    try:
        thing = import_module(".".join(package + path))
    except ModuleNotFoundError:
        thing = resolve(".".join(path))
    return getattr(thing, last)


@pytest.fixture(scope="module")
def source_lines():
    """The extension that links names on the page to lines of the source."""
    pytest.importorskip("sphinx")
    path = ROOT / "docs" / "_ext" / "source_lines.py"
    spec = importlib.util.spec_from_file_location("source_lines", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_lead_to_the_lines_that_define_them(source_lines):
    found = list(source_lines.places(PAGE))
    assert len(found) > 100
    for piece, (path, line) in found:
        last = re.split(r"[.:]", piece)[-1]
        text = path.read_text(encoding="utf-8").splitlines()[line - 1]
        # Whole files begin at their first line.
        assert last in text or piece.startswith("core/") or piece.endswith(".py")


def test_a_name_that_moved_is_noticed(source_lines):
    with pytest.raises(Exception, match="no_such_function, which was not found"):
        list(source_lines.places("see `core/groups.hpp` (`no_such_function`)"))


def test_an_unknown_name_is_noticed():
    with pytest.raises(AttributeError):
        resolve("solvers.groups.no_such_solver")


@pytest.mark.parametrize("name", NAMES)
def test_names_resolve(name):
    found = resolve(name)
    assert callable(found) or isinstance(found, cached_property)


@pytest.mark.parametrize(("file", "name"), TESTS)
def test_tests_exist(file, name):
    text = (ROOT / file).read_text(encoding="utf-8")

    assert f"def {name}(" in text


def test_every_equation_has_its_row_in_order():
    table = PAGE.split("## Equation to function")[1].split("\n## ")[0]
    heads = re.findall(r"^\| ((?:\(\d+\)(?:, )?)+) \|", table, re.MULTILINE)
    numbers = [int(number) for head in heads for number in re.findall(r"\d+", head)]

    assert numbers == list(range(1, 31))
