"""Shared by all tests."""

import hypothesis

# Examples may be whole fits, which no deadline suits; draws are the same each time.
hypothesis.settings.register_profile("fuzzypairs", deadline=None, derandomize=True)
# By `--hypothesis-profile=long`: other draws each time, where a test sets no number.
hypothesis.settings.register_profile("long", deadline=None, max_examples=10_000)
hypothesis.settings.load_profile("fuzzypairs")
