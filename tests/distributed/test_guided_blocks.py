"""GuidedFDC on blocks against the one in memory."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.active.inference import fit_answers, infer_pairs
from fuzzypairs.blocks import held_rows
from fuzzypairs.blocks.block_rows import read_collection
from fuzzypairs.blocks.guided_blocks import fit_guided_blocks

da = pytest.importorskip("dask.array")

N = 3000


@pytest.fixture(scope="module")
def data():
    """Two features of three blobs, one of noise; judges see one of the blobs."""
    X, truth = make_blobs(N, centers=3, cluster_std=2.5, random_state=2)
    X = np.column_stack([X, np.random.default_rng(0).normal(0.0, 4.0, N)])
    return X, PairSet.from_labels(truth == 0, n_pairs=80, random_state=0)


def fit(X, pairs, client=None, *, are_answers=False, **options):
    model = GuidedFDC(3, n_init=2, random_state=0, **options)
    source = read_collection(da.from_array(X, chunks=(700, 3)), None, None)
    found = fit_guided_blocks(source, pairs, model, client, are_answers=are_answers)
    return found, model


@pytest.mark.parametrize("on_cluster", [False, True])
def test_it_is_the_fit_in_memory(data, client, on_cluster):
    X, pairs = data
    found, model = fit(X, pairs, client if on_cluster else None)
    model.fit(X, pairs=pairs)
    local = found.to_local()
    assert type(local) is GuidedFDC
    assert type(local.model_) is FDC
    np.testing.assert_allclose(
        local.predict_proba(X), model.predict_proba(X), atol=1e-6
    )
    judged = np.unique([pairs.i, pairs.j])
    np.testing.assert_array_equal(found.judged_rows_, judged)
    np.testing.assert_allclose(
        found.judged_memberships_, model.memberships_[judged], atol=1e-6
    )
    assert local.verdict_ == model.verdict_


@pytest.mark.parametrize("options", [{}, {"beta": 0.7}])
def test_without_a_map_it_is_fdc_on_all_rows(data, options):
    X, pairs = data
    pairs = pairs.select(np.arange(len(pairs)) < 3)  # too few to learn from
    found, model = fit(X, pairs, propagate=False, **options)
    model.fit(X, pairs=pairs)
    np.testing.assert_allclose(
        found.to_local().cluster_centers_, model.cluster_centers_, rtol=1e-6
    )
    judged = np.unique([pairs.i, pairs.j])
    np.testing.assert_allclose(
        found.judged_memberships_, model.memberships_[judged], atol=1e-6
    )


def test_a_sample_is_enough_for_the_map(data, monkeypatch):
    X, pairs = data
    monkeypatch.setattr(held_rows, "SAMPLE", 800)
    found, model = fit(X, pairs)
    labels = found.to_local().predict(X)
    expected = model.fit(X, pairs=pairs).predict(X)
    # Clusters are numbered as the starts are drawn.
    shares = [np.bincount(expected[labels == k]).max() for k in np.unique(labels)]
    assert sum(shares) > 0.9 * N


def test_answers_are_fitted_with_what_follows_from_them(data):
    X, rows = data[0][:900], np.arange(0, 900, 38)
    alike = np.arange(24) % 3 == 0
    ends = np.concatenate([np.c_[rows[:-1], rows[1:]], np.c_[rows[:-2], rows[2:]]])
    same = np.concatenate([alike[:-1] == alike[1:], alike[:-2] == alike[2:]])
    answers = PairSet(*ends.T, np.where(same, 0.9, -0.7), len(X))
    assert len(infer_pairs(answers, 3))
    found, model = fit(X, answers, are_answers=True)
    expected = fit_answers(model, X, answers, 3).memberships_[found.judged_rows_]
    np.testing.assert_allclose(found.judged_memberships_, expected, atol=1e-6)
    alone, _ = fit(X, answers)
    assert np.abs(alone.judged_memberships_ - expected).max() > 1e-3
