"""Means over draws and sets, wins and losses."""

import numpy as np
import pytest

from experiments.scores import Scores, read_scores


def test_means_wins_and_losses_by_hand(line):
    made = [
        line("zoo", "none", 0, "FCM", 0.80),
        line("zoo", "none", 1, "FCM", 0.90),
        line("wine", "none", 0, "FCM", 0.95),
        line("zoo", "iv", 0, "GuidedFDC", 0.5),  # run again below: the last counts
        line("zoo", "iv", 0, "GuidedFDC", 0.84),
        line("zoo", "iii", 1, "GuidedFDC", 0.10),  # another point
        line("wine", "iv", 0, "GuidedFDC", 0.93),
        line("seeds", "none", 0, "FCM", 0.9),  # no method with judgements
        {**line("wine", "iv", 0, "PCCA", 0.0), "method": "PCCA"},
    ]
    scores = read_scores(made, "iv", ["FCM", "GuidedFDC"])

    # Draw 1 of zoo has no GuidedFDC: only draw 0 is compared.
    assert scores.means["FCM"] == pytest.approx({"zoo": 80, "wine": 95})
    assert scores.means["GuidedFDC"] == pytest.approx({"zoo": 84, "wine": 93})
    assert scores.draws == {"zoo": 1, "wine": 1}
    assert scores.methods == ["FCM", "GuidedFDC"]
    assert scores.wins("GuidedFDC") == (1, 1)
    assert scores.worst("GuidedFDC") == ("wine", pytest.approx(-2))
    assert scores.halves() == {
        "chosen on": ["wine"],
        "reported on": ["zoo"],
        "all": ["zoo", "wine"],
    }


def test_means_are_over_the_sets_that_all_have():
    scores = Scores(
        {"FCM": {"zoo": 80.0, "wine": 95.0}, "GuidedFDC": {"zoo": 84.0}},
        {"zoo": 1, "wine": 1},
    )

    assert scores.sets == ["zoo"]
    assert scores.mean("FCM", scores.sets) == 80
    assert np.isnan(scores.mean("FCM", []))
