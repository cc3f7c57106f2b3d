"""Amounts of memory, and seeds."""

import numpy as np
import pytest

from fuzzypairs.validation import _keep_seed, check_bytes, check_room, check_seed


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


def test_a_kept_seed_answers_whatever_is_asked_of_it():
    kept, plain = _keep_seed(7), np.random.SeedSequence(7)
    for n_words, dtype in ((4, np.uint64), (8, np.uint32), (2, np.uint64)):
        np.testing.assert_array_equal(
            kept.generate_state(n_words, dtype), plain.generate_state(n_words, dtype)
        )
