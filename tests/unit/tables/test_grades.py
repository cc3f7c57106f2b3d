import numpy as np
import pytest

from fuzzypairs.exceptions import PairsError
from fuzzypairs.tables.grades import check_scale, grades_of


@pytest.mark.parametrize(
    ("words", "scale", "grades", "read"),
    [
        (["yes", " No ", "unsure"], None, [1, -1, 0], "yes/no"),
        (["alike", "unlike"], None, [1, -1], "yes/no"),
        (["Ja", "nein", "weiß nicht"], None, [1, -1, 0], "yes/no"),
        (["1", "0", "1"], None, [1, -1, 1], "yes/no"),
        (["1", "yes", "no"], "yes/no", [1, 1, -1], "yes/no"),
        (["1", "yes", "no", "0"], None, [1, 1, -1, -1], "yes/no"),
        (["0.5", "-0.25"], None, [0.5, -0.25], "-1-1"),
        (["0,5", "-0,25"], None, [0.5, -0.25], "-1-1"),  # a decimal comma
        (["0.5", "0.75", "1"], None, [0.5, 0.75, 1], "-1-1"),
        (["0", "0"], None, [0, 0], "-1-1"),
        (["+", "-", "?"], None, [1, -1, 0], "yes/no"),
        (["0.5", "", None, "-1"], None, [0.5, 0, 0, -1], "-1-1"),
        (["1", "4", "2.5"] * 7, "1-4", [-1, 1, 0] * 7, "1-4"),
        (["1", "4"] * 10, None, [-1, 1] * 10, "1-4"),
        ([*["1", "4"] * 10, "0", "?"], None, [*[-1, 1] * 10, 0, 0], "1-4"),
        (["0", *["1", "4"] * 9, "1"], None, [0, *[-1, 1] * 9, -1], "1-4"),
        (["1", "5", "Cannot decide", "k.A."], None, [-1, 1, 0, 0], "1-5"),
        ([*["1", "4"] * 10, "5"], None, [*[-1, 0.5] * 10, 1], "1-5"),
        (["0", "1", "7", "?", "maybe"], "1-7", [0, -1, 1, 0, 0], "1-7"),
        (["1", "3", "5"], None, [-1, 0, 1], "1-5"),
        (["0", "50", "100"], None, [-1, 0, 1], "0-100"),
        (["10 %", "90 %"], None, [-0.8, 0.8], "0-100"),
        (["0.25", "can't say"], "0-1", [-0.5, 0], "0-1"),
        (["1", "7"], "1-7", [-1, 1], "1-7"),
        (["1", "7"], "1 to 7", [-1, 1], "1 to 7"),
        (["0", "0.3"], "-1-1", [0, 0.3], "-1-1"),
    ],
)
def test_grades_are_read_from_their_scale(words, scale, grades, read):
    found, named = grades_of(words, scale)
    np.testing.assert_allclose(found, grades)
    assert named == read


@pytest.mark.parametrize(
    ("words", "scale", "message", "index"),
    [
        (["0.2", "0.4"], None, "all grades lie in 0 to 1", None),
        (["1", "7"], None, "say on which scale", None),
        (["-3", "3"], None, "has grade -3; expected -1", 0),
        (["yes", "0.3"], None, "others are numbers", 0),
        (["yes", "perhaps"], None, "'perhaps'", 1),
        (["", float("nan")], None, "has no grade, and neither have others", 0),
        (["1", "4"], None, "from 1 to 4: add --grade-scale 1-4 or 1-5", None),
        (["1", "4", "0"] * 10, None, "0-4 if 0 means unlike", None),
        (["0", "3", "5"] * 10, None, "say on which scale", None),
        (["4", "-", "1"], None, "'-' but others are numbers", 1),
        (["0", "-1"], "1-5", "has grade -1", 1),
        (["3", "6"], "1-5", "has grade 6; expected 1", 1),
        (["2"], "yes/no", "expected yes or no", 0),
    ],
)
def test_what_is_no_grade_is_refused_by_its_place(words, scale, message, index):
    with pytest.raises(PairsError, match=message) as caught:
        grades_of(words, scale)
    assert caught.value.index == index


@pytest.mark.parametrize("scale", ["five stars", "5-1", "3-3", ""])
def test_scales_that_are_none(scale):
    with pytest.raises(PairsError, match="--grade-scale is"):
        check_scale(scale)
    check_scale("yes/no")
    check_scale("-1-1")
