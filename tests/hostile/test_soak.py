"""The load of `make soak` on the page, for seconds."""

import sys

import pytest

from hostile import page_soak
from hostile.page_soak import Use


def test_growth_is_a_share_of_what_was_there():
    assert Use(105, 4, 3).more_than(Use(100, 4, 1)) == (pytest.approx(0.05), 0, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_graders_that_leave_leave_no_files_open(tmp_path, monkeypatch):
    monkeypatch.setattr(page_soak, "IDLE", 0.0)
    with page_soak.page(tmp_path) as (process, address):
        before = page_soak.use(process, address)
        assert page_soak.load(address, rate=60, seconds=1.5) > 20
        after = page_soak.use(process, address)
    assert {name: held.files for name, held in after.items()} == {
        name: held.files for name, held in before.items()
    }
