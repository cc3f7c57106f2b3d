import importlib.metadata
import platform
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import fuzzypairs
from fuzzypairs.io import versions

ROOT = Path(__file__).parents[3]


def shown(capsys):
    fuzzypairs.show_versions()
    text = capsys.readouterr().out
    return dict(re.findall(r"^ *([\w-]+): (.+)$", text, re.MULTILINE))


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
            for extra in own.split(",") if own else ():
                yield from names(extras[extra])

    assert set(versions.REQUIRED) == set(names(project["dependencies"]))
    assert set(versions.OPTIONAL) == set(names(extras["all"]))


@pytest.mark.parametrize(
    ("machine", "features", "level"),
    [
        ("x86_64", {"baseline": ["X86_V2"], "found": ["X86_V3"]}, "x86-64-v3"),
        ("AMD64", {"baseline": ["SSE3"], "found": ["SSE42", "AVX2"]}, "x86-64-v3"),
        ("x86_64", {"baseline": ["SSE3"], "found": ["AVX512_SKX"]}, "x86-64-v4"),
        ("x86_64", {"baseline": ["SSE3"], "found": ["SSE42"]}, "x86-64-v2"),
        ("x86_64", {"baseline": ["SSE3"]}, "x86-64"),
        ("arm64", {"baseline": ["NEON"]}, "arm64"),
    ],
)
def test_levels_of_processors(capsys, monkeypatch, machine, features, level):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": features})

    assert shown(capsys)["processor"] == level
