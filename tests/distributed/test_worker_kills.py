"""Workers that are killed during a fit change nothing in its result."""

import os
import signal
import threading

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from fuzzypairs.distributed import DaskFDC

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

# `make bench-scale` kills 30 times.
N_KILLS = int(os.environ.get("FUZZYPAIRS_WORKER_KILLS", "2"))


def fit(client):
    X, _ = make_blobs(60_000, n_features=8, centers=5, cluster_std=2.0, random_state=1)
    pairs = [(i, i + 30_000, 0.5 - i % 2) for i in range(200)]
    model = DaskFDC(
        5, alpha=0, n_init=2, tol=0, max_iter=25, random_state=0, client=client
    )
    return model.fit(da.from_array(X, chunks=(10_000, 8)), pairs=pairs)


def kill_workers(there, stop, killed, rng):
    """Kill a random worker at random moments, once the last one is replaced."""
    while len(killed) < N_KILLS and not stop.wait(rng.uniform(0.1, 0.8)):
        pids = [nanny.pid for nanny in there.workers.values()]
        if len(there.scheduler.workers) == 2 and not {None, *killed[-1:]} & {*pids}:
            killed.append(int(rng.choice(pids)))
            os.kill(killed[-1], signal.SIGKILL)


@pytest.mark.filterwarnings("ignore:the best run did not converge")
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of Unix")
def test_killed_workers_change_nothing():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    rng = np.random.default_rng(N_KILLS)
    with (
        distributed.LocalCluster(**options, host="127.0.0.1", silence_logs=50) as there,
        distributed.Client(there) as client,
    ):
        expected = fit(client)
        stop, killed = threading.Event(), []
        args = (there, stop, killed, rng)
        thread = threading.Thread(target=kill_workers, args=args, daemon=True)
        thread.start()
        n_fits = 0
        while len(killed) < N_KILLS and n_fits < 20 + 10 * N_KILLS:
            model = fit(client)
            np.testing.assert_array_equal(
                model.cluster_centers_, expected.cluster_centers_
            )
            assert model.objective_ == expected.objective_
            n_fits += 1
        stop.set()
        thread.join()
        assert len(killed) == N_KILLS
