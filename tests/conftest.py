"""Shared by all tests."""

import signal

import hypothesis
import pytest

# A shell ignores Ctrl-C for what it runs in the background, and so would Python there;
# tests of interrupted runs need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples may be whole fits, which no deadline suits; draws are the same each time.
hypothesis.settings.register_profile("fuzzypairs", deadline=None, derandomize=True)
# By `--hypothesis-profile=long`: other draws each time, where a test sets no number.
hypothesis.settings.register_profile("long", deadline=None, max_examples=10_000)
hypothesis.settings.load_profile("fuzzypairs")

# What tests are skipped for, by a word of the reason, and how to get it.
WANTED = {
    "FUZZYPAIRS_DATA": "for the paper's data (set FUZZYPAIRS_DATA to a folder of them)",
    "browser": "for a browser (apt install chromium; pip install -e '.[dev]')",
    "": "for other reasons (pytest -rs)",
}


def summarise_skips(reasons):
    """Return in one line what tests were skipped for; "" if none were."""
    counts = dict.fromkeys(WANTED, 0)
    for reason in reasons:
        counts[next(word for word in WANTED if word in reason)] += 1
    parts = [f"{count} {WANTED[word]}" for word, count in counts.items() if count]
    return f"Tests skipped: {', '.join(parts)}" if parts else ""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    if line := summarise_skips([str(report.longrepr[2]) for report in skipped]):
        terminalreporter.write_line(line, yellow=True)
