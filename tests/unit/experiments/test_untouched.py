"""The page of sets that no default was chosen on."""

import numpy as np
import pytest

from experiments import untouched
from fuzzypairs import FuzzyCMeans
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.datasets import load


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
def test_scores_are_means_over_draws():
    iris = load("iris", scale=True)
    alone = [
        100 * normalized_ari(iris.target, model.fit(iris.data).labels_)
        for model in (FuzzyCMeans(3, random_state=draw) for draw in range(2))
    ]

    scores = untouched.score_set("iris", 2)
    assert scores["FCM"] == pytest.approx(np.mean(alone))
    assert len(scores) == 1 + 2 * len(untouched.GROUPS)
    assert scores["GuidedFDC (iv)"] > scores["FCM"]


def test_the_page_has_a_line_for_each_set_and_their_mean(tmp_path, monkeypatch, capsys):
    scores = {"iris": {"FCM": 80.0, "GuidedFDC (iv)": 90.0},
              "digits": {"FCM": 60.0, "GuidedFDC (iv)": 70.0}}  # fmt: skip
    monkeypatch.setattr(untouched, "score_set", lambda name, n_draws: scores[name])
    monkeypatch.setattr(untouched, "available", lambda: list(scores))
    page = tmp_path / "untouched.md"

    untouched.main(["--draws", "2", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "means over 2 draws" in text
    assert "| set | FCM | GuidedFDC (iv) |\n|---|---|---|\n" in text
    assert text.endswith("| digits | 60.0 | 70.0 |\n| mean | 70.0 | 80.0 |\n")
    assert "iris" in capsys.readouterr().out
