import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import scale

from fit_pages import fitted, random_frame, report, text_of
from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.cluster.guided import Evidence
from fuzzypairs.cluster.verdict import HeldOut, assess

BEFORE = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.2, 0.8]])
AFTER = np.array([[1.0, 0.0], [0.1, 0.9], [0.4, 0.6], [1.0, 0.0]])
CHANGED = ("row", "cluster without", "cluster with", "certainty without", "with")


@pytest.fixture(scope="module")
def guided():
    """Rows that differ most in x, judged by z."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("xyz"))
    frame["x"] += 6 * (np.arange(120) % 2)
    frame["z"] += 4 * (np.arange(120) // 60)
    truth = np.arange(120) // 60
    pairs = PairSet.from_labels(truth, n_pairs=60, random_state=0)
    model = GuidedFDC(2, random_state=0).fit(scale(frame), pairs=pairs)
    return frame, pairs, model


def test_what_changed_worked_by_hand(tmp_path):
    page = report(
        tmp_path / "page", fitted(AFTER), random_frame(4), [(0, 3, 0.5), (1, 2, -0.5)],
        before=BEFORE,
    )  # fmt: skip

    words = text_of(page)
    assert (
        "without judgements satisfy 1 of 2 judgements; those of this fit satisfy 1"
        in words
    )
    assert "2 rows are in another cluster than without judgements, 50.0 %" in words
    assert page.table(*CHANGED) == [
        ["3", "1", "0", "60.0 %", "100.0 %"],
        ["1", "0", "1", "60.0 %", "80.0 %"],
    ]


def test_the_fit_is_shown_in_its_own_terms(tmp_path, guided):
    frame, pairs, model = guided
    page = report(tmp_path / "page", model, frame, list(pairs))

    words = text_of(page)
    assert "Your judgements follow some columns more than others: “z”" in words
    assert "They differ most in “z”." in words
    assert "With judgements" in words


def test_the_verdict_comes_first_with_all_notes(tmp_path, guided):
    frame, pairs, model = guided
    page = report(
        tmp_path / "page", model, frame, list(pairs), notes=["one < two", "three"]
    )

    words = [word for word in page.words if word]
    verdict = words.index(model.verdict_.sentences[0])
    assert verdict < words.index("one < two") < words.index("three")
    assert words.index("three") < words.index("What your judgements show")
    shares = page.tables[0]
    assert [row[0] for row in shares] == ["with your judgements", "without judgements"]
    assert shares[0][-1] == str(model.verdict_.with_judgements)
    level = {"class": f"banner {model.verdict_.level}"}
    assert level in page.named("div")


def evidence(held_out):
    return Evidence(0.0, {"euclidean": 1.0}, 1.0, False, {}, held_out)


def test_certainty_is_tested_by_held_out_judgements(tmp_path):
    pairs = PairSet.from_triples([(0, 1, 0.5), (0, 2, -0.5), (0, 3, 0.0)], 4)
    # In the bins of 0.1 and 0.9 no, and all judgements say alike.
    held_out = HeldOut(pairs, np.array([0.9, 0.1, np.nan]), np.full(3, 0.5))
    model = fitted(AFTER, evidence_=evidence(held_out), verdict_=assess(held_out))
    page = report(tmp_path / "page", model, random_frame(4), list(pairs))

    words = text_of(page)
    assert "Each of 2 judgements was held out once" in words
    assert "differ by 10 points" in words
    unknown = HeldOut(pairs, np.full(3, np.nan), np.full(3, np.nan))
    model = fitted(AFTER, evidence_=evidence(unknown), verdict_=assess(unknown))
    page = report(tmp_path / "none", model, random_frame(4), list(pairs))
    assert "held out once" not in text_of(page)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([0.4, 0.34, 0.26], "all columns about equally"),
        ([0.6, 0.3, 0.1], "some columns"),
    ],
)
def test_it_says_whether_columns_differ(tmp_path, weights, said):
    model = fitted(AFTER, feature_weights_=np.array(weights))
    page = report(tmp_path / "page", model, random_frame(4), [(0, 1, -0.5)])

    assert f"Your judgements follow {said}" in text_of(page)


def test_a_verdict_and_flags_may_be_given(tmp_path):
    nothing = np.full(1, np.nan)
    pairs = PairSet.from_triples([(0, 1, -0.5)], 4)
    page = report(
        tmp_path / "page",
        fitted(AFTER),
        random_frame(4),
        list(pairs),
        verdict=assess(HeldOut(pairs, nothing, nothing)),
        flagged={"mostly missing": np.array([True, False, False, False])},
    )

    words = text_of(page)
    assert "No verdict: none of 1 judgement was held out" in words
    assert "mostly missing, fewer than half of its values are known" in words


def test_without_weights_it_says_so(tmp_path):
    even = fitted(AFTER, feature_weights_=np.full(3, 1 / 3))
    page = report(tmp_path / "page", even, random_frame(4), [(0, 1, -0.5)])

    assert "All columns count the same" in text_of(page)


def test_without_judgements_nothing_changed(tmp_path):
    page = report(tmp_path / "page", fitted(AFTER), random_frame(4))

    words = text_of(page)
    assert "What your judgements show" not in words
    assert "Before and after" not in words
