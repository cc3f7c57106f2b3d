"""Shared by all tests."""

import signal

import hypothesis

# A shell ignores Ctrl-C for what it runs in the background, and so would Python there;
# tests of interrupted runs need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Examples may be whole fits, which no deadline suits; draws are the same each time.
hypothesis.settings.register_profile("fuzzypairs", deadline=None, derandomize=True)
# By `--hypothesis-profile=long`: other draws each time, where a test sets no number.
hypothesis.settings.register_profile("long", deadline=None, max_examples=10_000)
hypothesis.settings.load_profile("fuzzypairs")
