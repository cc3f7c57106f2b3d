"""When judgements may teach a space: scores of held-out ones, and what they decide."""

import numpy as np
import pytest

from fuzzypairs import FDC, GuidedFDC, PairSet
from fuzzypairs.cluster import learned_fit as guidance
from fuzzypairs.cluster.learned_fit import agreement, can_teach, teach_space
from fuzzypairs.spaces.learned import Learned, Weighted
from fuzzypairs.threads import Threads


@pytest.fixture(scope="module")
def crossed():
    """120 samples whose clusters (feature 0) cross their classes (feature 2)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    X[:, 0] += 6 * (np.arange(120) % 2)
    truth = np.arange(120) // 2 % 2
    X[:, 2] += 4 * truth
    return X, truth, np.arange(120) % 2


@pytest.fixture(scope="module")
def judged(crossed):
    return PairSet.from_labels(crossed[1], n_pairs=40, random_state=1)


def guide(
    X, pairs, clusters, asked=None, *, lessons=None, blind=None, seed=0, n_jobs=1
):
    return teach_space(
        X,
        pairs,
        lessons or pairs,
        clusters,
        blind or (lambda: clusters),
        None,
        asked,
        random_state=np.random.RandomState(seed),
        threads=Threads(n_jobs),
    )


def reversed_(pairs):
    return PairSet(pairs.i, pairs.j, -pairs.grade, pairs.n_samples)


# Agreement.


def test_agreement_by_hand():
    pairs = PairSet.from_triples([(0, 1, 1.0), (1, 2, 0.5), (0, 2, -1.0), (2, 3, -0.2)])
    # Kept: 1 of 1.5 alike, 1 of 1.2 unlike.
    expected = (1 / 1.5 + 1 / 1.2) / 2
    assert agreement(np.array([0, 0, 1, 1]), pairs) == pytest.approx(expected)


def test_agreement_with_one_kind_only():
    alike = PairSet.from_triples([(0, 1, 0.5), (1, 2, 0.5)])
    assert agreement(np.array([3, 3, 1]), alike) == 0.5
    assert agreement(np.array([3, 3, 1]), reversed_(alike)) == 0.5


def test_agreement_is_blind_to_names_and_counts_of_kinds():
    pairs = PairSet.from_triples([(0, 1, 1.0), *((i, i + 1, -1.0) for i in (1, 2, 3))])
    one = np.zeros(5, dtype=int)
    assert agreement(one, pairs) == agreement(one + 7, pairs) == 0.5


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([1.0, 1.0, 1.0, 1.0, -0.1], True),
        ([1.0, 1.0, 1.0, -1.0], False),
        ([1.0] * 9, False),
        ([-1.0] * 9, False),
        ([], False),
    ],
)
def test_what_can_teach(grades, expected):
    pairs = PairSet.from_triples([(i, i + 1, s) for i, s in enumerate(grades)], 10)
    assert can_teach(pairs) is expected


# What is trusted.


def test_true_judgements_are_trusted(crossed, judged):
    X, truth, clusters = crossed
    found = guide(X, judged, clusters)
    assert set(found.agreement) == {"euclidean", "linear", "rbf"}
    assert max(found.agreement.values()) > found.needed > 0.5
    assert found.agreement["euclidean"] < 0.65
    # Judgements that it was not shown say the same.
    labels = found.space.map(X).argmax(axis=1)
    right = (labels == truth).mean()
    assert max(right, 1 - right) > 0.9


@pytest.mark.parametrize("wrong", ["opposite", "random"])
def test_wrong_judgements_are_rarely_trusted(crossed, wrong):
    """Two forms are tried at a level of 1 %."""
    X, _, clusters = crossed
    trusted = []
    for seed in range(6):
        right = PairSet.from_labels(clusters, n_pairs=30, random_state=seed)
        shuffled = np.random.default_rng(seed).permutation(right.grade)
        grade = -right.grade if wrong == "opposite" else shuffled
        pairs = PairSet(right.i, right.j, grade, right.n_samples)
        found = guide(X, pairs, clusters, seed=seed)
        assert (found.space is None) == (max(found.agreement.values()) <= found.needed)
        trusted.append(found.space is not None)
    assert sum(trusted) <= 1


@pytest.mark.parametrize(("n_pairs", "is_trusted"), [(40, False), (150, True)])
def test_many_judgements_need_not_be_seen_to_help(
    crossed, monkeypatch, n_pairs, is_trusted
):
    X, truth, _ = crossed
    pairs = PairSet.from_labels(truth, n_pairs=n_pairs, random_state=0)
    # Clusters are the classes here: a learned space can only keep as many.
    monkeypatch.setattr(guidance, "held_out_agreement", lambda *_: 1.0)
    found = guide(X, pairs, truth)
    assert found.agreement["euclidean"] == 1.0
    assert (found.space is not None) is is_trusted


def test_a_space_that_keeps_fewer_than_the_clusters_is_not_trusted(
    crossed, judged, monkeypatch
):
    X, truth, _ = crossed
    monkeypatch.setattr(guidance, "held_out_agreement", lambda *_: 0.9)
    # Here clusters are the classes: without judgements all are kept.
    found = guide(X, judged, truth)
    assert found.agreement == {"euclidean": 1.0, "linear": 0.9, "rbf": 0.9}
    assert found.needed > 0.9
    assert found.space is None


def test_trials_start_from_blind_clusters(crossed, judged, monkeypatch):
    """Clusters under the judgements know what is held out: no trial may see them."""
    X, truth, clusters = crossed
    starts = []
    solve = Learned.solve

    def watched(self, features, pairs, labels, *more):
        starts.append((len(pairs), labels))
        return solve(self, features, pairs, labels, *more)

    monkeypatch.setattr(Learned, "solve", watched)
    lessons = PairSet.from_labels(truth, n_pairs=60, random_state=2)
    found = guide(X, judged, truth, lessons=lessons, blind=lambda: clusters)
    trials, last = starts[:-1], starts[-1]
    assert found.agreement["euclidean"] == agreement(clusters, judged)
    assert len(trials) == 2 * guidance.N_SPLITS
    assert all(np.array_equal(labels, clusters) for _, labels in trials)
    assert all(n_pairs < len(judged) for n_pairs, _ in trials)
    assert last[0] == len(lessons)
    np.testing.assert_array_equal(last[1], truth)


def test_the_model_hands_over_clusters_that_saw_no_judgement(
    crossed, judged, monkeypatch
):
    X, _, _ = crossed
    seen = {}

    def watched(X, pairs, lessons, labels, blind, *more, **options):
        seen["blind"] = blind()
        return teach_space(X, pairs, lessons, labels, blind, *more, **options)

    monkeypatch.setattr("fuzzypairs.cluster.learned_fit.teach_space", watched)
    GuidedFDC(2, n_init=3, random_state=0).fit(X, pairs=judged)
    alone = FDC(2, n_init=3, random_state=0).fit(X)
    np.testing.assert_array_equal(seen["blind"], alone.labels_)


# What is asked for.


def test_an_asked_form_is_taught_without_trials(crossed, judged):
    X, _, clusters = crossed

    def never():
        raise AssertionError("nothing is held out, so nothing is to be compared")

    for asked in (Learned("linear"), Learned("rbf"), Weighted()):
        found = guide(X, judged, clusters, asked, blind=never)
        assert type(found.space) is type(asked)
        assert found.agreement == {}
        assert vars(asked).get("form") == vars(found.space).get("form")


def test_an_open_form_is_chosen_even_if_it_is_not_trusted(crossed):
    X, _, clusters = crossed
    pairs = reversed_(PairSet.from_labels(clusters, n_pairs=40, random_state=1))
    found = guide(X, pairs, clusters, Learned("auto", prior=1.5))
    best = max(("linear", "rbf"), key=lambda form: found.agreement[form])
    assert found.space.form == best
    assert found.space.prior == 1.5


def test_threads_change_nothing(crossed, judged):
    X, _, clusters = crossed
    one, two = (guide(X, judged, clusters, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.agreement == two.agreement
    assert np.array_equal(one.space.coefficients, two.space.coefficients)


def test_gaps_in_labels_do_not_matter(crossed, judged):
    X, _, clusters = crossed
    plain, gaps = (guide(X, judged, labels) for labels in (clusters, 3 * clusters + 1))
    assert plain.agreement == gaps.agreement
    assert np.array_equal(plain.space.coefficients, gaps.space.coefficients)
