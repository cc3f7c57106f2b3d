"""The criteria by their public names."""

from fuzzypairs import criteria


def test_every_public_name_is_there_with_an_example():
    for name in criteria.__all__:
        assert ">>>" in getattr(criteria, name).__doc__, name
