"""Made-up runs, shared by the tests of tables, figures and the page."""

import numpy as np
import pytest

from fuzzypairs.reproduction import tuning
from fuzzypairs.reproduction.runs import EXAMPLES, Runs
from fuzzypairs.reproduction.targets import cells


def made_up(run):
    """FDC scores 0.9 and a little, others 0.7 and a little."""
    rng = np.random.default_rng([run.first, len(run.method), len(run.group)])
    n = run.last - run.first
    if run.held_out:
        return {"agreement": [0.5] * n}
    if run.method == "dsc":
        return {"refused": "would take 9 GB"}
    height = 0.9 if run.method.startswith("fdc") else 0.7
    ranks = [[0.7, 0.6, 0.5, 0.4, 0.3]] * (n - 1) + [[0.7, 0.6]]  # lost clusters
    return {
        "nari": (height + rng.uniform(0, 0.05, n)).tolist(),
        "nmi": rng.uniform(0.4, 0.5, n).tolist(),
        "clusters": [3] * n,
        "acc": [0.6] * n,
        "mahd": [0.72] * n,
        "lia": ranks,
        "examples": [np.full((len(EXAMPLES), 5), 0.2).tolist()] * n,
    }


@pytest.fixture
def results_of(monkeypatch, tmp_path):
    """Return what a plan's cells need, from made-up runs: no data, no fits."""
    monkeypatch.setattr(tuning, "perform", made_up)
    monkeypatch.setattr(tuning, "load_benchmark", lambda *_: None)

    def compute(plan):
        with Runs(tmp_path / f"{plan.target}.jsonl") as runs:
            tuning.complete(cells(plan), runs)
        return runs.results

    return compute
