"""Scores of runs."""

import warnings

import numpy as np
import pytest

from fuzzypairs import criteria
from fuzzypairs.datasets import available
from fuzzypairs.reproduction.data import FACES, load_benchmark
from fuzzypairs.reproduction.execution import EXAMPLES, perform
from fuzzypairs.reproduction.methods import fit_method
from fuzzypairs.reproduction.runs import Run

POINT = (("alpha", 0.02), ("beta", 4.0))
# What fuzzy c-means finds in the paper, which it prints for PCCA, too.
CELLS = {
    "wine": (94.87, 87.59),
    "seeds": (88.62, 72.75),
    "soybean": (68.35, 41.25),
    "dermatology": (66.13, 51.21),
}


def need(name):
    if name not in available():
        pytest.skip(f"{name} is not on this machine: set FUZZYPAIRS_DATA")


def test_each_start_is_scored():
    wine = load_benchmark("wine", "iv", 0)
    found = perform(Run("wine", "iv", 0, "fdc", POINT, first=3, last=5))
    for place, start in enumerate((3, 4)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = fit_method("fdc", wine, wine.pairs, POINT, start).labels_
        wanted = {
            "nari": criteria.normalized_ari(wine.classes, labels),
            "nmi": criteria.nmi(wine.classes, labels),
            "clusters": len(set(labels)),
            "held": criteria.pair_agreement(wine.pairs, labels),
        }
        scores = {name: values[place] for name, values in found.items()}
        assert scores == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("name", sorted(CELLS))
@pytest.mark.parametrize("method", ["fcm", "pcca"])
def test_printed_cells(name, method):
    need(name)
    run = Run(name, "", 0, "fcm", last=2)
    if method == "pcca":
        run = Run(name, "iv", 0, "pcca", (("beta", 2.0**-8),), last=2)
    found = perform(run)
    for key, value in zip(("nari", "nmi"), CELLS[name], strict=True):
        assert 100 * np.mean(found[key]) == pytest.approx(value, abs=0.01)


def test_held_out_judgements_are_asked_of_fits_without_them():
    found = perform(Run("wine", "i", 0, "fdc", POINT, held_out=True, last=2))
    assert set(found) == {"agreement"}
    assert all(0 <= value <= 1 for value in found["agreement"])
    # All judgements of group (i) are false: held-out ones are broken where the
    # clusters are good, however well the fit holds those that it was given.
    fitted = perform(Run("wine", "i", 0, "fdc", POINT, last=2))
    assert np.mean(found["agreement"]) < 0.5
    assert np.mean(fitted["nari"]) > 0.9


def test_what_cannot_be_held_in_memory_is_refused(monkeypatch):
    def fit(self, X, pairs=None):
        raise MemoryError("would take 9 GB")

    monkeypatch.setattr("fuzzypairs.SSDC.fit", fit)
    assert perform(Run("wine", "iv", 0, "ssdc")) == {"refused": "would take 9 GB"}


@pytest.mark.parametrize("method", ["ssdc", "dsc", "fhss", "fdc-rbf"])
def test_other_methods_score(method):
    point = (("mu", 0.06), ("alpha", 0.0), ("beta", 1.0)) if "rbf" in method else ()
    found = perform(Run("wine", "iv", 0, method, point))
    assert {"nari", "nmi", "clusters", "held"} <= set(found)
    assert 0.4 < found["nari"][0] <= 1


def test_faces_keep_what_their_tables_need():
    need(FACES)
    point = (("alpha", 0.0), ("beta", 2.0**-8))
    found = perform(Run(FACES, "v", 0, "fdc", point))
    assert np.shape(found["examples"][0]) == (len(EXAMPLES), 5)
    assert len(found["lia"][0]) == 5
    assert found["lia"][0][0] == pytest.approx(found["acc"][0])
    assert 0 < found["mahd"][0] < 1
    assert "mahd" not in perform(Run(FACES, "v", 0, "ssdc"))
