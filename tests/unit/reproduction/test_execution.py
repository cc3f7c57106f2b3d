"""Runs against the estimators, and against printed cells."""

import warnings

import numpy as np
import pytest

from fuzzypairs import FDC, PCCA, criteria
from fuzzypairs.datasets import available
from fuzzypairs.reproduction.data import FACES, load_problem
from fuzzypairs.reproduction.execution import EXAMPLES, perform
from fuzzypairs.reproduction.runs import Run
from fuzzypairs.starts.seeds import random_labels

POINTS = [
    (("alpha", 0.0), ("beta", 2.0**-8)),
    (("alpha", 0.02), ("beta", 4.0)),
    (("alpha", 0.1), ("beta", 128.0)),
    (("alpha", 0.3), ("beta", 1.0)),
]
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


def scores_of(model, problem, start):
    labels = random_labels(
        len(problem.X), problem.n_clusters, random_state=np.random.RandomState(start)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_params(init=labels).fit(problem.X, pairs=problem.pairs)
    return criteria.normalized_ari(problem.classes, model.labels_)


@pytest.mark.parametrize("point", POINTS)
def test_same_as_fdc(point):
    problem = load_problem("wine", "iv", 0)
    found = perform(Run("wine", "iv", 0, "fdc", point, first=3, last=5))["nari"]
    for start, value in zip((3, 4), found, strict=True):
        model = FDC(3, tol=1e-6, max_iter=1000, **dict(point))
        assert value == pytest.approx(scores_of(model, problem, start), abs=1e-6)


def test_same_as_pcca():
    problem = load_problem("wine", "iv", 0)
    found = perform(Run("wine", "iv", 0, "pcca", (("beta", 16.0),), last=2))["nari"]
    for start, value in enumerate(found):
        model = PCCA(3, beta=16.0, tol=1e-8, max_iter=3000)
        assert value == pytest.approx(scores_of(model, problem, start), abs=1e-6)


@pytest.mark.parametrize("point", POINTS[:3])
def test_pairs_weighed_as_in_the_authors_code(point):
    """The off-diagonal of D times 2 m/|S|, the diagonal as it is."""
    problem = load_problem("wine", "iv", 0)
    found = perform(Run("wine", "iv", 0, "fdc-authors", point, last=2))["nari"]
    factor = 2 * len(problem.X) / len(problem.pairs)
    chosen = dict(point)
    for start, value in enumerate(found):
        model = FDC(3, alpha=chosen["alpha"], beta=factor * chosen["beta"])
        model.set_params(metric="euclidean", tol=1e-6, max_iter=1000)
        model._own = 1 / factor
        assert value == pytest.approx(scores_of(model, problem, start), abs=1e-6)


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
    point = POINTS[1]
    found = perform(Run("wine", "i", 0, "fdc", point, held_out=True, last=2))
    assert set(found) == {"agreement"}
    assert all(0 <= value <= 1 for value in found["agreement"])
    # All judgements of group (i) are false: held-out ones are broken where the
    # clusters are good, however well the fit holds those that it was given.
    fitted = perform(Run("wine", "i", 0, "fdc", point, last=2))
    assert np.mean(found["agreement"]) < 0.5
    assert np.mean(fitted["nari"]) > 0.9


def test_what_cannot_be_held_in_memory_is_refused(monkeypatch):
    def fit(self, X, pairs=None):
        raise MemoryError("would take 9 GB")

    monkeypatch.setattr("fuzzypairs.cluster.ssdc.SSDC.fit", fit)
    assert perform(Run("wine", "iv", 0, "ssdc")) == {"refused": "would take 9 GB"}


@pytest.mark.parametrize("method", ["ssdc", "dsc", "fhss", "fdc-rbf"])
def test_other_methods_score(method):
    point = (("mu", 0.06), ("alpha", 0.0), ("beta", 1.0)) if "rbf" in method else ()
    found = perform(Run("wine", "iv", 0, method, point))
    assert {"nari", "nmi", "clusters", "held"} <= set(found)
    assert 0.4 < found["nari"][0] <= 1


def test_faces_keep_what_their_tables_need():
    need(FACES)
    found = perform(Run(FACES, "v", 0, "fdc", POINTS[0]))
    assert np.shape(found["examples"][0]) == (len(EXAMPLES), 5)
    assert len(found["lia"][0]) == 5
    assert found["lia"][0][0] == pytest.approx(found["acc"][0])
    assert 0 < found["mahd"][0] < 1
    assert "mahd" not in perform(Run(FACES, "v", 0, "ssdc"))
