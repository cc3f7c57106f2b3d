import importlib.metadata
import platform
import re
import tomllib
from pathlib import Path

import numpy as np

import fuzzypairs
from fuzzypairs import _core
from fuzzypairs.tables import versions

ROOT = Path(__file__).parents[3]


def shown(capsys):
    fuzzypairs.show_versions()
    text = capsys.readouterr().out
    return dict(re.findall(r"^ *([\w -]+): (.+)$", text, re.MULTILINE))


def test_versions_and_threads_are_shown(capsys):
    found = shown(capsys)

    assert found["fuzzypairs"] == fuzzypairs.__version__
    assert found["numpy"] == np.__version__
    assert found["python"].startswith(platform.python_version())
    assert found["threads"].endswith(f", {found['cores']} with n_jobs=-1")


def test_names_are_aligned(capsys):
    fuzzypairs.show_versions()

    lines = capsys.readouterr().out.splitlines()
    assert len({line.index(":") for line in lines if line.startswith(" ")}) == 1


def test_what_is_not_installed_is_named(capsys, monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)

    assert shown(capsys)["skops"] == "not installed"


def test_all_declared_dependencies_are_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    extras = project["optional-dependencies"]

    def names(requirements):
        """The packages required, those of our own extras among them."""
        for requirement in requirements:
            name, own = re.match(r"([\w-]+)(?:\[([\w,-]+)\])?", requirement).groups()
            if name != "fuzzypairs":
                yield name
                continue
            for extra in own.split(","):
                yield from names(extras[extra])

    assert set(versions.REQUIRED) == set(names(project["dependencies"]))
    assert set(versions.OPTIONAL) == set(names(extras["all"]))


def test_the_level_of_the_core_is_named(capsys):
    fuzzypairs.show_versions()

    level = re.search(r"CPU level: (\w+) of (.+)", capsys.readouterr().out)
    assert level[1] == _core.cpu_level()
    assert level[1] in level[2].split(", ")
