"""Means, standard errors and paired differences, by hand."""

import numpy as np
import pytest

from experiments.scores import Scores, read_scores


def test_means_and_errors_by_hand(lines):
    """Draws 80, 81, 82 on both sets: variance 1, so an error of sqrt(2/3) / 2."""
    scores = read_scores(lines, "100")
    assert scores.methods == ["FCM", "GuidedFDC", "PCK-means"]
    mean, error = scores.mean("GuidedFDC", ["zoo", "crabs", "wine"])
    assert mean == pytest.approx(81.0)
    assert error == pytest.approx(np.sqrt(2 / 3) / 2)
    assert scores.draws("PCK-means") == (3, 3)
    assert np.isnan(scores.mean("GuidedFDC", ["wine"])[0])


def test_differences_by_hand(lines):
    """10.1 and 20.1: mean 15.1, standard error 5, both clear over draws."""
    found = read_scores(lines, "100").difference("PCK-means", ["zoo", "crabs"])
    assert (found.mean, found.error) == (pytest.approx(15.1), pytest.approx(5.0))
    assert found.p == pytest.approx(0.203, abs=0.001)
    assert (found.better, found.worse) == (2, 0)
    worse = read_scores(lines, "100").difference("FCM", ["zoo"])
    assert (worse.mean, worse.better) == (10.0, 1)


def test_only_common_draws_are_compared():
    values = {"GuidedFDC": {"zoo": {0: 80.0, 1: 0.0}}, "FCM": {"zoo": {0: 70.0}}}
    found = Scores(values).difference("FCM", ["zoo", "wine"])
    assert found.mean == 10.0
    assert (found.better, found.worse) == (0, 0)  # one draw tells nothing
    assert np.isnan(found.p)


def test_the_last_line_of_a_trial_counts_and_failures_do_not(line):
    trial = ("zoo", "30", 0, "FDC")
    failed = {k: v for k, v in line("wine", "30", 0, "FDC", 0).items() if k != "ari"}
    scores = read_scores([line(*trial, 1.0), line(*trial, 2.0), failed], "30")
    assert scores.values["FDC"] == {"zoo": {0: 2.0}}
