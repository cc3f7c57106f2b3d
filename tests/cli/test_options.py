"""Options that commands share."""

import pytest

from commands import run
from fuzzypairs.cli.options import as_options, number_or_word


def test_numbers_and_words():
    assert number_or_word("0.5") == 0.5
    assert number_or_word("1e-3") == 0.001
    assert number_or_word("auto") == "auto"


def test_settings_are_named_as_options():
    said = "by 40: beta='auto', n_clusters=3; simpler (n_clusters=5: 0.001 more)."
    assert as_options(said) == (
        "by 40: --beta auto, --clusters 3; simpler (--clusters 5: 0.001 more)."
    )


@pytest.mark.parametrize("command", ["fit", "tune", "compare"])
def test_commands_on_a_file_share_its_options(command):
    text = run(command, "--help").output
    for option in (
        "--pairs", "--id", "--truth", "--drop", "--no-scale", "--clusters", "--seed",
        "--out", "--force", "--json",
    ):  # fmt: skip
        assert option in text
