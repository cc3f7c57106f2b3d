"""From metric and metric_params to a space; messages name the argument."""

import numpy as np
import pytest
from scipy import sparse

from fuzzypairs import FDC
from fuzzypairs.spaces.feature_maps import KernelFeatures
from fuzzypairs.spaces.kernel_spaces import KernelSpace
from fuzzypairs.spaces.metrics import resolve_metric
from fuzzypairs.spaces.vectors import Euclidean, Manhattan, Minkowski
from metric_cases import SQUARE, TABLE, Circle, inner_products

ASYMMETRIC = SQUARE + np.triu(np.ones((6, 6)), 1)
NEGATIVE = -SQUARE


@pytest.mark.parametrize(
    ("metric", "params", "kind"),
    [
        ("euclidean", None, Euclidean),
        ("minkowski", None, Euclidean),
        ("minkowski", {"p": 2}, Euclidean),
        ("minkowski", {"p": 1}, Manhattan),
        ("minkowski", {"p": 3}, Minkowski),
        ("rbf", {"gamma": "median"}, KernelSpace),
        ("rbf", {"n_components": 5}, KernelFeatures),
        (inner_products, {"approximation": "nystroem"}, KernelFeatures),
    ],
)
def test_names_and_functions_lead_to_spaces(metric, params, kind):
    assert type(resolve_metric(metric, params)) is kind


def test_parameters_reach_the_space():
    assert resolve_metric("minkowski", {"p": 3}).p == 3.0
    assert resolve_metric("rbf", {"memory": "1KB", "gamma": 2}).memory == 1000
    space = resolve_metric("polynomial", {"degree": 4, "n_components": 7})
    assert (space.kernel.degree, space.kernel.coef0, space.n_components) == (4, 1.0, 7)
    own = Circle()
    assert resolve_metric(own, None) is own


@pytest.mark.parametrize(
    ("metric", "params", "X", "words"),
    [
        ("city", None, TABLE, "metric must be one of .*got 'city'"),
        ("auto", None, TABLE, "metric must be one of .*got 'auto'"),
        ("rbf", {"gama": 1.0}, TABLE, "metric_params has 'gama'.*\"rbf\".*'gamma'"),
        ("euclidean", {"gamma": 1.0}, TABLE, "'gamma'.*\"euclidean\".*none"),
        (Circle(), {"p": 1}, TABLE, "'p'.*a Circle"),
        (inner_products, {"gamma": 1.0}, TABLE, "'gamma'.*a callable"),
        ("rbf", {"gamma": -1.0}, TABLE, r'metric_params\["gamma"\].*got -1'),
        ("rbf", {"gamma": 0}, TABLE, r'metric_params\["gamma"\] must be above 0'),
        ("rbf", {"gamma": "auto"}, TABLE, r'\["gamma"\].*"scale", "median".*auto'),
        ("rbf", {"gamma": np.nan}, TABLE, r'\["gamma"\].*got nan'),
        ("minkowski", {"p": 0.5}, TABLE, r'metric_params\["p"\].*1 or more.*0.5'),
        ("polynomial", {"degree": 0}, TABLE, r'metric_params\["degree"\].*got 0'),
        ("polynomial", {"coef0": -1}, TABLE, r'metric_params\["coef0"\].*got -1'),
        ("rbf", {"memory": "lots"}, TABLE, r'metric_params\["memory"\].*lots'),
        ("rbf", {"n_components": 0}, TABLE, r'\["n_components"\].*got 0'),
        ("rbf", {"approximation": "svd"}, TABLE, r'\["approximation"\].*svd'),
        ("laplacian", {"approximation": "fourier"}, TABLE, "laplacian.*nystroem"),
        (inner_products, {"approximation": "fourier"}, TABLE, "a callable.*nystroem"),
        ("precomputed", None, TABLE, r"X has shape \(6, 2\).*square"),
        ("precomputed_kernel", None, TABLE, r"X has shape \(6, 2\).*square"),
        ("precomputed", None, ASYMMETRIC, r"X\[0, 1\] is 2 but X\[1, 0\] is 1"),
        ("precomputed_kernel", None, ASYMMETRIC, r"X\[0, 1\] is 2 but X\[1, 0\] is 1"),
        ("precomputed", None, NEGATIVE, "X has the entry -5.*distances"),
        ("precomputed", None, SQUARE + np.eye(6), r"X\[0, 0\] is 1.*diagonal"),
        ("jaccard", None, -TABLE, "X has the entry -11.*jaccard"),
        ("mahalanobis", {"covariance": np.eye(3)}, TABLE, r"\(3, 3\).*\(2, 2\)"),
        ("mahalanobis", {"covariance": [[1, 2], [0, 1]]}, TABLE, "symmetric"),
        ("mahalanobis", {"covariance": [[1, 2], [2, 1]]}, TABLE, "eigenvalue -1"),
        (lambda A, B: A, None, TABLE, r"callable.*\(1, 2\).*\(1, 1\)"),
        (lambda A, B: np.nan * (A @ B.T), None, TABLE, "finite numbers"),
    ],
)
def test_what_cannot_be(metric, params, X, words):
    model = FDC(2, metric=metric, metric_params=params)
    with pytest.raises(ValueError, match=words):
        model.fit(X)


@pytest.mark.parametrize(
    "metric", ["manhattan", "minkowski", "mahalanobis", "laplacian", "precomputed"]
)
def test_sparse_where_it_is_not_known(metric):
    params = {"p": 3} if metric == "minkowski" else None
    model = FDC(2, metric=metric, metric_params=params)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.fit(sparse.csr_array(TABLE))


@pytest.mark.parametrize("metric", [lambda A: A, lambda A, B, C: A, lambda *, A: A])
def test_functions_of_other_arguments(metric):
    with pytest.raises(TypeError, match=r"metric must be a function of \(A, B\): "):
        FDC(2, metric=metric).fit(TABLE)


def test_functions_of_unknown_arguments():
    # NumPy does not tell those of its functions.
    with pytest.raises(ValueError, match="metric, a callable kernel, returned"):
        FDC(2, metric=np.maximum).fit(TABLE)


@pytest.mark.parametrize("params", [[("gamma", 1.0)], "gamma"])
def test_parameters_that_are_no_dict(params):
    with pytest.raises(TypeError, match="metric_params must be a dict"):
        FDC(2, metric="rbf", metric_params=params).fit(TABLE)
