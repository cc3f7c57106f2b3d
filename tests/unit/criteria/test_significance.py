"""Differences between methods."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from fuzzypairs.criteria import paired_ttest

SCORES = [0.80, 0.82, 0.81, 0.79, 0.83]


def test_paired_ttest_against_a_constant():
    test = paired_ttest(SCORES, 0.8)
    alone = ttest_1samp(SCORES, 0.8)

    assert test.statistic == pytest.approx(1.414214, abs=1e-6)
    assert test.pvalue == pytest.approx(0.230200, abs=1e-6)
    assert test.mark == "none"
    assert test == paired_ttest(SCORES, [0.8] * 5)
    assert (test.statistic, test.pvalue) == pytest.approx(alone)


def test_paired_ttest_marks_both_directions():
    higher = np.add(SCORES, [0.02, 0.03, 0.02, 0.04, 0.03])

    assert paired_ttest(higher, SCORES).mark == "better"
    assert paired_ttest(SCORES, higher).mark == "worse"
    assert paired_ttest(SCORES, 0.8, level=0.25).mark == "better"
    assert paired_ttest(0.8, SCORES, level=0.25).mark == "worse"
    with pytest.raises(FrozenInstanceError):
        paired_ttest(higher, SCORES).mark = "none"


def test_constant_differences_are_significant():
    test = paired_ttest(np.full(20, 0.9), np.full(20, 0.8))

    assert (test.statistic, test.pvalue, test.mark) == (np.inf, 0, "better")
    test = paired_ttest(np.full(20, 0.8), 0.9)
    assert (test.statistic, test.pvalue, test.mark) == (-np.inf, 0, "worse")
    # Constant but for rounding.
    lower = np.add(SCORES, -0.3)
    assert np.ptp(lower - SCORES) > 0
    assert paired_ttest(lower, SCORES).statistic == -np.inf


def test_no_difference_is_not_significant():
    # Equal, equal but for rounding, and all 0.
    for a, b in [(SCORES, SCORES), (np.cumsum([0.1] * 5), np.arange(1, 6) / 10)]:
        test = paired_ttest(a, b)
        assert np.isnan([test.statistic, test.pvalue]).all()
        assert test.mark == "none"
    assert paired_ttest([0.0, 0.0], 0).mark == "none"


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0.1, 0.2], [0.1, 0.2, 0.3], "a has 2 scores but b has 3"),
        ([0.1, 0.2], [0.1], "a has 2 scores but b has 1"),
        ([0.1], [0.2], r"a and b have 1 run\(s\)"),
        ([], 0.5, r"a and b have 0 run\(s\)"),
        (0.1, 0.2, r"a and b have 1 run\(s\)"),
        ([0.1, np.nan], [0.1, 0.2], "a has scores that are not finite"),
        ([0.1, 0.2], [[0.1, 0.2]], r"b has shape \(1, 2\)"),
    ],
)
def test_scores_must_be_of_the_same_runs(a, b, message):
    with pytest.raises(ValueError, match=message):
        paired_ttest(a, b)
