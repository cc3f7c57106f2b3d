import numpy as np
import pandas as pd

from fuzzypairs import PairSet
from fuzzypairs.analysis.result_columns import result_columns, row_flags, runners_up

U = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.0, 1.0]])
PAIRS = PairSet.from_triples([(0, 1, 0.5), (0, 3, 0.5), (1, 2, 0.0)], 4)


def test_flags_worked_by_hand():
    before = np.array([[0.8, 0.2], [0.2, 0.8], [0.6, 0.4], [0.0, 1.0]])

    assert row_flags(U, PAIRS, before).tolist() == [
        "judged, violated", "mixed, judged, moved", "mixed", "judged, violated"
    ]  # fmt: skip
    few = np.array([True, False, False, False])
    assert row_flags(U, imputed=few).tolist() == ["imputed", "mixed", "mixed", ""]


def test_runners_up():
    assert runners_up(U).tolist() == [1, 1, 1, -1]
    assert runners_up(np.ones((2, 1))).tolist() == [-1, -1]
    assert runners_up(np.array([[0.2, 0.5, 0.3]])).tolist() == [2]


def test_results_with_the_data_beside_them():
    data = pd.DataFrame({"label": list("pqrs"), "acid": [1.0, 2.0, 3.0, None]})
    found = result_columns(None, U, U.argmax(axis=1), row_flags(U), data)

    assert list(found) == [
        *("row", "label", "certainty_percent", "runner_up", "flags"),
        *("cluster_0", "cluster_1", "label (data)", "acid"),
    ]
    np.testing.assert_allclose(found["certainty_percent"], [80, 20, 0, 100])
    assert found["runner_up"].isna().tolist() == [False, False, False, True]


def test_the_largest_memberships_alone():
    found = result_columns(np.array(list("pqrs")), U, U.argmax(axis=1), top=1)

    assert list(found) == ["id", "label", "certainty_percent", "top_1", "membership_1"]
    assert found["top_1"].tolist() == [0, 0, 0, 1]
    assert found["membership_1"].tolist() == [0.9, 0.6, 0.5, 1.0]
