"""Labels of clusters whose prototypes coincide."""

import numpy as np
import pytest

import naive
from fuzzypairs import FDC
from fuzzypairs.exceptions import PrototypesCoincideWarning

SPLIT = "split their samples"


def blob_and_cloud(n_features):
    """A blob far away, and a wide cloud that two prototypes end in the middle of."""
    rng = np.random.default_rng(0)
    stretched = rng.normal(size=(300, n_features)) * np.linspace(1.4, 0.8, n_features)
    return np.vstack([rng.normal(size=(100, n_features)) + 9, stretched])


def plain_labels(X, start, weight=None):
    """Return labels of plain steps just before two prototypes coincide."""
    weight = np.ones(len(X)) if weight is None else weight
    U = np.eye(start.max() + 1)[start]
    spread = np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    while True:
        W = weight[:, None] * U**2
        C = W.T @ X / W.sum(axis=0)[:, None]
        gaps = np.linalg.norm(C[:, None] - C, axis=2)[np.triu_indices(len(C), 1)]
        if gaps.min() < 1e-6 * spread:
            return U.argmax(axis=1)
        U = np.array([naive.free_memberships(d) for d in naive.distances(X, C)])


def agreement(labels, expected, k):
    """Return the share of equal labels, whatever the two last clusters are called."""
    swapped = np.array([0, 2, 1])[labels] if k == 3 else 1 - labels
    return max((labels == expected).mean(), (swapped == expected).mean())


def test_the_axis_with_the_most_samples_is_split():
    # Two samples on either side of each of ten axes, and twice as many on the first:
    # lam1 = 4 / 22, and 4 lam1 < 1, so both prototypes end at zero.
    axes = np.vstack([np.eye(10), 2.0 * np.eye(10)[:1]])
    X = np.vstack([axes, -axes])
    with pytest.warns(PrototypesCoincideWarning, match=SPLIT):
        labels = FDC(2, alpha=0.0, n_init=1, random_state=0, tol=1e-8).fit(X).labels_
    assert labels[0] == labels[10] != labels[11] == labels[21]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_features", [7, 8])
def test_labels_are_those_that_plain_steps_end_with(n_features, weighted):
    X = blob_and_cloud(n_features)
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(X)).astype(float) if weighted else None
    start = np.concatenate([np.zeros(100, int), 1 + (X[100:, 0] > 0)])
    model = FDC(3, alpha=0.0, init=start, tol=1e-9, max_iter=1000)
    with pytest.warns(PrototypesCoincideWarning, match=SPLIT):
        labels = model.fit(X, sample_weight=weight).labels_
    assert set(labels[:100]) == {0}
    assert agreement(labels, plain_labels(X, start, weight), 3) > 0.99


def test_wide_data_are_split_the_same_way():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 420))
    X[:, 0] *= 3.0
    with pytest.warns(PrototypesCoincideWarning, match=SPLIT):
        labels = FDC(2, alpha=0.0, n_init=1, random_state=0, tol=1e-6).fit(X).labels_
    assert agreement(labels, (X[:, 0] > X[:, 0].mean()).astype(int), 2) > 0.8


def test_judged_samples_stay_where_judgements_put_them():
    X = blob_and_cloud(8)
    pairs = [(100 + 2 * i, 101 + 2 * i, -1.0) for i in range(5)]
    start = np.concatenate([np.zeros(100, int), 1 + (X[100:, 0] > 0)])
    model = FDC(3, alpha=0.0, beta=2.0, init=start, tol=1e-9, max_iter=1000)
    with pytest.warns(PrototypesCoincideWarning):
        model.fit(X, pairs=pairs)
    i, j, _ = zip(*pairs, strict=True)
    U = model.memberships_
    for labels, rows in ((model.labels_[[*i]], i), (model.labels_[[*j]], j)):
        told_apart = np.ptp(U[[*rows]][:, 1:], axis=1) > 1e-3
        own = U[[*rows]].argmax(axis=1)
        np.testing.assert_array_equal(labels[told_apart], own[told_apart])
