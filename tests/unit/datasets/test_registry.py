"""The datasets of the registry: facts against the data, where they are."""

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from fuzzypairs import FDC
from fuzzypairs.datasets import available, describe, load, ratings_to_memberships
from fuzzypairs.datasets.registry import REGISTRY

FILES = [name for name, info in REGISTRY.items() if info.file]
PAPER = [name for name, info in REGISTRY.items() if info.in_paper]


def test_the_paper_has_nineteen_datasets():
    assert len(PAPER) == 19
    assert [name for name in PAPER if describe(name).pair_ratio] == ["shuttle"]


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


BUNDLED = ["wine", "iris", "breast_cancer", "digits"]


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
