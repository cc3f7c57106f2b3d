"""Errors about judgements: their fields, and their message in other words."""

import copy
import pickle

import numpy as np
import pytest

from fuzzypairs import PairSet
from fuzzypairs.exceptions import PairsError


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "is wrong"),
        ({"place": "pairs"}, "pairs is wrong"),
        ({"place": "rows", "index": 0}, "rows[0] is wrong"),
        ({"place": "pairs", "index": 2, "rows": [7]}, "pairs[2] joins sample 7 is w"),
        ({"place": "must", "index": 2, "rows": [7, 9]}, "must[2] joins samples 7 and"),
    ],
)
def test_messages_come_from_fields(fields, message):
    assert str(PairsError("is wrong", **fields)).startswith(message)


def test_messages_in_other_words():
    error = PairsError("to itself", place="pairs", index=2, rows=[0])
    assert error.worded("row 2") == "row 2 joins sample 0 to itself"
    assert error.worded(names=["oak"]) == "pairs[2] joins 'oak' to itself"
    assert PairsError("is empty").worded("the file") == "the file is empty"


@pytest.mark.parametrize(
    ("triple", "rows", "reason"),
    [
        ((3, 3, 1.0), (3,), "to itself; remove it"),
        ((3, 9, 1.0), (9,), "but X has 5 rows (n_samples): i and j are 0 to 4"),
        ((-2, 3, 1.0), (-2,), "but i and j are counted from 0"),
        ((3, 2, 1.5), (3, 2), "with grade 1.5; expected a number from -1"),
        ((3, 0.5, 1.0), (), "joins sample 0.5; expected a whole number"),
        ((3, 2, "alike"), (), "has grade 'alike'; expected a number from -1"),
    ],
)
def test_judgements_at_fault_are_fields(triple, rows, reason):
    with pytest.raises(PairsError) as caught:
        PairSet.from_triples([(0, 1, 0.5), triple], n_samples=5)
    error = caught.value
    assert (error.place, error.index, error.rows) == ("triples", 1, rows)
    assert error.reason.startswith(reason)


@pytest.mark.parametrize(
    "restore", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))]
)
def test_copies_keep_the_fields(restore):
    error = PairsError("to itself", place="pairs", index=2, rows=np.array([4]))
    same = restore(error)
    assert str(same) == str(error) == "pairs[2] joins sample 4 to itself"
    assert (same.reason, same.index, same.rows) == ("to itself", 2, (4,))
