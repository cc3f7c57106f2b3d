"""Data files: none, a small one, one sent by OpenML, and those of the benchmark."""

import dataclasses
import gzip
import hashlib
import json
import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.utils import Bunch

from fuzzypairs.datasets import describe, loading, sources
from fuzzypairs.datasets.registry import REGISTRY

TOY = (
    "size,colour,code,class\n"
    "1.5,red,1,b\n"
    ",blue,2,a\n"
    "2.5,,2,b\n"
    "8.5,blue,,b\n"
    "2.5,red,2,a\n"
)


@pytest.fixture(scope="module")
def index():
    """The facts beside the data files, by name; a skip where there are none."""
    beside = Path(__file__).parents[3].parent / "shared" / "data"
    for folder in (os.environ.get(loading.VARIABLE), beside):
        if folder and (path := Path(folder) / "index.json").is_file():
            listed = json.loads(path.read_text(encoding="utf-8"))["datasets"]
            return {facts["name"]: facts for facts in listed}
    pytest.skip(f"needs the data files: {loading.VARIABLE} names no folder of them")


@pytest.fixture
def no_files(tmp_path, monkeypatch):
    """No file and no network; the folder of the environment variable."""
    monkeypatch.setenv(loading.VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(loading, "CHECKOUT", tmp_path / "checkout")

    def no_network(**_):
        raise URLError("no network")

    monkeypatch.setattr(sources.datasets, "fetch_openml", no_network)
    for folder in ("data", "cache/fuzzypairs", "checkout", "shared/data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    return tmp_path


@pytest.fixture
def toy(no_files, monkeypatch):
    """A small file with gaps, in the place of the seeds."""
    path = no_files / "data" / "toy.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(TOY)
    info = dataclasses.replace(
        describe("seeds"),
        file="toy.csv.gz",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        n_samples=5,
        n_features=3,
        n_classes=2,
        class_sizes=(2, 3),
        n_missing=3,
        nominal=("colour", "code"),
        orders={"colour": ("red", "green", "blue")},
    )
    monkeypatch.setitem(REGISTRY, "toy", info)
    return info


@pytest.fixture
def openml(no_files, toy, monkeypatch):
    """The small file as OpenML would send it: words numbered, classes as text."""
    (no_files / "data/toy.csv.gz").unlink()
    gap = np.nan
    sent = Bunch(
        data=np.array(
            [
                [1.5, 1, 0, 7],
                [gap, 0, 1, 7],
                [2.5, gap, 1, 7],
                [8.5, 0, gap, 7],
                [2.5, 1, 1, 7],
            ]
        ),
        feature_names=["SIZE", "Colour", "code", "the-extra"],
        categories={"Colour": ["blue", "red"], "code": ["1", "2"]},
        target=np.array(list("babba"), dtype=object),
    )
    asked = []

    def send(**query):
        asked.append(query["data_id"])
        return sent

    monkeypatch.setattr(sources.datasets, "fetch_openml", send)
    info = dataclasses.replace(toy, openml_extra=("the_extra",))
    monkeypatch.setitem(REGISTRY, "toy", info)
    return sent, asked
