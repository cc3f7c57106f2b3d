"""The line at the end of a test run that says what skipped tests need."""

import conftest


def test_skips_are_counted_in_one_line():
    reasons = [
        "Skipped: wine is not on this machine: set FUZZYPAIRS_DATA",
        "needs a browser: no Chromium",
        "Skipped: needs a browser and axe",
        "needs nm (binutils)",
    ]
    line = conftest.summarise_skips(reasons)
    assert line == (
        "Tests skipped: 1 for the paper's data (set FUZZYPAIRS_DATA to a folder of "
        "them), 2 for a browser (apt install chromium; pip install -e '.[dev]'), "
        "1 for other reasons (pytest -rs)"
    )
    assert conftest.summarise_skips([]) == ""
