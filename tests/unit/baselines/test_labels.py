"""What DSC, FHSS and SSDC share: reading input, memory, attributes, warnings."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from fuzzypairs import DSC, FHSS, SSDC, PairSet
from fuzzypairs.exceptions import FuzzyPairsWarning, PairsError

# Three groups of 20 samples in the plane.
Y = np.repeat([0, 1, 2], 20)
X = np.array([[0, 0], [8, 0], [0, 8]])[Y] + np.random.default_rng(0).normal(
    size=(60, 2)
)
MODELS = [DSC(3), FHSS(3), SSDC(percent=20)]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


def learned(model):
    return {name: v for name, v in vars(model).items() if name.endswith("_")}


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name])


@every_model
def test_every_form_of_pairs_is_accepted(model):
    pairs = PairSet.from_labels(Y, n_pairs=15, random_state=0)
    pairs = PairSet(pairs.i, pairs.j, 0.7 * pairs.grade, 60)
    frame = pd.DataFrame(pairs.to_array(), columns=["i", "j", "grade"])
    expected = learned(model.fit(X, pairs=pairs))
    for form in (list(pairs), pairs.to_array(), pairs.to_sparse(), frame):
        assert_same(learned(model.fit(X, pairs=form)), expected)
    labels = model.fit_predict(X, pairs=pairs)
    np.testing.assert_array_equal(labels, expected["labels_"])


@every_model
def test_a_failed_fit_leaves_the_model_alone(model):
    before = dict(vars(model.fit(pd.DataFrame(X, columns=["a", "b"]))))
    with pytest.raises(PairsError, match="joins sample 60 but"):
        model.fit(X[:, :1], pairs=[(0, 60, 1)])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@every_model
def test_another_fit_leaves_nothing_of_the_first(model):
    model.fit(pd.DataFrame(X, columns=["a", "b"]))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    model.note = "kept"
    model.fit(X)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2
    assert model.note == "kept"


@pytest.mark.parametrize(
    ("model", "n_samples", "message"),
    [
        (DSC(memory="10MB"), 1000, "0.012 GB for 1000 samples but memory allows 0.01"),
        (FHSS(), 20_000, r"3\.2 GB for 20000 samples but memory allows 2 GB"),
        (SSDC(), 16_000, r"2\.05 GB for 16000 samples but memory allows 2 GB"),
    ],
)
def test_memory_is_refused_before_it_is_taken(model, n_samples, message, monkeypatch):
    monkeypatch.setattr(type(model), "_cluster", pytest.fail)
    name = type(model).__name__
    with pytest.raises(MemoryError, match=f"{name} needs about {message}"):
        model.fit(np.zeros((n_samples, 1)))


def test_memory_that_is_just_enough():
    with pytest.raises(MemoryError, match="memory allows"):
        SSDC(memory=647).fit(X[:9])
    assert SSDC(memory=648).fit(X[:9]).n_clusters_ >= 1


@pytest.mark.parametrize(
    ("model", "pairs", "category"),
    [
        (DSC(3, max_iter=7), None, ConvergenceWarning),
        (SSDC(), [(0, 1, 1), (1, 2, 1), (0, 2, -1)], FuzzyPairsWarning),
    ],
)
def test_warnings_name_the_line_of_the_caller(model, pairs, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, pairs=pairs)
    assert [(w.category, w.filename) for w in caught] == [(category, __file__)]
