"""The experiment on pictures and texts, on small sets."""

import numpy as np
import pandas as pd
import pytest

from experiments.items import TASKS, Task, draw_rows, run_task


@pytest.fixture
def data(tmp_path):
    (tmp_path / "text").mkdir()
    said = ["late train to Rome", "cold soup with salt", "the lawn of the pool"]
    texts = [f"{said[n % 3]} {n}" for n in range(60)]
    pd.DataFrame({"text": texts, "class": [n % 3 for n in range(60)]}).to_csv(
        tmp_path / "text" / "small.csv.gz", index=False
    )
    values = np.random.default_rng(0).integers(0, 60, (60, 28, 28))
    for n in range(60):
        values[n, :, 14 * (n % 2) : 14 * (n % 2) + 7] += 190
    np.savez(
        tmp_path / "mnist5k.npz", features=values.reshape(60, -1), **{
            "class": np.arange(60) % 2
        }
    )  # fmt: skip
    return tmp_path


@pytest.mark.parametrize(
    ("task", "called"),
    [
        (Task("small", 2, n_each=15, judgements=(0, 20)), "small, 30 in 2"),
        (Task("mnist5k", 2, n_rows=40, judgements=(0, 20)), "mnist5k, 40 in 2"),
    ],
)
def test_classes_that_are_plain_are_found(data, task, called):
    lines = list(run_task(task, data, 0))

    assert [line["method"] for line in lines] == [
        "k-means",
        "0 judgements",
        "20 judgements",
    ]
    assert {line["set"] for line in lines} == {called}
    assert all(line["ari"] > 0.9 for line in lines)


def test_draws_have_as_many_of_each_class():
    classes = np.repeat(np.arange(20), 100)
    rows = [draw_rows(TASKS[3], classes, seed) for seed in (0, 1)]

    assert [len(drawn) for drawn in rows] == [400, 400]
    assert (np.unique(classes[rows[0]], return_counts=True)[1] == 40).all()
    assert set(classes[rows[0]]) != set(classes[rows[1]])
