"""GuidedFDC on blocks against the one in memory."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs import GuidedFDC, PairSet
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


def fit(X, pairs, client=None):
    model = GuidedFDC(3, n_init=2, random_state=0)
    source = read_collection(da.from_array(X, chunks=(700, 3)), None, None)
    found = fit_guided_blocks(source, pairs, model, client)
    return found, model


@pytest.mark.parametrize("on_cluster", [False, True])
def test_it_is_the_fit_in_memory(data, client, on_cluster):
    X, pairs = data
    found, model = fit(X, pairs, client if on_cluster else None)
    model.fit(X, pairs=pairs)
    local = found.to_local()
    assert type(local) is GuidedFDC
    assert not hasattr(local, "memberships_")
    np.testing.assert_allclose(
        local.predict_proba(X), model.predict_proba(X), atol=1e-6
    )
    judged = np.unique([pairs.i, pairs.j])
    np.testing.assert_array_equal(found.judged_rows_, judged)
    np.testing.assert_allclose(
        found.judged_memberships_, model.memberships_[judged], atol=1e-6
    )
    assert local.verdict_ == model.verdict_


def test_a_sample_is_enough_for_the_map(data, monkeypatch):
    X, pairs = data
    monkeypatch.setattr(held_rows, "SAMPLE", 800)
    found, model = fit(X, pairs)
    labels = found.to_local().predict(X)
    expected = model.fit(X, pairs=pairs).predict(X)
    # Clusters are numbered as the starts are drawn.
    shares = [np.bincount(expected[labels == k]).max() for k in np.unique(labels)]
    assert sum(shares) > 0.9 * N
