"""Datasets: where they are found, what is in them, what is done to them."""

import dataclasses
import gzip
import hashlib
import json
import os
import sys
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils import Bunch

from fuzzypairs import FDC, PairSet
from fuzzypairs.datasets import (
    available,
    describe,
    load,
    loading,
    ratings_to_memberships,
    sources,
)
from fuzzypairs.datasets.registry import REGISTRY

BUNDLED = ["wine", "iris", "breast_cancer", "digits"]
FILES = [name for name, info in REGISTRY.items() if info.file]
PAPER = [name for name, info in REGISTRY.items() if info.in_paper]


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
def nowhere(tmp_path, monkeypatch):
    """No file and no network; the folder of the environment variable."""
    monkeypatch.setenv(loading.VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(loading, "CHECKOUT", tmp_path / "checkout")

    def unplugged(**_):
        raise URLError("no network")

    monkeypatch.setattr(sources.datasets, "fetch_openml", unplugged)
    for folder in ("data", "cache/fuzzypairs", "checkout", "shared/data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    return tmp_path


TOY = (
    "size,colour,code,class\n"
    "1.5,red,1,b\n"
    ",blue,2,a\n"
    "2.5,,2,b\n"
    "8.5,blue,,b\n"
    "2.5,red,2,a\n"
)


@pytest.fixture
def toy(nowhere, monkeypatch):
    """A small file with gaps, in the place of the seeds."""
    path = nowhere / "data" / "toy.csv.gz"
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


def test_a_small_file_by_hand(toy):
    dataset = load("toy")

    # Median of 1.5, 2.5, 8.5, 2.5; the first of two frequent colours; code 2.
    expected = [[1.5, 0, 1], [2.5, 2, 2], [2.5, 0, 2], [8.5, 2, 2], [2.5, 0, 2]]
    np.testing.assert_array_equal(dataset.data, expected)
    assert dataset.data.dtype == np.float64
    assert dataset.target.tolist() == [1, 0, 1, 1, 0]
    assert dataset.target_names.tolist() == ["a", "b"]
    assert dataset.feature_names == ["size", "colour", "code"]
    assert "the 3 missing values become the median" in dataset.preparation
    assert dataset.preparation.endswith("nothing is scaled.")
    for fact in (toy.title, dataset.source, dataset.licence, dataset.preparation):
        assert fact in dataset.DESCR


def test_the_frame_is_raw(toy):
    frame = load("toy").frame

    assert list(frame.columns) == ["size", "colour", "code", "class"]
    assert frame.isna().sum().tolist() == [1, 1, 1, 0]
    assert frame["class"].tolist() == list("babba")
    assert frame is not load("toy").frame


def test_an_unknown_word_is_another_version(toy, monkeypatch):
    orders = {"colour": ("red", "green")}
    monkeypatch.setitem(REGISTRY, "toy", dataclasses.replace(toy, orders=orders))

    with pytest.raises(ValueError, match="column colour holds 'blue', expected one of"):
        load("toy")


def test_words_without_an_order_are_numbered_by_the_alphabet(toy, monkeypatch):
    monkeypatch.setitem(REGISTRY, "toy", dataclasses.replace(toy, orders={}))

    assert load("toy").data[:, 1].tolist() == [1, 0, 0, 0, 1]


def test_scaling_leaves_constant_features_at_zero():
    digits = load("digits", scale=True)
    constant = np.ptp(load("digits").data, axis=0) == 0

    assert constant.sum() == 3
    assert (digits.data[:, constant] == 0).all()
    np.testing.assert_allclose(digits.data.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(digits.data[:, ~constant].std(axis=0), 1)
    assert "mean 0 and standard deviation 1" in digits.preparation


@pytest.mark.parametrize("name", BUNDLED)
def test_what_scikit_learn_brings_needs_no_file(name, nowhere):
    dataset, info = load(name, download=False), describe(name)

    assert dataset.data.shape == (info.n_samples, info.n_features)
    assert tuple(np.bincount(dataset.target)) == info.class_sizes
    assert len(dataset.target_names) == info.n_classes
    assert dataset.frame.shape == (info.n_samples, info.n_features + 1)
    assert dataset["frame"] is dataset.frame


def test_a_missing_key_is_still_missing():
    with pytest.raises(AttributeError):
        _ = load("iris").colour
    with pytest.raises(KeyError):
        load("iris")["colour"]


def test_only_the_frame_needs_pandas(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)

    dataset = load("toy", scale=True)
    with pytest.raises(ImportError, match="frame needs pandas"):
        _ = dataset.frame


@pytest.mark.parametrize("folder", ["data", "shared/data", "cache/fuzzypairs"])
def test_all_folders_are_searched(folder, toy, nowhere):
    assert available() == [*(n for n in REGISTRY if n in BUNDLED), "toy"]

    (nowhere / "data" / "toy.csv.gz").rename(nowhere / folder / "toy.csv.gz")

    assert load("toy").data.shape == (5, 3)
    assert "toy" in available()


def test_the_first_folder_wins(toy, nowhere):
    (nowhere / "shared/data/toy.csv.gz").write_bytes(b"not the file")
    assert load("toy").data.shape == (5, 3)

    (nowhere / "data/toy.csv.gz").unlink()
    with pytest.raises(ValueError, match="has sha256"):
        load("toy")


def test_the_folder_beside_is_only_searched_beside_a_checkout(toy, nowhere):
    (nowhere / "data/toy.csv.gz").rename(nowhere / "shared/data/toy.csv.gz")
    (nowhere / "checkout/pyproject.toml").unlink()

    assert "toy" not in available()


def test_the_cache_is_in_the_home_folder_by_default(toy, nowhere, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(nowhere))
    monkeypatch.setenv("USERPROFILE", str(nowhere))
    (nowhere / ".cache/fuzzypairs").mkdir(parents=True)
    (nowhere / "data/toy.csv.gz").rename(nowhere / ".cache/fuzzypairs/toy.csv.gz")

    assert "toy" in available()


def test_a_damaged_file_is_refused(toy, nowhere):
    path = nowhere / "data/toy.csv.gz"
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(ValueError, match=f"expected {toy.sha256}: it is damaged"):
        load("toy")


def test_a_missing_file_is_told_with_all_places(nowhere):
    with pytest.raises(FileNotFoundError) as error:
        load("soybean")

    message = str(error.value)
    assert "soybean needs the file soybean.csv.gz" in message
    for folder in ("data", "shared/data", "cache/fuzzypairs"):
        assert str(nowhere / folder) in message
    assert "OpenML has no copy of it" in message
    assert describe("soybean").sha256 in message
    assert f"set {loading.VARIABLE} to the folder" in message


def test_a_variable_that_is_not_set_is_told(nowhere, monkeypatch):
    monkeypatch.delenv(loading.VARIABLE)

    with pytest.raises(FileNotFoundError, match=r"FUZZYPAIRS_DATA \(not set\)"):
        load("soybean")


@pytest.mark.parametrize(
    ("download", "reason"),
    [(True, "OpenML, dataset 1499, did not answer"), (False, "download=False forbids")],
)
def test_no_download_is_told_with_its_reason(download, reason, nowhere):
    with pytest.raises(FileNotFoundError, match=reason):
        load("seeds", download=download)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name is 'win': expected one of soybean, "):
        load("win")


@pytest.fixture
def openml(nowhere, toy, monkeypatch):
    """The small file as OpenML would send it: words numbered, classes as text."""
    (nowhere / "data/toy.csv.gz").unlink()
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


def test_a_copy_from_openml_equals_the_file(openml):
    fetched = load("toy")

    assert openml[1] == [1499]
    expected = [[1.5, 0, 1], [2.5, 2, 2], [2.5, 0, 2], [8.5, 2, 2], [2.5, 0, 2]]
    np.testing.assert_array_equal(fetched.data, expected)
    assert fetched.target.tolist() == [1, 0, 1, 1, 0]
    assert fetched.feature_names == ["size", "colour", "code"]
    assert fetched.source == "OpenML, dataset 1499"
    assert fetched.frame.isna().sum().tolist() == [1, 1, 1, 0]


def test_another_version_from_openml_is_refused(openml):
    sent, _ = openml
    sent.target[:] = list("baaba")
    assert load("toy").target.sum() == 2  # the classes may have changed their names

    sent.target[:] = list("bbbba")
    with pytest.raises(ValueError, match=r"class sizes \[1, 4\], expected \[2, 3\]"):
        load("toy")

    sent.data, sent.target = sent.data[:-1], sent.target[:-1]
    with pytest.raises(ValueError, match=r"shape \(4, 3\), expected \(5, 3\)"):
        load("toy")


# The registry by itself.


def test_the_paper_has_nineteen_datasets():
    assert len(PAPER) == 19
    assert [name for name in PAPER if describe(name).pair_ratio] == ["shuttle"]


@pytest.mark.parametrize("name", REGISTRY)
def test_facts_agree_with_each_other(name):
    info = describe(name)

    assert info.name == name
    assert (info.file is None) == (info.sha256 is None) == (name in BUNDLED)
    if info.kind == "classes":
        assert sum(info.class_sizes) == info.n_samples
        assert len(info.class_sizes) == info.n_classes
    assert set(info.orders) <= set(info.nominal)
    assert info.source
    assert info.licence
    with pytest.raises(dataclasses.FrozenInstanceError):
        info.name = "other"


# The data themselves, where they are.


@pytest.mark.parametrize("name", FILES)
def test_data_are_those_of_the_index(name, index):
    dataset, info, facts = load(name), describe(name), index[name]

    assert (facts["file"], facts["sha256"]) == (info.file, info.sha256)
    assert dataset.data.shape == (facts["n_samples"], facts["n_features"])
    assert dataset.data.dtype == np.float64
    assert np.isfinite(dataset.data).all()
    assert facts["n_missing_values"] == info.n_missing
    assert facts["categorical_columns"] == list(info.nominal)
    if info.kind == "memberships":
        assert dataset.target.shape == (facts["n_samples"], facts["n_classes"])
        np.testing.assert_allclose(dataset.target.sum(axis=1), 1)
        classes = dataset.target.argmax(axis=1)
        names = dataset.target_names
    else:
        raw = dataset.raw["class"].astype(str)
        names, classes = np.unique(raw, return_inverse=True)
    counts = dict(zip(names, np.bincount(classes).tolist(), strict=True))
    assert counts == facts["class_counts"]


@pytest.mark.parametrize("name", [name for name in PAPER if name in FILES])
def test_classes_have_the_sizes_of_the_registry(name, index):
    dataset = load(name)

    assert tuple(np.bincount(dataset.target)) == describe(name).class_sizes
    assert len(dataset.target_names) == describe(name).n_classes


def test_every_dataset_here_is_listed(index):
    # Too large to be read without pandas, and scikit-learn fetches it as well.
    assert set(index) - set(available()) == {"kddcup10"}


@pytest.mark.parametrize("name", [n for n in FILES if n in PAPER and n != "shuttle"])
def test_frames_are_what_pandas_reads(name, index):
    import pandas as pd

    expected = pd.read_csv(loading._find_file(describe(name).file))

    pd.testing.assert_frame_equal(load(name).frame, expected)


def test_wine_is_the_same_in_scikit_learn_and_in_the_file(index):
    table = sources.read_table(loading._find_file(index["wine"]["file"]))
    X, y = load_wine(return_X_y=True)

    np.testing.assert_array_equal(np.column_stack(list(table.columns.values())), X)
    np.testing.assert_array_equal(table.truth, y)


def test_soybean_has_two_classes(index):
    soybean = load("soybean")

    assert soybean.target_names.tolist() == ["D1 or D2", "D3 or D4"]
    assert np.bincount(soybean.target).tolist() == [20, 27]
    assert set(soybean.raw["class"]) == {"D1", "D2", "D3", "D4"}
    assert (np.ptp(soybean.data, axis=0) == 0).sum() == 14


def test_zoo_repeats_rows(index):
    assert len(np.unique(load("zoo").data, axis=0)) == 59


def test_words_are_numbered_in_their_order(index):
    car = load("car")

    assert car.data[0].tolist() == [0, 0, 0, 0, 0, 0]
    assert car.data[-1].tolist() == [3, 3, 3, 2, 2, 2]
    # The first line of the file: b, 30.83, 0, u, g, w, v, 1.25, t, t, 1, f, g, ...
    first = [0, 30.83, 0, 0, 0, 9, 0, 1.25, 0, 0, 1, 1, 0, 202, 0]
    assert load("credit").data[0].tolist() == first


@pytest.mark.parametrize(
    ("name", "ari", "nmi"),
    [("wine", 94.87, 87.59), ("seeds", 88.62, 72.75), ("soybean", 68.35, 41.25)],
)
def test_fuzzy_c_means_gives_the_numbers_of_the_paper(name, ari, nmi, request):
    if name in FILES:
        request.getfixturevalue("index")  # or skip
    dataset = load(name, scale=True)
    model = FDC(describe(name).n_classes)
    model.set_params(alpha=0, beta=0, tol=1e-8, random_state=0)
    labels = model.fit_predict(dataset.data)

    truth = dataset.target
    found = 50 + 50 * adjusted_rand_score(truth, labels)
    shared = normalized_mutual_info_score(truth, labels, average_method="geometric")
    assert found == pytest.approx(ari, abs=0.006)
    assert 100 * shared == pytest.approx(nmi, abs=0.006)


def test_faces_carry_their_ratings(index):
    faces = load("sjaffe_nofear")

    assert faces.mean_ratings.shape == (181, 5)
    assert len(faces.expresser) == len(faces.image_number) == 181
    assert "fear" not in faces.posed_expression
    np.testing.assert_allclose(
        ratings_to_memberships(faces.mean_ratings, "plain"), faces.target
    )
    assert {"x243", "mean_ratings_sad", "class_sad"} <= set(faces.frame.columns)


@pytest.mark.parametrize(
    ("how", "similar", "agree", "alike", "unlike"),
    [
        ("plain", 1.0, 0.21, 0.995, -0.81),
        ("shift-one", 0.70, 0.51, 0.983, -0.82),
        ("shift-min", 0.45, 0.76, 0.970, -0.87),
    ],
)
def test_maps_of_the_ratings_of_faces(how, similar, agree, alike, unlike, index):
    # The numbers are of ratings from the study without fear; these are the ratings
    # of the other study without that column, so they are near, not equal.
    truth = ratings_to_memberships(load("sjaffe_nofear").mean_ratings, how)
    every = np.column_stack(np.triu_indices(len(truth), 1))
    by_argmax = PairSet.from_memberships(truth, pairs=every)
    by_cost = PairSet.from_memberships(truth, pairs=every, sign="cost")

    assert by_argmax.similar.mean() == pytest.approx(0.21, abs=0.005)
    assert by_cost.similar.mean() == pytest.approx(similar, abs=0.03)
    same_sign = by_argmax.similar == by_cost.similar
    assert same_sign.mean() == pytest.approx(agree, abs=0.03)
    grade = by_argmax.grade
    assert np.median(grade[by_argmax.similar]) == pytest.approx(alike, abs=0.01)
    assert np.median(grade[by_argmax.dissimilar]) == pytest.approx(unlike, abs=0.02)
