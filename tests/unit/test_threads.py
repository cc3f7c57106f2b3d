"""Threads over ranges."""

import threading

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
