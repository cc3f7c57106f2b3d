"""Spaces that become Euclidean by a map: kernel features and Mahalanobis."""

import numpy as np
import pytest

from fuzzypairs import FDC
from fuzzypairs.spaces.metrics import resolve_metric
from fuzzypairs.validation import check_seed
from metric_cases import (
    CASES,
    COVARIANCE,
    GAMMA,
    LABELS,
    PAIRS,
    POINTS,
    WEIGHT,
    close,
    same_end,
)


def test_nystroem_of_all_samples_is_the_kernel():
    params = {"init": LABELS, "tol": 1e-9, "alpha": 0.02}
    whole = CASES["rbf"].model(**params).fit(POINTS, pairs=PAIRS)
    features = CASES["nystroem"].model(**params)
    features.set_params(metric_params={"gamma": GAMMA, "n_components": 24})
    same_end([whole, features.fit(POINTS, pairs=PAIRS)])
    close(features.transform(POINTS), whole.transform(POINTS))


def test_fourier_features_come_near_the_kernel():
    truth = CASES["rbf"].space().distances_to_samples(np.arange(24))
    errors = []
    for n_components in (10, 10_000):
        params = {"approximation": "fourier", "n_components": n_components}
        space = resolve_metric("rbf", {"gamma": GAMMA, **params})
        space = space.fit(POINTS, random_state=check_seed(0))
        errors.append(abs(space.distances_to_samples(np.arange(24)) - truth).max())
    assert errors[1] < 0.1 < errors[0]


@pytest.mark.parametrize("given", [True, False], ids=["given", "estimated"])
def test_mahalanobis_is_euclidean_after_whitening(given):
    mean = np.average(POINTS, axis=0, weights=WEIGHT)
    S = np.cov(POINTS.T, aweights=WEIGHT, bias=True)
    L = np.linalg.cholesky(COVARIANCE if given else S)
    white = np.linalg.solve(L, (POINTS - mean).T).T
    params = {"init": LABELS, "tol": 1e-9, "n_clusters": 3}
    model = FDC(
        metric="mahalanobis",
        metric_params={"covariance": COVARIANCE} if given else None,
        **params,
    ).fit(POINTS, pairs=PAIRS, sample_weight=WEIGHT)
    whitened = FDC(metric="euclidean", **params).fit(
        white, pairs=PAIRS, sample_weight=WEIGHT
    )
    same_end([whitened, model])
    close(model.cluster_centers_, whitened.cluster_centers_ @ L.T + mean)
    close(model.transform(POINTS), whitened.transform(white))


def test_a_constant_feature_does_not_matter_to_mahalanobis():
    wide = np.column_stack([POINTS, np.full(24, 5.0)])
    options = {"init": LABELS, "tol": 1e-9, "metric": "mahalanobis"}
    model, plain_model = FDC(3, **options).fit(wide), FDC(3, **options).fit(POINTS)
    same_end([plain_model, model])
    close(model.cluster_centers_[:, 3], 5.0)
