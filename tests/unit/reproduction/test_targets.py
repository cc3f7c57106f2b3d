"""Plans, and the cells that they need."""

import pytest

from fuzzypairs.reproduction.targets import (
    TARGETS,
    cell_of,
    cells,
    letter_of,
    make_plan,
    title_of,
)


def test_the_whole_target_by_default():
    for name, target in TARGETS.items():
        plan = make_plan(name)
        assert plan.datasets == target.datasets
        assert plan.methods == target.methods
        assert plan.tunings == target.tunings


def test_names_in_any_order_and_case():
    plan = make_plan("table2", datasets=["seeds", " Wine"], methods=["FDC"])
    assert plan.datasets == ("wine", "seeds")
    assert plan.methods == ("fdc",)


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"datasets": ["iris"]}, "table2 has no dataset 'iris': expected some of"),
        ({"groups": ["v"]}, "table2 has no group 'v'"),
        ({"methods": ["fdc", "x"]}, "table2 has no method 'x'"),
        ({"tunings": ["best"]}, "table2 has no tuning 'best'"),
    ],
)
def test_what_is_not_in_a_target_is_refused(chosen, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_plan("table2", **chosen)


def test_numbers_that_cannot_differ_share_a_cell():
    plan = make_plan("table2", datasets=["wine"], methods=["fcm", "ssdc", "fdc"])
    one = cell_of(plan, "wine", "i", "fcm", "oracle", 0)
    assert one == cell_of(plan, "wine", "iv", "fcm", "fair", 3)
    assert (one.group, one.draw) == ("", 0)
    ssdc = cell_of(plan, "wine", "i", "ssdc", "fair", 0)
    assert (ssdc.tuning, ssdc.n_starts) == ("oracle", 1)
    # One of fcm, four of ssdc, eight of fdc.
    assert len(cells(plan)) == 1 + 4 + 8


def test_letters_of_the_paper():
    assert letter_of("wine") == "(e)"
    assert title_of("wine") == "(e) Wine"
    assert title_of("iris")[0] != "("
