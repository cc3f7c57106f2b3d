"""The package is layered: folders import one way, and files have names of their own.

Exceptions stand in tables with their reasons. A line of them that is no longer needed
fails, so that it is removed.
"""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import fuzzypairs

PACKAGE = Path(fuzzypairs.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
# A folder imports from itself and from those before it.
LAYERS = (
    "pairs",
    "spaces",
    "solvers",
    "cluster",
    "baselines",
    "criteria",
    "selection",
    "active",
    "blocks",
    "distributed",
    "datasets",
    "tables",
    "items",
    "plots",
    "analysis",
    "report",
    "labelling",
    "reproduction",
    "bench",
    "cli",
)
# Modules at the top that every folder may import.
COMMON = {"_core", "_typing", "exceptions", "validation", "threads"}
MOST_AT_THE_TOP = 9
MOST_LINES = 500

# What breaks a rule today, and why.
BACKWARD: dict[tuple[str, str], str] = {
    (
        "analysis/analysis_result",
        "report",
    ): "a result writes its report, when it is asked to",
}
SAME_NAME: dict[str, str] = {}
LONG: dict[str, str] = {
    "pairs/pairset": "one class: half of it are the docstrings of its public methods",
}


def name_of(file):
    return file.relative_to(PACKAGE).with_suffix("").as_posix()


def layer_of(module):
    """The folder or top module of a dotted name inside the package."""
    return module.split(".")[1] if "." in module else "__init__"


def imported(file):
    """Every module of the package that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)} imports relatively"
            names = [node.module]
            if node.module == "fuzzypairs":
                names = [home_of(alias.name) for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "fuzzypairs")


def home_of(name):
    """The module that a name of the top comes from: ``FDC`` lives in ``cluster``."""
    if name in LAYERS or name in COMMON:
        return f"fuzzypairs.{name}"
    return getattr(getattr(fuzzypairs, name), "__module__", "fuzzypairs")


def backward():
    """Pairs of a module and a layer that it must not know."""
    found = set()
    for file in FILES:
        folder = file.relative_to(PACKAGE).parts[0]
        if folder in ("__init__.py", "__main__.py"):
            continue  # public names and the command may import all
        allowed = {"__init__", *COMMON}  # of __init__ itself, the version
        if folder in LAYERS:
            allowed |= set(LAYERS[: LAYERS.index(folder) + 1])
        for module in imported(file):
            if layer_of(module) not in allowed:
                found.add((name_of(file), layer_of(module)))
    return found


def test_every_folder_is_a_layer():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}

    assert folders == set(LAYERS)


def test_imports_go_one_way():
    assert backward() == set(BACKWARD)


def test_few_modules_at_the_top():
    assert len(list(PACKAGE.glob("*.py"))) <= MOST_AT_THE_TOP


def test_no_two_folders_have_a_file_of_one_name():
    places = defaultdict(set)
    for file in FILES:
        places[file.name].add(file.parent)
    several = {name for name, where in places.items() if len(where) > 1}

    assert several - {"__init__.py"} == set(SAME_NAME)


def test_no_module_is_long():
    lengths = {name_of(f): len(f.read_text("utf-8").splitlines()) for f in FILES}
    long = {name for name, length in lengths.items() if length > MOST_LINES}

    assert long == set(LONG)


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import fuzzypairs.cli.fit", "fuzzypairs.cli.fit"),
        ("from fuzzypairs import FDC", "fuzzypairs.cluster.fdc"),
        ("from fuzzypairs import __version__", "fuzzypairs"),
        ("from fuzzypairs import report", "fuzzypairs.report"),
        (
            "def f():\n    from fuzzypairs.tables.table_files import x",
            "fuzzypairs.tables.table_files",
        ),
    ],
)
def test_an_import_is_seen(tmp_path, line, module):
    file = tmp_path / "module.py"
    file.write_text(line, encoding="utf-8")

    assert list(imported(file)) == [module]
