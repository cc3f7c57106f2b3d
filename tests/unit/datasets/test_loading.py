"""Where datasets are found, and what is done to them."""

import dataclasses
import sys

import numpy as np
import pytest

from fuzzypairs.datasets import available, describe, load, loading
from fuzzypairs.datasets.registry import REGISTRY

BUNDLED = ["wine", "iris", "breast_cancer", "digits"]


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
def test_what_scikit_learn_brings_needs_no_file(name, no_files):
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
def test_all_folders_are_searched(folder, toy, no_files):
    assert available() == [*(n for n in REGISTRY if n in BUNDLED), "toy"]

    (no_files / "data" / "toy.csv.gz").rename(no_files / folder / "toy.csv.gz")

    assert load("toy").data.shape == (5, 3)
    assert "toy" in available()


def test_the_first_folder_wins(toy, no_files):
    (no_files / "shared/data/toy.csv.gz").write_bytes(b"not the file")
    assert load("toy").data.shape == (5, 3)

    (no_files / "data/toy.csv.gz").unlink()
    with pytest.raises(ValueError, match="has sha256"):
        load("toy")


def test_the_folder_beside_is_only_searched_beside_a_checkout(toy, no_files):
    (no_files / "data/toy.csv.gz").rename(no_files / "shared/data/toy.csv.gz")
    (no_files / "checkout/pyproject.toml").unlink()

    assert "toy" not in available()


def test_the_cache_is_in_the_home_folder_by_default(toy, no_files, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(no_files))
    monkeypatch.setenv("USERPROFILE", str(no_files))
    (no_files / ".cache/fuzzypairs").mkdir(parents=True)
    (no_files / "data/toy.csv.gz").rename(no_files / ".cache/fuzzypairs/toy.csv.gz")

    assert "toy" in available()


def test_a_damaged_file_is_refused(toy, no_files):
    path = no_files / "data/toy.csv.gz"
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(ValueError, match=f"expected {toy.sha256}: it is damaged"):
        load("toy")


def test_a_missing_file_is_reported_with_all_folders(no_files):
    with pytest.raises(FileNotFoundError) as error:
        load("soybean")

    message = str(error.value)
    assert "soybean needs the file soybean.csv.gz" in message
    for folder in ("data", "shared/data", "cache/fuzzypairs"):
        assert str(no_files / folder) in message
    assert "OpenML has no copy of it" in message
    assert describe("soybean").sha256 in message
    assert f"set {loading.VARIABLE} to the folder" in message


def test_a_variable_that_is_not_set_is_reported(no_files, monkeypatch):
    monkeypatch.delenv(loading.VARIABLE)

    with pytest.raises(FileNotFoundError, match=r"FUZZYPAIRS_DATA \(not set\)"):
        load("soybean")


@pytest.mark.parametrize(
    ("download", "reason"),
    [(True, "OpenML, dataset 1499, did not answer"), (False, "download=False forbids")],
)
def test_no_download_is_reported_with_its_reason(download, reason, no_files):
    with pytest.raises(FileNotFoundError, match=reason):
        load("seeds", download=download)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name is 'win': expected one of soybean, "):
        load("win")
