"""Threads over ranges."""

import asyncio
import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from fuzzypairs.threads import Threads, cut, over_ranges


def where(item):
    return item, threading.current_thread()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_order(n_jobs):
    done = Threads(n_jobs).map(where, [(i,) for i in range(20)])
    assert [item for item, _ in done] == list(range(20))


def test_a_pool_is_made_only_for_what_can_be_shared():
    here = threading.current_thread()
    threads = Threads(2)
    assert threads.map(where, [(0,)]) == [(0, here)]
    others = [thread for _, thread in threads.map(where, [(0,), (1,)])]
    assert here not in others
    assert not any(thread.is_alive() for thread in others)


def test_none_is_what_joblib_says():
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert Threads(None).n_threads == 3
    assert Threads(None).n_threads == 1


@pytest.mark.parametrize("n_items", [0, 1, 9, 10, 25, 1000])
def test_ranges_cover_all_items_once(n_items):
    borders = cut(n_items, 5, most=7)
    assert borders.dtype == np.int64
    assert 2 <= len(borders) <= 8
    covered = [i for start, stop in over_ranges(borders) for i in range(start, stop)]
    assert covered == list(range(n_items))


# The same bits everywhere --------------------------------------------------------

# Large enough for the core to share passes out: samples x features x clusters.
FIT = """
import numpy as np
from fuzzypairs import FDC, PairSet

def fitted(n_jobs):
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=9000)
    X = rng.normal(size=(9000, 6)) + 3.0 * rng.normal(size=(5, 6))[y]
    pairs = PairSet.from_labels(y, n_pairs=300, random_state=0)
    model = FDC(5, n_init=1, random_state=0, n_jobs=n_jobs).fit(X, pairs=pairs)
    return model.memberships_.tobytes() + model.objective_history_.tobytes()
"""
namespace: dict = {}
exec(FIT, namespace)
fitted = namespace["fitted"]


@pytest.fixture(scope="module")
def alone():
    return fitted(1)


@pytest.mark.parametrize("n_jobs", [2, 3, 8])
def test_the_number_of_threads_changes_no_bit(alone, n_jobs):
    assert fitted(n_jobs) == alone


def test_fits_in_foreign_threads_have_the_same_bits(alone):
    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(fitted, [1, 2, 3])) == {alone}

    async def fit_both():
        return await asyncio.gather(*(asyncio.to_thread(fitted, n) for n in (1, 2)))

    assert set(asyncio.run(fit_both())) == {alone}


def test_a_new_process_has_the_same_bits(alone):
    code = FIT + "import hashlib; print(hashlib.sha256(fitted(2)).hexdigest())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == hashlib.sha256(alone).hexdigest()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
# Python 3.12 warns that threads of others are lost; those of a fit have ended.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fit_after_a_fork_has_the_same_bits(alone):
    fitted(2)  # threads before the fork
    child = os.fork()
    if child == 0:  # no assertion here: pytest would report from two processes
        os._exit(0 if fitted(2) == alone else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
