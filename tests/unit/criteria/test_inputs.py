"""Labels and memberships that cannot be compared: messages name the argument."""

import numpy as np
import pytest

from fuzzypairs.criteria import (
    align_clusters,
    hungarian_accuracy,
    lia,
    mahd,
    nmi,
    normalized_ari,
    rand_index,
)

HARD = [normalized_ari, nmi, rand_index, hungarian_accuracy]
T = np.array([[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])


@pytest.mark.parametrize(
    ("truth", "result", "noise", "message"),
    [
        ([0, 1], [0, 1, 1], "cluster", "truth has 2 samples but result has 3"),
        ([0, 1], [0, 1], "ignore", "noise must be one of"),
        ([0, 1], [-1, -1], "drop", "result assigns no sample"),
        ([0, 1], 3, "cluster", r"result has shape \(\)"),
        ([0, 1], [0, np.nan], "cluster", r"result\[1\] is nan"),
        ([0, 1], [None, "a"], "cluster", "result holds labels that cannot be comp"),
        ([0, "a", None], [0, 1, 1], "cluster", "truth holds labels that cannot be"),
        ([[0], [1]], [0, 1], "cluster", r"truth has shape \(2, 1\) and different"),
        ([0, 1], [[0.5, 0.5], [np.nan, 1]], "drop", r"result\[1, 0\] is nan"),
        ([0, 1], [["a", "b"], ["b", "a"]], "drop", "result must be a matrix of num"),
        (np.empty((0, 3)), [], "cluster", r"truth has shape \(0, 3\)"),
    ],
)
@pytest.mark.parametrize("criterion", HARD)
def test_wrong_input_is_named(criterion, truth, result, noise, message):
    with pytest.raises(ValueError, match=message):
        criterion(truth, result, noise=noise)


@pytest.mark.parametrize("criterion", [mahd, lia, align_clusters])
def test_matrices_about_other_samples_are_an_error(criterion):
    with pytest.raises(ValueError, match=r"has 4 samples but .* has 3: expected the"):
        criterion(T, T[:3])
    with pytest.raises(ValueError, match=r"has shape \(4,\): expected memberships"):
        criterion(T, [0, 1, 2, 0])
