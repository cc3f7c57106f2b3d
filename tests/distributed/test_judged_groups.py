"""Groups of judged rows on workers against those on the client, and in memory."""

import pickle
import time
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from fuzzypairs import FDC, PairSet
from fuzzypairs.blocks.block_work import Frame
from fuzzypairs.blocks.judged_groups import (
    GroupPart,
    JudgedRows,
    SharedGroups,
    cut_groups,
    follow_steps,
)
from fuzzypairs.blocks.schedulers import Limits
from fuzzypairs.distributed import DaskFDC
from fuzzypairs.solvers.problem import Graph

da = pytest.importorskip("dask.array")

N, K = 4000, 4
SETTINGS = {"n_clusters": K, "n_init": 2, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Overlapping blobs, and judgements in groups of two to about 50 rows."""
    X, truth = make_blobs(N, n_features=5, centers=K, cluster_std=4.0, random_state=1)
    rng = np.random.default_rng(0)
    apart = rng.choice(N // 2, (600, 2), replace=False)
    dense = N // 2 + rng.integers(N // 2, size=(700, 2))
    ends = np.concatenate([apart, dense[dense[:, 0] != dense[:, 1]]])
    alike = truth[ends[:, 0]] == truth[ends[:, 1]]
    # Every tenth is wrong: groups that may be indefinite, and other starts of them.
    grade = np.where(alike ^ (rng.random(len(ends)) < 0.1), 0.9, -0.8)
    return X, PairSet(*ends.T, grade, N), rng.uniform(0.5, 2.0, N)


# Groups are shared out, in parts of a few of them.
SHARED = Limits(shared_from=1, rows_a_part=300)


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(DaskFDC, "_limits", SHARED)


@pytest.fixture(scope="module")
def on_two_workers(data, client):
    """A fit with groups on the workers of the cluster."""
    X, pairs, _ = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DaskFDC, "_limits", SHARED)
        return DaskFDC(**SETTINGS, client=client).fit(blocks(X), pairs=pairs)


def blocks(X):
    return da.from_array(X, chunks=(1500, X.shape[1]))


def agree(model, other, rtol=1e-9):
    size = np.abs(other.cluster_centers_).max()
    assert np.abs(model.cluster_centers_ - other.cluster_centers_).max() <= rtol * size
    assert model.objective_ == pytest.approx(other.objective_, rel=rtol)
    assert model.n_iter_ == other.n_iter_
    assert model.n_clusters_ == other.n_clusters_


def test_cuts_by_hand():
    # Groups of 2 rows, 200 of them, then of 3 rows. Parts have about 100 rows, and
    # begin after multiples of 64 groups of a size, or where the size changes.
    groups = np.cumsum([0, *[2] * 200, *[3] * 5])
    np.testing.assert_array_equal(cut_groups(groups, 100), [0, 64, 128, 192, 200, 205])
    np.testing.assert_array_equal(cut_groups(groups, 10_000), [0, 205])
    # One group that is larger than a part stays whole.
    np.testing.assert_array_equal(cut_groups(np.array([0, 900]), 100), [0, 1])


@pytest.mark.parametrize("changes", [{}, {"alpha": 0.05, "n_clusters": 8}], ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parts_that_are_made_anew_change_no_bit(data, shared, monkeypatch, changes):
    X, pairs, _ = data
    settings = {**SETTINGS, **changes}
    expected = DaskFDC(**settings).fit(blocks(X), pairs=pairs)
    begin_step, begin_runs, n_begun = SharedGroups.begin, GroupPart.begin, Counter()

    def lose_some(self, step):
        for number in {2: [0], 4: [1, 3], 7: [0, 2]}.get(len(self.steps), []):
            self.parts[number] = pickle.loads(pickle.dumps(self.parts[number]))
        return begin_step(self, step)

    def count(self, beginnings):
        n_begun[self.judged.X.tobytes()] += 1
        begin_runs(self, beginnings)

    monkeypatch.setattr(SharedGroups, "begin", lose_some)
    monkeypatch.setattr(GroupPart, "begin", count)
    model = DaskFDC(**settings).fit(blocks(X), pairs=pairs)
    assert sorted(n_begun.values(), reverse=True)[:5] == [3, 2, 2, 2, 1]
    np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
    np.testing.assert_array_equal(
        model.judged_memberships_, expected.judged_memberships_
    )
    assert model.objective_ == expected.objective_


def test_a_step_that_failed_is_not_gone_on_from():
    X, C = np.arange(12.0).reshape(6, 2) ** 2, np.array([[-1.0, 0.0], [1.0, 2.0]])
    pairs = PairSet.from_triples([(0, 4, 0.5), (1, 2, -0.5)])
    links, frame = pairs.links, Frame(None, 1.0, mean=X.mean(axis=0), unit=50.0)
    graph = Graph.of(links, pairs.grade, 1.0)
    part = GroupPart(JudgedRows(X, links.rows, None, frame), graph)
    beginnings, step = [(True, C)], {0: [("pass_over", C, 2, 0.0)]}
    assert follow_steps(part, None, (1, 0), [step]) is None  # without memberships
    first = follow_steps(part, beginnings, (1, 0), [step])
    assert part.stamp == (1, 1)
    with pytest.raises(KeyError):
        follow_steps(part, None, (1, 1), [{0: [*step[0], ("restore", 7)]}])
    assert follow_steps(part, None, (1, 1), [step]) is None
    again = follow_steps(part, beginnings, (1, 0), [step])
    assert again[0].value == first[0].value
    np.testing.assert_array_equal(again[0].sums, first[0].sums)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("on_cluster", [False, True])
def test_apart_they_are_as_together(data, client, monkeypatch, on_cluster, weighted):
    X, pairs, weight = data
    given = {"pairs": pairs, "sample_weight": weight if weighted else None}
    options = {**SETTINGS, "client": client if on_cluster else None}
    on_client = DaskFDC(**options).fit(blocks(X), **given)
    local = FDC(**SETTINGS).fit(X, **given)
    for rows in (700,) if on_cluster else (200, 700, 10_000):
        limits = Limits(shared_from=1, rows_a_part=rows)
        monkeypatch.setattr(DaskFDC, "_limits", limits)
        model = DaskFDC(**options).fit(blocks(X), **given)
        agree(model, on_client)
        agree(model, local)
        np.testing.assert_allclose(
            model.judged_memberships_, on_client.judged_memberships_, atol=1e-9
        )
    np.testing.assert_allclose(
        model.memberships_.compute(), local.memberships_, atol=1e-9
    )


def test_the_number_of_workers_changes_no_bit(data, on_two_workers, shared):
    X, pairs, _ = data
    there = on_two_workers
    for n_jobs in (1, 3):
        here = DaskFDC(**SETTINGS, n_jobs=n_jobs).fit(blocks(X), pairs=pairs)
        np.testing.assert_array_equal(here.cluster_centers_, there.cluster_centers_)
        np.testing.assert_array_equal(
            here.judged_memberships_, there.judged_memberships_
        )
        assert here.objective_ == there.objective_


@pytest.mark.parametrize(
    "changes",
    [
        {"fuzzifier": 1.6},
        {"alpha": 0.05, "n_init": 1, "n_clusters": 8},  # clusters vanish
        {"alpha": "auto", "n_clusters": 9, "n_init": 3},
        {"robust": True},
        {"metric": "mahalanobis"},
        {"metric": "rbf", "metric_params": {"n_components": 30}},
        {"init": "random"},
        {"max_iter": 7},
        {"tol": 1e-9},  # two starts end at objectives that are equal but for rounding
        {"beta": 100.0},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_settings(data, shared, changes):
    X, pairs, _ = data
    settings = {**SETTINGS, **changes}
    local = FDC(**settings).fit(X, pairs=pairs)
    model = DaskFDC(**settings).fit(blocks(X), pairs=pairs)
    assert model.n_clusters_ == local.n_clusters_
    assert model.objective_ == pytest.approx(local.objective_, rel=1e-9)
    np.testing.assert_allclose(
        model.memberships_.compute(), local.memberships_, atol=1e-7
    )


@pytest.mark.parametrize("fuzzifier", [2.0, 1.7])
def test_sparse_rows(data, shared, fuzzifier):
    X, pairs, _ = data
    X = sparse.csr_matrix(np.where(np.abs(X) < 4.0, 0.0, X))
    settings = {**SETTINGS, "fuzzifier": fuzzifier}
    local = FDC(**settings).fit(X, pairs=pairs)
    parts = blocks(X.toarray()).map_blocks(sparse.csr_matrix)
    agree(DaskFDC(**settings).fit(parts, pairs=pairs), local)


@pytest.mark.usefixtures("on_two_workers")
def test_tasks_are_on_workers_and_end_with_the_fit(client):
    def look(dask_scheduler):
        return set(dask_scheduler.task_prefixes), len(dask_scheduler.tasks)

    deadline = time.monotonic() + 10.0
    names, n_tasks = client.run_on_scheduler(look)
    while n_tasks and time.monotonic() < deadline:  # messages are on their way
        time.sleep(0.01)
        _, n_tasks = client.run_on_scheduler(look)
    assert {"fuzzypairs-groups-pack", "fuzzypairs-groups"} <= names
    assert n_tasks == 0
