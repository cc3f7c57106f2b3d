"""Fits over blocks against fits in memory, on a cluster of two worker processes."""

import threading

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs

import fuzzypairs
from fuzzypairs import FDC, FuzzyCMeans, PairSet
from fuzzypairs.blocks import block_passes, held_rows, maps
from fuzzypairs.distributed import (
    DaskFDC,
    DaskFuzzyCMeans,
    PassProgress,
    watch_passes,
)

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

N, K = 6000, 4
SETTINGS = {"n_clusters": K, "n_init": 2, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Overlapping blobs, so that fits take many passes, and judgements of them."""
    X, truth = make_blobs(N, n_features=5, centers=K, cluster_std=4.0, random_state=1)
    rng = np.random.default_rng(0)
    ends = rng.choice(N, (300, 2), replace=False)
    grade = np.where(truth[ends[:, 0]] == truth[ends[:, 1]], 0.8, -0.7)
    return X, PairSet(*ends.T, grade, N), rng.uniform(0.5, 2.0, N)


@pytest.fixture(scope="module")
def local(data):
    """The fit in memory that most others are compared with."""
    X, pairs, _ = data
    return FDC(**SETTINGS).fit(X, pairs=pairs)


@pytest.fixture(scope="module")
def weighted(data):
    """The fit in memory of weighted samples."""
    X, pairs, weight = data
    return FDC(**SETTINGS).fit(X, pairs=pairs, sample_weight=weight)


@pytest.fixture(scope="module")
def on_two_workers(data, client):
    """A fit of seven blocks on the cluster."""
    X, pairs, _ = data
    return DaskFDC(**SETTINGS, client=client).fit(blocks(X, 7), pairs=pairs)


def blocks(X, n_blocks):
    return da.from_array(X, chunks=(-(-len(X) // n_blocks), X.shape[1]))


def agree(model, local, rtol=1e-9):
    size = np.abs(local.cluster_centers_).max()
    gap = np.abs(model.cluster_centers_ - local.cluster_centers_).max()
    assert gap <= rtol * size
    assert model.objective_ == pytest.approx(local.objective_, rel=rtol)
    assert model.n_iter_ == local.n_iter_
    assert model.n_clusters_ == local.n_clusters_


def test_by_hand():
    # Without judgements, one cluster: the mean, and the sum of squares to it.
    X = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 7.0]])
    model = DaskFDC(1, alpha=0, random_state=0).fit(blocks(X, 2))
    np.testing.assert_allclose(model.cluster_centers_, [[2.0, 3.0]], rtol=1e-14)
    assert model.objective_ == pytest.approx(8.0 + 24.0, rel=1e-14)
    np.testing.assert_array_equal(model.labels_.compute(), [0, 0, 0])


@pytest.mark.parametrize("n_workers", [0, 1, 2])
@pytest.mark.parametrize("n_blocks", [1, 2, 7])
def test_it_is_the_local_fit(data, weighted, client, n_blocks, n_workers):
    X, pairs, weight = data
    one = client if n_workers else None
    model = DaskFDC(**SETTINGS, client=one)
    parts = blocks(X, n_blocks)
    if n_workers == 1:
        address = sorted(client.scheduler_info(n_workers=-1)["workers"])[0]
        parts = client.persist(parts, workers=[address])
    model.fit(parts, pairs=pairs, sample_weight=weight)
    agree(model, weighted)
    if n_workers == 2 or n_workers == 0:
        U = model.memberships_.compute()
        np.testing.assert_allclose(U, weighted.memberships_, atol=1e-9)
        assert model.memberships_.chunks[0] == parts.chunks[0]
        np.testing.assert_array_equal(model.labels_.compute(), weighted.labels_)


def test_the_number_of_workers_changes_no_bit(data, on_two_workers):
    X, pairs, _ = data
    with_two = on_two_workers
    alone = DaskFDC(**SETTINGS, n_jobs=1).fit(blocks(X, 7), pairs=pairs)
    threads = DaskFDC(**SETTINGS, n_jobs=3).fit(blocks(X, 7), pairs=pairs)
    for other in (alone, threads):
        np.testing.assert_array_equal(other.cluster_centers_, with_two.cluster_centers_)
        assert other.objective_ == with_two.objective_


@pytest.mark.parametrize(
    "changes",
    [
        {"fuzzifier": 1.6},
        {"alpha": 0.0, "beta": 0.5},
        {"alpha": 0.05, "n_init": 1, "n_clusters": 8},
        {"robust": True},
        {"metric": "mahalanobis"},
        {"metric": "rbf", "metric_params": {"n_components": 30}},
        {"init": "random"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_settings(data, changes):
    X, pairs, _ = data
    settings = {**SETTINGS, **changes}
    local = FDC(**settings).fit(X, pairs=pairs)
    model = DaskFDC(**settings).fit(blocks(X, 3), pairs=pairs)
    assert model.n_iter_ == local.n_iter_
    assert model.objective_ == pytest.approx(local.objective_, rel=1e-9)
    np.testing.assert_allclose(
        model.memberships_.compute(), local.memberships_, atol=1e-7
    )
    if "robust" in changes:
        np.testing.assert_allclose(
            model.pair_reliability_, local.pair_reliability_, atol=1e-7
        )


def test_fuzzy_c_means(data, client):
    X, _, weight = data
    settings = {"n_clusters": K, "n_init": 2, "random_state": 0}
    local = FuzzyCMeans(**settings).fit(X, sample_weight=weight)
    weights = da.from_array(weight, chunks=1000)
    model = DaskFuzzyCMeans(**settings, client=client)
    model.fit(blocks(X, 4), sample_weight=weights)
    agree(model, local)


def test_single_precision_stays(data):
    X, pairs, _ = data
    X = X.astype(np.float32)
    local = FDC(**SETTINGS).fit(X, pairs=pairs)
    agree(DaskFDC(**SETTINGS).fit(blocks(X, 3), pairs=pairs), local)


@pytest.mark.parametrize("fuzzifier", [2.0, 1.7])
def test_sparse_blocks(data, fuzzifier):
    X, pairs, _ = data
    X = np.where(np.abs(X) < 4.0, 0.0, X)[:2000]
    pairs = pairs.restrict(np.arange(2000))
    settings = {**SETTINGS, "fuzzifier": fuzzifier}
    local = FDC(**settings).fit(sparse.csr_matrix(X), pairs=pairs)
    parts = blocks(X, 3).map_blocks(sparse.csr_matrix)
    model = DaskFDC(**settings).fit(parts, pairs=pairs)
    agree(model, local)
    U = model.memberships_.compute()
    np.testing.assert_allclose(U, local.memberships_, atol=1e-9)


def test_pairs_by_id_and_unknown_chunk_sizes(data, weighted, client):
    X, pairs, weight = data
    ids = np.random.default_rng(3).permutation(10 * N)[:N]
    frame = pd.DataFrame(X, columns=list("abcde")).assign(item=ids, w=weight)
    parts = dd.from_pandas(frame, npartitions=5)
    named = [(ids[i], ids[j], grade) for i, j, grade in pairs]
    model = DaskFDC(**SETTINGS, id_column="item", client=client)
    model.fit(parts.drop(columns="w"), pairs=named, sample_weight=parts["w"])
    agree(model, weighted)
    assert list(model.feature_names_in_) == list("abcde")
    np.testing.assert_array_equal(model.judged_ids_, ids[model.judged_rows_])
    judged = np.unique([pairs.i, pairs.j])
    np.testing.assert_array_equal(model.judged_rows_, judged)
    np.testing.assert_allclose(
        model.judged_memberships_, weighted.memberships_[judged], atol=1e-9
    )
    table = pd.DataFrame(named, columns=["a", "b", "grade"])
    again = clone(model).fit(
        parts.drop(columns="w"), pairs=table, sample_weight=parts["w"]
    )
    assert again.objective_ == model.objective_


def test_blocks_that_do_not_fit_are_read_for_each_pass(data, client, monkeypatch):
    X, pairs, weight = data
    settings = {**SETTINGS, "tol": 0.1, "client": client}
    kept = DaskFDC(**settings).fit(blocks(X, 7), pairs=pairs, sample_weight=weight)
    monkeypatch.setattr(block_passes, "KEPT_SHARE", 0.0)
    read = DaskFDC(**settings).fit(blocks(X, 7), pairs=pairs, sample_weight=weight)
    np.testing.assert_array_equal(read.cluster_centers_, kept.cluster_centers_)
    settings["client"] = None
    alone = DaskFDC(**settings).fit(blocks(X, 7), pairs=pairs, sample_weight=weight)
    np.testing.assert_array_equal(alone.cluster_centers_, kept.cluster_centers_)


def test_constants_are_sent_apart_where_they_are_large(data, client, monkeypatch):
    X, pairs, _ = data
    settings = {**SETTINGS, "tol": 0.1}
    here = DaskFDC(**settings).fit(blocks(X, 7), pairs=pairs)
    monkeypatch.setattr(maps, "SENT_WITH_TASKS", 0)
    there = DaskFDC(**settings, client=client).fit(blocks(X, 7), pairs=pairs)
    np.testing.assert_array_equal(there.cluster_centers_, here.cluster_centers_)


def test_the_sample_holds_the_judged_rows(data, monkeypatch):
    X, pairs, _ = data
    monkeypatch.setattr(held_rows, "SAMPLE", 700)
    seen = {}

    def init(X, n_clusters, random_state):
        seen["X"] = X
        return random_state.randint(n_clusters, size=len(X))

    model = DaskFDC(K, init=init, n_init=1, random_state=0)
    model.fit(blocks(X, 3), pairs=pairs)
    assert len(seen["X"]) <= 700 + 250
    judged = np.unique([pairs.i, pairs.j])
    rows = {tuple(row) for row in seen["X"]}
    assert all(tuple(row) in rows for row in X[judged])
    # Starts differ from those of all rows, ends do not.
    local = FDC(K, n_init=5, random_state=0).fit(X, pairs=pairs)
    model = DaskFDC(K, n_init=5, random_state=0, alpha=local.alpha_)
    model.fit(blocks(X, 3), pairs=pairs)
    assert model.objective_ == pytest.approx(local.objective_, rel=1e-3)


def test_to_local_predicts_saves_and_loads(data, local, tmp_path):
    X, pairs, _ = data
    model = DaskFDC(**SETTINGS).fit(blocks(X, 3), pairs=pairs)
    plain = model.to_local()
    expected = local.predict_proba(X[:50])
    np.testing.assert_allclose(plain.predict_proba(X[:50]), expected, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X[:50]), expected, atol=1e-9)
    fuzzypairs.save(plain, tmp_path / "model.skops")
    loaded = fuzzypairs.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(X[:50]), expected.argmax(axis=1))
    lazy = model.predict(blocks(X, 5))
    assert lazy.chunks == ((1200,) * 5,)
    np.testing.assert_array_equal(lazy.compute(), plain.predict(X))


def test_progress_counts_passes_and_blocks(data):
    X, pairs, _ = data
    seen = []
    with watch_passes(seen.append):
        model = DaskFDC(**SETTINGS).fit(blocks(X, 5), pairs=pairs)
    passes = [p for p in seen if p.stage == "pass"]
    # Two runs share passes: at most as many as the longer of them, and not fewer.
    assert len(passes) % 5 == 0
    assert len(passes) // 5 == passes[-1].n_passes >= model.n_iter_
    assert [p.n_done for p in passes[:5]] == [1, 2, 3, 4, 5]
    assert {p.stage for p in seen} == {"survey", "gather", "pack", "pass"}
    left = [p.seconds_left for p in passes if np.isfinite(p.seconds_left)]
    assert left
    assert left[-1] < max(left)
    assert str(PassProgress("survey", 0, 1, 2, np.nan)) == "survey, block 1 of 2"


@pytest.mark.usefixtures("on_two_workers")
def test_tasks_have_names(client):
    names = client.run_on_scheduler(
        lambda dask_scheduler: list(dask_scheduler.task_prefixes)
    )
    expected = {"survey_block", "gather_rows", "pack_block", "pass_over_block"}
    assert expected <= set(names)


class TestErrors:
    """Bad input: what was seen, what was expected, what to do."""

    def test_nan(self, data, client):
        X = data[0].copy()
        X[17 * 300 + 4, 2] = np.nan
        for given in (client, None):
            with pytest.raises(ValueError, match=r"X has NaN in block 17 row 4 \(col"):
                DaskFDC(**SETTINGS, client=given).fit(blocks(X, 20))

    def test_nan_of_sparse_blocks_and_frames(self, data):
        X = data[0].copy()
        X[2003, 1] = np.inf
        parts = blocks(X, 3).map_blocks(sparse.csr_matrix)
        with pytest.raises(ValueError, match=r"infinity in block 1 row 3 .column 1"):
            DaskFDC(**SETTINGS).fit(parts)
        frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcde")), npartitions=3)
        with pytest.raises(ValueError, match=r"block 1 row 3 .column 'b'"):
            DaskFDC(**SETTINGS).fit(frame)

    def test_pairs_beyond_the_data(self, data):
        with pytest.raises(ValueError, match=r"joins sample 6000 but X has 6000 rows"):
            DaskFDC(**SETTINGS).fit(blocks(data[0], 2), pairs=[(1, N, 0.5)])

    def test_row_numbers_and_unknown_chunk_sizes(self, data):
        frame = dd.from_pandas(pd.DataFrame(data[0]), npartitions=2)
        with pytest.raises(ValueError, match=r"unknown chunk sizes.*compute_chunk_siz"):
            DaskFDC(**SETTINGS).fit(frame.to_dask_array(), pairs=[(0, 1, 0.5)])

    def test_unknown_and_repeated_ids(self, data):
        frame = pd.DataFrame(data[0]).assign(item=np.arange(N) // 2)
        parts = dd.from_pandas(frame, npartitions=2)
        model = DaskFDC(**SETTINGS, id_column="item")
        with pytest.raises(ValueError, match=r"names 1 ids that no row .* -5"):
            model.fit(parts, pairs=[(3, -5, 0.5)])
        with pytest.raises(ValueError, match="which several rows of X have"):
            model.fit(parts, pairs=[(3, 4, 0.5)])
        with pytest.raises(ValueError, match="id_column is 'name', but X has the col"):
            DaskFDC(id_column="name").fit(parts)
        with pytest.raises(ValueError, match="X is an array, which has no columns"):
            DaskFDC(id_column="name").fit(blocks(data[0], 2))

    def test_mixed_types(self, data):
        X = blocks(data[0], 2)
        mixed = X.map_blocks(
            lambda x, block_info=None: (
                x.astype(np.float32) if block_info[0]["chunk-location"][0] else x
            ),
            dtype=np.float64,
        )
        with pytest.raises(
            TypeError, match="block 1 of X is float32 but block 0 is fl"
        ):
            DaskFDC(**SETTINGS).fit(mixed)
        DaskFDC(**SETTINGS).fit(mixed.map_blocks(np.float64))  # as the message says
        table = dd.from_dask_array(mixed, columns=list("abcde"))
        with pytest.raises(TypeError, match=r"a DataFrame by X\.astype"):
            DaskFDC(**SETTINGS).fit(table)
        DaskFDC(**SETTINGS).fit(table.astype(np.float64))

    def test_text(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "city": ["Oslo", "Rome"]})
        with pytest.raises(TypeError, match="column 'city' of X holds"):
            DaskFDC().fit(dd.from_pandas(frame, npartitions=1))

    def test_a_client_that_is_gone(self, data, cluster):
        import distributed

        client = distributed.Client(cluster, set_as_default=False)
        client.close()
        with pytest.raises(
            ConnectionError, match=r"client is closed.*connect a new one"
        ):
            DaskFDC(**SETTINGS, client=client).fit(blocks(data[0], 2))

    @pytest.mark.parametrize("gone", ["client", "scheduler"])
    @pytest.mark.parametrize("stage", ["survey", "pass"])
    def test_a_client_or_scheduler_that_goes_during_the_fit(self, data, gone, stage):
        import distributed

        closing = []
        with distributed.LocalCluster(
            n_workers=1, processes=False, dashboard_address=None, silence_logs=50
        ) as there:
            client = distributed.Client(there, set_as_default=False, timeout="2s")

            def close(progress):
                if progress.stage == stage and not closing:
                    target = client.close if gone == "client" else there.close
                    closing.append(threading.Thread(target=target))
                    closing[0].start()

            def fit_until_gone():  # a fit may end before the client notices
                while True:
                    DaskFDC(K, tol=0, n_init=1, client=client).fit(blocks(data[0], 20))

            with watch_passes(close), pytest.raises(ConnectionError, match="Dask clie"):
                fit_until_gone()
            closing[0].join(30.0)
            client.close()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda w: w[:7], r"sample_weight has (7 entries|shape \(7,\)) but X has"),
            (
                lambda w: np.where(np.arange(N) == 3002, -1.0, w),
                r"sample_weight\[(300)?2\] is -1",
            ),
            (
                lambda w: np.full(N, "heavy"),
                "sample_weight must be numbers: could not conv",
            ),
            (lambda w: w.astype(complex), "sample_weight must be numbers"),
            (lambda w: np.ma.masked_less(w, 1.0), "sample_weight has .* masked values"),
            (lambda w: 1e300 * w, r"sample_weight reaches .*e\+300, expected"),
            (lambda w: 1e-300 * w, r"sample_weight reaches .*e-300, expected"),
            (lambda w: 0.0 * w, "sample_weight is all zero"),
        ],
    )
    @pytest.mark.parametrize("lazy", [False, True])
    def test_weights(self, data, change, message, lazy):
        X, _, weight = data
        given = change(np.where(np.arange(N) < 3000, weight, 1.0))
        if lazy:
            given = da.from_array(given, chunks=3000)
        with pytest.raises(ValueError, match=message):
            DaskFDC(**SETTINGS).fit(blocks(X, 2), sample_weight=given)

    def test_weights_of_other_blocks(self, data):
        frame = pd.DataFrame(data[0], columns=list("abcde"))
        short = dd.concat([dd.from_pandas(frame["a"][:9], npartitions=1)] * 2)
        parts = dd.from_pandas(frame, npartitions=2)
        with pytest.raises(ValueError, match=r"9 entries but X has .*rows .in block 0"):
            DaskFDC(**SETTINGS).fit(parts, sample_weight=short)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                lambda part: part[:-1],
                "block 0 of X has 2999 rows, but X.chunks says 300",
            ),
            (lambda part: part[:, :-1], "block 0 of X has 4 features, expected 5"),
            (lambda part: part[0], "block 0 of X has 1 dimensions"),
            (lambda part: 1e200 * part, r"X reaches .*e\+201, expected a magnitude"),
            (lambda part: np.ma.masked_less(part, 0), "block 0 of X has .* masked"),
        ],
    )
    def test_blocks_that_are_not_as_declared(self, data, change, message):
        parts = blocks(data[0], 2).map_blocks(change, meta=np.empty((0, 0)))
        with pytest.raises(ValueError, match=message):
            DaskFDC(**SETTINGS).fit(parts)

    def test_other_columns_in_predict(self, data):
        X = data[0][:60]
        frame = pd.DataFrame(X, columns=list("abcde")).assign(item=np.arange(60))
        model = DaskFDC(**SETTINGS, id_column="item")
        model.fit(dd.from_pandas(frame, npartitions=2))
        U = model.predict_proba(dd.from_pandas(frame, npartitions=3)).compute()
        np.testing.assert_array_equal(
            U, model.to_local().predict_proba(frame[[*"abcde"]])
        )
        other = dd.from_pandas(frame.rename(columns={"b": "B"}), npartitions=2)
        with pytest.raises(ValueError, match=r"feature names(?s:.*)B"):
            model.predict(other)
        model = DaskFDC(**SETTINGS).fit(blocks(X, 2))
        with pytest.raises(
            ValueError, match="X has 3 features, but FDC is expecting 5"
        ):
            model.predict(blocks(X[:, :3], 2))
        late = blocks(X, 2).map_blocks(lambda part: part[:, :3], dtype=float)
        with pytest.raises(
            ValueError, match=r"block . of X has 3 features, expected 5"
        ):
            model.predict(late).compute()

    def test_new_samples_that_have_no_memberships(self, data):
        X = data[0][:60].copy()
        model = DaskFDC(**SETTINGS).fit(blocks(X, 2))
        X[33, 1] = np.nan
        with pytest.raises(ValueError, match=r"X has NaN in block 1 row 3 .column 1"):
            model.predict_proba(blocks(X, 2)).compute()
        X[33, 1] = 1e200
        with pytest.raises(ValueError, match=r"X\[3\] is so far from the prototypes"):
            model.predict_proba(blocks(X, 2)).compute()

    def test_what_cannot_be_fitted_on_blocks(self, data):
        X = data[0]
        with pytest.raises(ValueError, match="needs all rows at once; on Dask use"):
            DaskFDC(metric="manhattan").fit(blocks(X, 2))
        with pytest.raises(ValueError, match="start from a sample of the rows"):
            DaskFDC(init=np.zeros(N)).fit(blocks(X, 2))
        with pytest.raises(TypeError, match="X is a ndarray, expected a dask array"):
            DaskFDC().fit(X)
        with pytest.raises(TypeError, match="client is a str, expected a distributed"):
            DaskFDC(client="tcp://127.0.0.1:1").fit(blocks(X, 2))
