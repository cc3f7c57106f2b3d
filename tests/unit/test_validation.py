"""Checks of parameters: what passes, and what messages say."""

import re

import numpy as np
import pytest

from fuzzypairs.validation import (
    check_bytes,
    check_choice,
    check_flag,
    check_integer,
    check_jobs,
    check_number,
    check_room,
    check_seed,
    check_weights,
    shown,
    suggest,
)


@pytest.mark.parametrize("value", [2, np.int8(2), np.uint64(2)])
def test_whole_numbers_are_read(value):
    assert check_integer("n_init", value, 1) == 2
    check_jobs(value)


@pytest.mark.parametrize("value", [True, np.True_, 2.0, "2", None, [2]])
def test_other_values_are_no_whole_numbers(value):
    with pytest.raises(TypeError, match="n_init must be a whole number of 1 or more"):
        check_integer("n_init", value, 1)


def test_whole_numbers_have_a_least():
    with pytest.raises(ValueError, match="n_init must be 1 or more, got 0"):
        check_integer("n_init", 0, 1)


class Unprintable(list):
    def __repr__(self):
        raise RuntimeError("no text")


def test_values_are_shown_that_have_no_text():
    assert shown(Unprintable()) == "an Unprintable that cannot be printed"
    for check in (check_integer, check_number):
        with pytest.raises(TypeError, match=r"beta must be .* got an Unprintable that"):
            check("beta", Unprintable(), 0)
    with pytest.raises(ValueError, match=r"n_init must be .* got an int that cannot"):
        check_integer("n_init", 10**5000, 1)
    assert len(shown("a" * 10_000)) == 200


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.float64(0.5)])
def test_numbers_are_read(value):
    number = check_number("alpha", value, 0, 1)
    assert (number, type(number)) == (0.5, float)


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j])
def test_other_values_are_no_numbers(value):
    with pytest.raises(TypeError, match='alpha must be a number, or "auto", got'):
        check_number("alpha", value, 0, words=["auto"])


@pytest.mark.parametrize("value", [-0.1, 1, np.nan, np.inf])
def test_numbers_lie_in_an_interval(value):
    message = f"alpha must be finite, 0 or more and below 1, got {value}"
    with pytest.raises(ValueError, match=message):
        check_number("alpha", value, 0, 1)


@pytest.mark.parametrize("value", [0, True, 1.5, "all"])
def test_no_number_of_threads(value):
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number other"):
        check_jobs(value)


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_flags_are_true_or_false(value):
    assert check_flag("use_halo", np.True_) is True
    with pytest.raises(TypeError, match="use_halo must be True or False"):
        check_flag("use_halo", value)


@pytest.mark.parametrize("value", ["b", None, ["a"]])
def test_other_choices_are_refused(value):
    assert check_choice("method", "a", ["a", "c"]) == "a"
    message = f'method must be one of "a", "c"; got {value!r}'
    with pytest.raises(ValueError, match=re.escape(message)):
        check_choice("method", value, ["a", "c"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [(4096, 4096), ("2GB", 2 * 10**9), (" 0.5 mb", 500_000), ("7B", 7)],
)
def test_bytes_are_read(value, expected):
    assert check_bytes("memory", value) == expected


@pytest.mark.parametrize(
    "value", [0, -5, True, "", "GB", "1.2.3GB", "10", "3 XB", None]
)
def test_other_amounts_are_refused(value):
    with pytest.raises(ValueError, match="memory must be a number of bytes"):
        check_bytes("memory", value)


def test_room_is_refused_before_it_is_taken():
    check_room("SSDC", 10, 800, 800)
    with pytest.raises(
        MemoryError, match=r"SSDC needs about 3\.2 GB for 20000 samples"
    ):
        check_room("SSDC", 20_000, 3_200_000_000, 2_000_000_000)


@pytest.mark.parametrize("seed", [0, np.int64(7), 2**32 - 1])
def test_a_seed_draws_what_pcg64_does_every_time(seed):
    expected = np.random.RandomState(np.random.PCG64(int(seed))).uniform(size=5)
    for _ in range(2):
        np.testing.assert_array_equal(check_seed(seed).uniform(size=5), expected)


@pytest.mark.parametrize("seed", [-1, 2**32, "0", 0.5])
def test_other_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="random_state must be None, a whole number"):
        check_seed(seed)


def test_sources_of_draws_are_themselves():
    source = np.random.RandomState(0)
    assert check_seed(source) is source
    assert isinstance(check_seed(None), np.random.RandomState)


def test_weights_are_read():
    assert check_weights(None, 3) is None
    np.testing.assert_array_equal(check_weights(2, 3), [2.0, 2.0, 2.0])
    weight = check_weights(np.array([0, 1, 2]), 3)
    assert (weight.dtype, weight.tolist()) == (np.float64, [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (["a", "b"], "sample_weight must be numbers"),
        ([[1.0, 1.0]], "sample_weight must be one-dimensional, got 2 dimensions"),
        ([1.0], "sample_weight has 1 entries but X has 2 rows"),
        ([1.0, -1.0], r"sample_weight\[1\] is -1.0; weights must be finite and not"),
        ([np.nan, 1.0], r"sample_weight\[0\] is nan"),
        ([0.0, 0.0], "sample_weight is all zero"),
    ],
)
def test_other_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weight, 2)


def test_values_that_cannot_be_printed_are_refused_by_name():
    with pytest.raises((TypeError, ValueError), match="memory"):
        check_bytes("memory", Unprintable())
    assert suggest(Unprintable(), ["wine"]) == ""
    assert suggest("wien", ["wine"]) == ", did you mean 'wine'?"
