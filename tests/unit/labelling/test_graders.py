"""Agreement between graders, against published examples."""

import numpy as np
import pytest

from fuzzypairs.labelling.graders import (
    bootstrap_interval,
    krippendorff_alpha,
    measure_agreement,
)
from fuzzypairs.labelling.store import Answer

NA = np.nan
# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section E.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NA, NA, NA],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NA, 3],
    [NA, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NA],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NA],
]
# The worked example of the Wikipedia article on Krippendorff's alpha.
WIKIPEDIA = [
    [NA, NA, NA, NA, NA, 3, 4, 1, 2, 1, 1, 3, 3, NA, 3],
    [1, NA, 2, 1, 3, 3, 4, 3, NA, NA, NA, NA, NA, NA, NA],
    [NA, NA, 2, 1, 3, 4, 4, NA, 2, 1, 1, 3, 3, NA, 4],
]


def answers(rows):
    """Answers from (left, right, annotator, grade)."""
    return [
        Answer(n, n, "graded", a, b, who, grade, "", "", "", None, "", "", False)
        for n, (a, b, who, grade) in enumerate(rows)
    ]


def test_alpha_by_hand():
    # Two graders, two pairs, values 0, 1 | 1, 1: observed 2 * 1 / 4, expected
    # 2 * 3 / 12, the squared differences of 3 ordered pairs (0, 1) both ways.
    assert krippendorff_alpha([[0, 1], [1, 1]]) == pytest.approx(1 - 0.5 / 0.5)


@pytest.mark.parametrize(
    ("grades", "alpha"), [(KRIPPENDORFF, 0.849), (WIKIPEDIA, 0.811)]
)
def test_alpha_of_published_examples(grades, alpha):
    assert round(krippendorff_alpha(grades), 3) == alpha


def test_alpha_does_not_depend_on_scale_order_or_single_grades():
    grades = np.array(KRIPPENDORFF)
    alpha = krippendorff_alpha(grades)

    assert krippendorff_alpha(7 - 3 * grades[::-1]) == pytest.approx(alpha)
    alone = np.full((4, 1), NA)
    alone[2] = 99
    assert krippendorff_alpha(np.hstack([grades, alone])) == pytest.approx(alpha)


def test_alpha_at_the_edges():
    assert krippendorff_alpha([[1, 1], [1, 1]]) == 1
    assert np.isnan(krippendorff_alpha([[1, NA], [NA, 1]]))
    rng = np.random.default_rng(0)
    assert abs(krippendorff_alpha(rng.normal(size=(2, 5000)))) < 0.05


def test_the_interval_covers_alpha_and_narrows():
    rng = np.random.default_rng(0)
    truth = rng.uniform(-1, 1, 400)
    grades = truth + rng.normal(0, 0.4, (3, 400))
    low, high = bootstrap_interval(grades)
    few = bootstrap_interval(grades[:, :25])

    assert low < krippendorff_alpha(grades) < high
    assert high - low < 0.5 * (few[1] - few[0])
    # alpha of this model is the share of the variance that is the pair's.
    assert low < truth.var() / (truth.var() + 0.16) < high


def test_bias_and_noise_are_found():
    rng = np.random.default_rng(0)
    bias, noise = (
        {"Ann": 0.2, "Bob": -0.1, "Cy": -0.1},
        {"Ann": 0.1, "Bob": 0.3, "Cy": 0.2},
    )
    rows = []
    for pair in range(3000):
        worth = rng.uniform(-0.5, 0.5)
        rows += [
            (f"a{pair}", f"b{pair}", who, worth + bias[who] + rng.normal(0, noise[who]))
            for who in bias
        ]
    found = measure_agreement(answers(rows))

    assert [grader.name for grader in found.graders] == ["Ann", "Bob", "Cy"]
    # Against the mean of the two others.
    expected = [0.3, -0.15, -0.15]
    np.testing.assert_allclose([g.bias for g in found.graders], expected, atol=0.02)
    np.testing.assert_allclose(
        [g.noise for g in found.graders], list(noise.values()), atol=0.02
    )
    assert found.n_shared == 3000


def test_two_graders_share_their_noise_and_repeats_tell_it_apart():
    rng = np.random.default_rng(1)
    rows = []
    for pair in range(2000):
        a, b, worth = f"a{pair}", f"b{pair}", rng.uniform(-0.5, 0.5)
        rows += [(a, b, "Ann", worth + rng.normal(0, 0.1))]
        rows += [(b, a, "Bob", worth + rng.normal(0, 0.5))]
    together = measure_agreement(answers(rows))
    half = np.sqrt(0.26 / 2)
    # Ann alone, every fifth pair twice.
    again = [(a, b, who, g + rng.normal(0, 0.02**0.5)) for a, b, who, g in rows[::10]]
    (ann,) = measure_agreement(answers(rows[::2] + again)).graders

    np.testing.assert_allclose([g.noise for g in together.graders], half, atol=0.02)
    assert ann.noise == pytest.approx(0.1, abs=0.02)
    assert (ann.n_repeats, ann.n_shared) == (400, 0)
    assert ann.repeat_gap == pytest.approx(0.113, abs=0.02)


def test_the_most_disputed_pairs_come_first():
    rows = [("a", "b", "Ann", 1.0), ("b", "a", "Bob", -1.0), ("a", "c", "Ann", 0.5)]
    rows += [("c", "d", "Ann", 0.25), ("c", "d", "Bob", 0.5)]
    found = measure_agreement(answers(rows))

    assert [(d.a, d.b, d.gap) for d in found.disputes] == [
        ("a", "b", 2.0),
        ("c", "d", 0.25),
    ]
    assert found.disputes[0].grades == {"Ann": 1.0, "Bob": -1.0}


def test_one_grader_has_nothing_to_compare():
    found = measure_agreement(answers([("a", "b", "Ann", 1.0)]))
    (ann,) = found.graders

    assert (found.alpha, found.interval, found.n_shared) == (None, None, 0)
    assert (ann.bias, ann.noise, ann.repeat_gap, ann.n_answers) == (None, None, None, 1)
