import numpy as np
import pytest

from fuzzypairs.items import distinctive_words, shorten


def test_words_of_a_case_worked_by_hand():
    """Eq. (22) of Monroe et al. for the word "late" in three of four texts."""
    texts = ["late train"] * 40 + ["late soup"] * 20 + ["soup"] * 60
    U = np.repeat(np.eye(2), [40, 80], axis=0)
    # Words of the texts: late 60, soup 80, train 40; a tenth of them is the prior.
    prior = np.array([60, 80, 40]) / 10
    here, there = np.array([40, 0, 40]) + prior, np.array([20, 80, 0]) + prior
    odds = np.log(here / (here.sum() - here)) - np.log(there / (there.sum() - there))
    z = odds / np.sqrt(1 / here + 1 / there)

    first, second = distinctive_words(texts, U)

    assert [word for word, _ in first] == ["train", "late"]
    np.testing.assert_allclose([value for _, value in first], z[[2, 0]], rtol=1e-6)
    assert [word for word, _ in second] == ["soup"]


def test_words_that_do_not_differ_are_not_named():
    texts = ["one two three"] * 50

    assert distinctive_words(texts, np.full((50, 2), 0.5)) == [[], []]
    assert distinctive_words(["word"] * 50, np.repeat(np.eye(2), 25, 0)) == [[], []]
    assert distinctive_words(["", "!"], np.eye(2)) == [[], []]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("", ""),
        (" two\n lines\t", "two lines"),
        ("exactly twenty chars", "exactly twenty chars"),
        ("one word after another is cut", "one word after…"),
        ("x" * 30, "x" * 19 + "…"),
        ("مرحبا بالعالم الجميل كله اليوم", "مرحبا بالعالم…"),
    ],
)
def test_a_text_is_cut_between_words(text, shown):
    assert shorten(text, 20) == shown


def test_no_letter_is_cut():
    family = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"

    assert shorten(family * 9, 4)[-2:] != "\u200d…"
    assert shorten("e\u0301" * 30, 4) == "e\u0301…"


def test_a_long_text_is_looked_at_in_part():
    assert len(shorten("word " * 1_000_000)) <= 160
