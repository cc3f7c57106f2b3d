"""The experiment on real judges: reading, rates from double judgements, tables."""

import gzip

import numpy as np
import pytest

from experiments import graded
from experiments.json_lines import read_lines
from fuzzypairs import PairSet

RATES = {"p0": 0.05, "p1": 0.2, "p2": 0.35}


class Model:
    """Finds the clusters of the sentences, and the rates of the judges."""

    def __init__(self, n_clusters, random_state):
        assert 1 in n_clusters

    def fit(self, X, pairs):
        is_late = np.arange(len(X)) >= len(X) // 2
        self.memberships_ = np.eye(2)[is_late.astype(int)]
        rates = RATES if len(pairs.judge_names) > 1 else {"people": 0.2}
        self.error_rates_ = {name: (e, 0.0, 0.5) for name, e in rates.items()}
        self.error_rate_, self.n_clusters_ = 0.2, 2
        return self


@pytest.fixture
def folder(tmp_path):
    """Two words of 30 uses; people judge 45 pairs each, with their own errors."""
    rng = np.random.default_rng(0)
    uses, judged = ["id,word,cluster,context"], ["word,a,b,annotator,grade"]
    for word in ("bank_nn", "rest_vb"):
        for n in range(30):
            uses.append(f'{word}-{n},{word},{n // 15},"Sentence, number {n}."')
        for a in range(30):
            for b in [(a + 1) % 30, a + 15][: 1 + (a < 15)]:
                for name, rate in RATES.items():
                    alike = (a // 15 == b // 15) != (rng.random() < rate)
                    grade = rng.choice([3, 4] if alike else [1, 2])
                    judged.append(f"{word},{word}-{a},{word}-{b},{name},{grade}")
        judged.append(f"{word},{word}-0,{word}-2,p0,0")
    for name, lines in (("uses", uses), ("judgements", judged)):
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            file.write("\n".join(lines) + "\n")
    return tmp_path


def test_words_are_read_with_all_judges(folder):
    first, _ = graded.read_words(folder)
    assert first.name == "bank_nn"
    assert first.contexts[3] == "Sentence, number 3."
    assert first.clusters.tolist() == [0] * 15 + [1] * 15
    assert first.pairs.judge_names == ("p0", "p1", "p2")
    assert set(np.round(first.pairs.grade, 2)) == {-1, -0.33, 0.33, 1}  # no 0
    assert np.bincount(first.pairs.pair).tolist() == [3] * 45


def test_scores_by_hand():
    pairs = PairSet([0, 1, 2], [1, 2, 3], [1.0, 1 / 3, -1.0])
    found = graded.score(pairs, np.array([1.0, 0.5, 0.0]), 0.1)
    expected = np.log([0.9, 0.5, 0.9]).mean()
    assert found["log_likelihood"] == pytest.approx(expected)
    assert (found["auc"], found["rank"]) == pytest.approx((1.0, 1.0))
    only_alike = graded.score(pairs.select(pairs.similar), np.ones(2), 0.0)
    assert only_alike["auc"] is None
    assert only_alike["log_likelihood"] == pytest.approx(np.log(0.999))


def test_disagreement_counts_pairs_of_judgements():
    alike = np.array([[1, 1, 0], [1, np.nan, 1]])  # two of three differ, and none
    assert graded.disagreement(alike) == pytest.approx(2 / 4)


def test_rates_are_found_from_double_judgements():
    rng, true = np.random.default_rng(0), np.array([0.05, 0.15, 0.25, 0.35])
    word = np.repeat([0, 1], 1500)
    truth = rng.random(3000) < np.where(word == 0, 0.2, 0.7)
    alike = (truth[:, None] != (rng.random((3000, 4)) < true)).astype(float)
    alike[rng.random(alike.shape) < 0.4] = np.nan
    found = graded.rates_of_doubles(alike, word)
    np.testing.assert_allclose(found, true, atol=0.04)


def test_runs_resume_and_tables_go_into_the_page(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FUZZYPAIRS_DATA", str(tmp_path))
    (tmp_path / "graded").mkdir()
    for name in ("uses", "judgements"):
        (folder / f"{name}.csv.gz").rename(tmp_path / "graded" / f"{name}.csv.gz")
    monkeypatch.setattr(graded, "GuidedFDC", Model)
    monkeypatch.setattr(graded, "features_of", lambda word, _: np.ones((30, 1)))
    monkeypatch.setattr(graded, "RESAMPLES", 20)
    page, lines = tmp_path / "page.md", tmp_path / "lines.jsonl"
    page.write_text(
        "# Title\n<!-- results: written by the table command -->\n"
        "<!-- end of results -->\n"
    )
    where = ["--lines", str(lines), "--page", str(page)]
    assert graded.main(["table", *where]) == 2
    assert "the file has no lines" in capsys.readouterr().err
    assert graded.main(["--features", "share", "published", *where]) == 0
    assert graded.main(["table", *where]) == 0
    assert "a rate by judge" not in page.read_text()
    assert graded.main(["--words", "1", *where]) == 0
    assert graded.main(where) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["12", "12", "12"]
    trials = read_lines(lines)
    assert len(trials) == 2 * 3 * 6
    # All judgements of a pair are held out together, each once.
    assert sum(one["n"] for one in trials if one["rates"] == "one") == 2 * 270

    assert graded.main(["table", *where]) == 0
    text = page.read_text()
    own, one = (
        next(line for line in text.split("\n") if name in line).split("|")[2]
        for name in ("and sentences, a rate by judge", "and sentences, one rate")
    )
    assert float(own) > float(one)
    assert "(2 of 2 words better" in text
    share = graded.read_words(tmp_path / "graded")[1].pairs.dissimilar.mean()
    assert f"| rest_vb | {100 * share:.0f} % | -0." in text
    rows = [line.split("|")[1:] for line in text.split("\n") if line.startswith("| p")]
    assert [row[0].strip() for row in rows if "judge" not in row[0]][-3:] == [*RATES]
    assert [row[4].strip() for row in rows][-3:] == ["5", "20", "35"]
    assert "90 pairs were judged by two people or more" in text


def test_without_the_data_it_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("FUZZYPAIRS_DATA", str(tmp_path))
    assert graded.main([]) == 2
    assert "judgements.csv.gz" in capsys.readouterr().err
