"""The experiment on GuidedFDC: halves of the sets, calibration, lines of a set."""

import numpy as np
import pytest

from experiments import guided
from experiments.guided import calibration_error, halves, run_set


def test_halves_by_hand():
    sizes = {"b": 10, "a": 10, "d": 5, "c": 20}
    assert halves(sizes) == {"choose": ["d", "b"], "report": ["a", "c"]}


def test_calibration_by_hand():
    """Three of four rows are right at a certainty of 0.95: a gap of 0.2."""
    U = np.array([[0.95, 0.05], [0.95, 0.05], [0.05, 0.95], [0.05, 0.95]])
    y = np.array([1, 1, 0, 1])
    assert calibration_error(U, y) == pytest.approx(0.2)


def test_calibration_weighs_bins_by_rows():
    """Half of the rows have a gap of 0.1 and half, in another bin, one of 0.3."""
    U = np.array([[0.9, 0.1], [0.1, 0.9], [0.7, 0.3], [0.3, 0.7]])
    assert calibration_error(U, np.array([0, 1, 0, 1])) == pytest.approx(0.2)


def test_lines_of_a_set(monkeypatch):
    conditions = {"30": (30, 0.0), "wrong": (None, 0.5), "all wrong": (None, 1.0)}
    monkeypatch.setattr(guided, "CONDITIONS", conditions)
    y = np.arange(120) % 2
    X = np.random.default_rng(0).normal(size=(120, 2)) + 4.0 * y[:, None]
    lines = list(run_set("toy", X, y, [0]))
    assert [line["condition"] for line in lines] == ["k-means", "FCM", *conditions]
    assert all(line["ari"] > 90.0 for line in lines[:3])
    assert "auc" in lines[3]
    assert "auc" not in lines[2]
    assert "auc" not in lines[4]
