"""Inputs that long runs kept are read or refused; `make fuzz` mutates them."""

import pytest

from hostile import fuzz


@pytest.mark.parametrize("name", ["pairs", "request"])
def test_seeds_are_read_or_refused(name):
    inputs = fuzz.seeds(name)
    assert inputs
    for data in inputs:
        fuzz.try_one(fuzz.TARGETS[name][0], data)


def test_a_failure_of_the_page_is_a_finding(monkeypatch):
    loop = fuzz.page()[1]

    async def fail(*_):
        raise ValueError("a mistake of the page")

    monkeypatch.setattr(fuzz, "page", lambda: (fail, loop))
    with pytest.raises(AssertionError, match="the page failed"):
        fuzz.try_one(fuzz.request, b"GET / HTTP/1.1")
