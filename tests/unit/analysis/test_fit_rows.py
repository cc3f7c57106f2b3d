"""Fits of rows, and what is read of models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.analysis import fit_rows as fitting
from fuzzypairs.analysis.fit_rows import fit_rows, solution_of, unguided_of
from fuzzypairs.exceptions import FewPairsWarning


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs([50, 40, 30], random_state=3)
    return pd.DataFrame(X, columns=["x", "y"]), y


def test_a_guided_model_chooses_by_its_evidence(blobs):
    X, y = blobs
    pairs = PairSet.from_labels(y, n_pairs=40, random_state=0)
    model, choice = fit_rows(GuidedFDC(random_state=0), X, pairs, [2, 3, 4])

    alone = GuidedFDC([2, 3, 4], random_state=0).fit(X, pairs=pairs)
    assert model.n_clusters_ == alone.n_clusters_ == 3
    np.testing.assert_array_equal(model.memberships_, alone.memberships_)
    assert choice.by == "held-out pairs"
    assert choice.reason.startswith("Chosen by 40 held-out judgements: n_clusters=3")
    assert "largest number" not in choice.reason
    _, choice = fit_rows(GuidedFDC(random_state=0), X, pairs, [2, 3])
    assert choice.reason.endswith(
        "the largest number that was tried: there may be more."
    )


def test_without_judgements_the_number_is_chosen_by_stability():
    X, _ = make_blobs([50, 40, 30], centers=8 * np.eye(3), random_state=3)
    with pytest.warns(FewPairsWarning):
        model, choice = fit_rows(
            GuidedFDC(random_state=0), X, PairSet.empty(len(X)), [2, 3, 4]
        )

    assert choice.by == "stability"
    assert model.n_clusters_ == 3


def test_of_many_rows_some_and_those_judged_choose(blobs, monkeypatch):
    monkeypatch.setattr(fitting, "MOST_SEARCHED", 60)
    X, y = blobs
    pairs = PairSet.from_labels(y, n_pairs=40, random_state=0)
    model, choice = fit_rows(GuidedFDC(random_state=0), X, pairs, [2, 3, 4])

    n_some = int(choice.reason.split()[-4].replace(",", ""))
    assert 60 < n_some < len(X)
    assert len(model.memberships_) == len(X)
    assert model.n_clusters == 3


def test_only_the_model_of_the_paper_has_an_objective(blobs):
    X, _ = blobs
    model = FDC(3, random_state=0).fit(X)
    assert solution_of(model)["objective"] == model.objective_
    assert solution_of(GuidedFDC(3, random_state=0).fit(X)) == {}


def test_clusters_without_judgements_are_numbered_alike(monkeypatch):
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(120, 3))
        + np.c_[6 * (np.arange(120) % 2), [0] * 120, [0] * 120]
    )
    pairs = PairSet.from_labels(np.arange(120) // 60, n_pairs=60, random_state=0)
    model = GuidedFDC(2, random_state=0).fit(X, pairs=pairs)
    vars(model).pop("unguided_memberships_", None)
    found = unguided_of(model, X, model.memberships_)

    plain = FDC(2, fuzzifier="auto", n_init=3, random_state=0).fit(X)
    same = plain.labels_ == found.argmax(axis=1)
    assert same.all() or not same.any()
    assert (found.argmax(axis=1) == model.labels_).mean() >= 0.5
    # Fitted to some of very many rows.
    monkeypatch.setattr(fitting, "MOST_FITTED", 60)
    some = unguided_of(model, X, model.memberships_)
    assert some.shape == (120, 2)
    assert (some.argmax(axis=1) == found.argmax(axis=1)).mean() > 0.6


def test_distances_have_no_clusters_without_judgements():
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    model = FDC(2, metric="precomputed", random_state=0).fit(D, pairs=[(0, 5, 0.5)])

    assert unguided_of(model, D, model.memberships_) is None
