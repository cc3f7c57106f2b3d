"""Raw columns of files, of scikit-learn and of OpenML."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fuzzypairs.datasets import describe, load, loading, sources
from fuzzypairs.datasets.registry import PAPER

FILES = [info.name for info in PAPER if info.file]


def test_a_copy_from_openml_equals_the_file(openml):
    fetched = load("toy")

    assert openml[1] == [1499]
    expected = [[1.5, 0, 1], [2.5, 2, 2], [2.5, 0, 2], [8.5, 2, 2], [2.5, 0, 2]]
    np.testing.assert_array_equal(fetched.data, expected)
    assert fetched.target.tolist() == [1, 0, 1, 1, 0]
    assert fetched.feature_names == ["size", "colour", "code"]
    assert fetched.source == "OpenML, dataset 1499"
    assert fetched.frame.isna().sum().tolist() == [1, 1, 1, 0]


def test_another_version_from_openml_is_refused(openml):
    sent, _ = openml
    sent.target[:] = list("baaba")
    assert load("toy").target.sum() == 2  # the classes may have changed their names

    sent.target[:] = list("bbbba")
    with pytest.raises(ValueError, match=r"class sizes \[1, 4\], expected \[2, 3\]"):
        load("toy")

    sent.data, sent.target = sent.data[:-1], sent.target[:-1]
    with pytest.raises(ValueError, match=r"shape \(4, 3\), expected \(5, 3\)"):
        load("toy")


@pytest.mark.parametrize("name", [n for n in FILES if n != "shuttle"])
def test_frames_are_what_pandas_reads(name, index):
    import pandas as pd

    expected = pd.read_csv(loading.find_file(describe(name).file))

    pd.testing.assert_frame_equal(load(name).frame, expected)


def test_wine_is_the_same_in_scikit_learn_and_in_the_file(index):
    table = sources.read_table(loading.find_file(index["wine"]["file"]))
    X, y = load_wine(return_X_y=True)

    np.testing.assert_array_equal(np.column_stack(list(table.columns.values())), X)
    np.testing.assert_array_equal(table.truth, y)
