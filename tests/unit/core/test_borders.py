"""What the core refuses, and what it endures: it must never crash.

Hostile calls run in another process: a crash or an endless loop is a failed test.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import fuzzypairs
from core_cases import graph, judged, no_groups
from fuzzypairs import _core

HERE = Path(fuzzypairs.__file__).parents[1], Path(__file__).parents[2]
X = np.arange(12.0).reshape(6, 2)
C = np.array([[0.0, 1.0], [5.0, 6.0]])
ZERO = np.zeros(2)
REFUSED = (TypeError, ValueError)


def ints(*values):
    return np.array(values, dtype=np.int64)


def samples(data=X, rows=None, weight=None, mean=ZERO, **options):
    return _core.Samples(data, rows, weight, mean=mean, **options)


# Samples

BAD_DATA = {
    "whole numbers": np.arange(12).reshape(6, 2),
    "half": X.astype(np.float16),
    "complex": X.astype(complex),
    "objects": X.astype(object),
    "Fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=0)[::2],
    "reversed": X[::-1],
    "one axis": X.ravel(),
    "three axes": X[None],
    "no columns": np.zeros((6, 0)),
    "list": X.tolist(),
    "none": None,
    "swapped bytes": X.astype(">f8"),
}


@pytest.mark.parametrize("data", BAD_DATA.values(), ids=BAD_DATA)
def test_data_of_another_kind(data):
    with pytest.raises(REFUSED):
        samples(data)
    with pytest.raises(REFUSED):
        _core.memberships(data, C, mean=ZERO)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": ints(0, 6)},
        {"rows": ints(-1)},
        {"rows": ints(np.iinfo(np.int64).min)},
        {"rows": ints(np.iinfo(np.int64).max)},
        {"rows": ints(0).astype(np.int32)},
        {"rows": ints(0).astype(float)},
        {"rows": ints(0, 1, 2, 3)[::2]},
        {"rows": ints(0)[None]},
        {"weight": np.ones(5)},
        {"weight": np.ones((6, 1))},
        {"weight": np.ones(6, dtype=np.float32)},
        {"mean": np.zeros(3)},
        {"mean": np.zeros(2, dtype=np.float32)},
        {"mean": None},
        {"unit": 0.0},
        {"unit": -1.0},
        {"unit": np.nan},
        {"unit": 1e-320},
        {"unit": "1"},
        {"n_threads": -1},
        {"n_threads": 1.5},
    ],
    ids=str,
)
def test_samples_of_wrong_parts(wrong):
    with pytest.raises(REFUSED):
        samples(**wrong)


BAD_PROTOTYPES = {
    "columns": np.zeros((2, 3)),
    "none": np.zeros((0, 2)),
    "one axis": np.zeros(2),
    "single": C.astype(np.float32),
    "Fortran": np.asfortranarray(np.ones((3, 2))),
    "whole numbers": C.astype(np.int64),
    "list": C.tolist(),
}


@pytest.mark.parametrize("bad", BAD_PROTOTYPES.values(), ids=BAD_PROTOTYPES)
def test_prototypes_of_another_shape(bad):
    with pytest.raises(REFUSED):
        samples().pass_over(bad)
    with pytest.raises(REFUSED):
        _core.memberships(X, bad, mean=ZERO)


# Groups

GOOD = dict(
    zip(
        ["groups", "indptr", "neighbor", "pull", "diagonal"],
        graph([2, 3], [(0, 1, 1.0), (2, 3, -1.0), (3, 4, 0.5)], 1.0)[:5],
        strict=True,
    )
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"groups": ints()},
        {"groups": ints(0)},
        {"groups": ints(0, 2)},
        {"groups": ints(0, 2, 6)},
        {"groups": ints(1, 2, 5)},
        {"groups": ints(0, 3, 5)},
        {"groups": ints(0, 2, 2, 5)},
        {"groups": ints(0, 0, 2, 5)},
        {"groups": ints(0, 2, -5, 5)},
        {"groups": ints(0, 6, 2, 5)},
        {"groups": np.array([0.0, 2.0, 5.0])},
        {"groups": ints(0, 2, 5).astype(np.int32)},
        {"indptr": ints(0, 1, 2, 3, 5)},
        {"indptr": ints(0, 1, 2, 3, 5, 7)},
        {"indptr": ints(0, 2, 1, 3, 5, 6)},
        {"indptr": ints(0, -1, 2, 3, 5, 6)},
        {"indptr": ints(0, 2**62, 2, 3, 5, 6)},
        {"neighbor": ints(1, 0, 3, 2, 4)},
        {"neighbor": ints(1, 0, 3, 2, 4, 5)},
        {"neighbor": ints(1, 0, 3, 2, 4, -1)},
        {"neighbor": ints(2, 0, 3, 2, 4, 3)},
        {"neighbor": ints(0, 0, 3, 2, 4, 3)},
        {"neighbor": ints(1, 0, 3, 2, 4, 2**62)},
        {"pull": np.ones(5)},
        {"pull": np.ones(6, dtype=np.float32)},
        {"pull": np.ones(12)[::2]},
        {"diagonal": np.ones(4)},
        {"diagonal": np.ones((5, 1))},
        {"own": None},
        {"fuzzifier": 1.0},
        {"fuzzifier": 0.5},
        {"fuzzifier": -2.0},
        {"fuzzifier": np.nan},
        {"fuzzifier": np.inf},
    ],
    ids=str,
)
def test_groups_of_wrong_parts(wrong):
    with pytest.raises(REFUSED):
        _core.Groups(**{**GOOD, **wrong})


@pytest.mark.parametrize(
    "bad",
    [
        np.ones((4, 2)),
        np.ones((6, 2)),
        np.ones((5, 0)),
        np.ones(5),
        np.ones((5, 2), dtype=np.float32),
        np.ones((5, 4))[:, ::2],
        None,
    ],
    ids=lambda bad: str(getattr(bad, "shape", bad)),
)
def test_memberships_and_distances_of_another_shape(bad):
    groups = _core.Groups(**GOOD)
    if getattr(bad, "shape", None) != (5, 2):  # others are converted
        with pytest.raises(REFUSED):
            groups.memberships = bad
    groups.memberships = np.full((5, 2), 0.5)
    with pytest.raises(REFUSED):
        groups.set_distances(bad)


def test_groups_before_anything_is_set():
    groups = _core.Groups(**GOOD)
    for call in (
        lambda: groups.descend(3, 0.0, 1.0),
        lambda: groups.refine(1e-6, 1.0, 2, 4, 8, 0.0),
        lambda: groups.evaluate(1.0),
        lambda: groups.set_distances(np.ones((5, 2))),
        lambda: groups.set_distances(np.ones((5, 0))),
        lambda: groups.pass_over(C, 0, 0.0, 1.0),
        lambda: groups.pass_over(np.zeros((0, 2)), 0, 0.0, 1.0),
    ):
        with pytest.raises(ValueError, match=r"not set|not packed|has shape"):
            call()
    groups.memberships = np.full((5, 2), 0.5)
    with pytest.raises(ValueError, match="not packed"):
        groups.pass_over(C, 1, 0.0, 1.0)


def test_samples_that_were_refused_are_not_packed():
    groups = _core.Groups(**GOOD)
    groups.memberships = np.full((5, 2), 0.5)
    with pytest.raises(ValueError, match="rows"):
        groups.pack(X, ints(0, 1, 2, 3, 9), None, ZERO)
    with pytest.raises(TypeError):
        groups.pack(X.astype(np.int64), np.arange(5), None, ZERO)
    with pytest.raises(ValueError, match="rows"):
        groups.pack(X, np.arange(4), None, ZERO)
    with pytest.raises(ValueError, match="not packed"):
        groups.pass_over(C, 0, 0.0, 1.0)
    groups.pack(X, np.arange(5), None, ZERO)
    groups.pass_over(C, 0, 0.0, 1.0)
    with pytest.raises(TypeError):
        groups.pack(np.ones((6, 9), dtype=np.int64), np.arange(5), None, np.zeros(9))
    groups.pass_over(C, 0, 0.0, 1.0)
    np.testing.assert_allclose(groups.distances[0], [0.0, 50.0], atol=1e-30)


# Algorithm 1

SETTINGS = {"tol": 1e-6, "max_iter": 20, "is_long": False, "improve": None}
NONE = np.zeros((0, 2))


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": np.zeros((2, 3))},
        {"C": np.zeros((0, 2))},
        {"C": C.astype(np.float32)},
        {"U": np.zeros((1, 2))},
        {"U": np.zeros((0, 3))},
        {"U": np.zeros(0)},
        {"samples": None},
        {"groups": None},
        {"max_iter": 0},
        {"max_iter": -1},
        {"max_iter": 2.5},
        {"tol": None},
        {"improve": 3},
        {"n_threads": -1},
    ],
    ids=str,
)
def test_runs_of_wrong_parts(wrong):
    given = {"samples": samples(), "groups": no_groups(), "C": C, "U": NONE}
    with pytest.raises(REFUSED):
        _core.descend(**{**given, "alpha": 0.0, **SETTINGS, **wrong})


def test_runs_need_packed_groups():
    groups = _core.Groups(**GOOD)
    U = np.full((5, 2), 0.5)
    with pytest.raises(ValueError, match="not packed"):
        _core.descend(samples(), groups, C, U, alpha=0.0, **SETTINGS)
    groups.pack(np.ones((5, 3)), np.arange(5), None, np.zeros(3))
    with pytest.raises(ValueError, match="not packed"):
        _core.descend(samples(), groups, C, U, alpha=0.0, **SETTINGS)
    # Groups without a row need no samples, nor those they have.
    none = no_groups()
    none.pack(np.ones((5, 9)), ints(), None, np.zeros(9))
    found = _core.descend(samples(), none, C, NONE, alpha=0.0, **SETTINGS)
    assert np.isfinite(found[0]).all()


CALLED = {**SETTINGS, "scale": 1.0, "step_unit": 1.0}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        (1.0, 2.0),
        (np.zeros((3, 2)), np.ones(2), 0.0, 0.0, 0.0),
        (np.zeros((2, 2)), np.ones(3), 0.0, 0.0, 0.0),
        (np.zeros((2, 2)), np.ones(2), 0.0, 0.0),
        (np.zeros((2, 2)), np.ones(2), "0", 0.0, 0.0),
        (np.zeros((2, 2)), None, 0.0, 0.0, 0.0),
    ],
    ids=str,
)
def test_passes_that_return_something_else(answer):
    with pytest.raises((*REFUSED, RuntimeError)):
        _core.descend(lambda *_: answer, no_groups(), C, NONE, **CALLED)


@pytest.mark.parametrize(
    "wrong", [{"scale": 0.0}, {"scale": np.nan}, {"step_unit": -1.0}]
)
def test_units_that_cannot_be(wrong):
    with pytest.raises(ValueError, match="above 0"):
        _core.descend(lambda *_: None, no_groups(), C, NONE, **{**CALLED, **wrong})


def test_passes_that_change_the_number_of_clusters():
    groups = _core.Groups(**GOOD)

    def pass_over(C, n_sweeps, tol):
        groups.memberships = np.full((5, 9), 1 / 9)
        return np.zeros((2, 2)), np.ones(2), 1.0, 0.0, 0.0

    U = np.full((5, 2), 0.5)
    with pytest.raises(ValueError, match="another number of clusters"):
        _core.descend(pass_over, groups, C, U, **CALLED)


# Rows


def test_rows_of_wrong_parts():
    ends = ints(0, 1, 2), ints(1, 0)
    frozen = np.empty((6, 2))
    frozen.flags.writeable = False
    order, values = ints(0, 1)[None], np.ones((1, 2))
    calls = [
        lambda: _core.memberships(X, C, mean=np.zeros(3)),
        lambda: _core.manhattan_distances(X, np.ones((2, 3)), np.empty((6, 2))),
        lambda: _core.manhattan_distances(X, C, np.empty((2, 6))),
        lambda: _core.manhattan_distances(X, C, np.empty((2, 6)).T),
        lambda: _core.squared_distances(X, C, frozen),
        lambda: _core.squared_distances(X, np.ones((0, 2)), np.empty((6, 0))),
        lambda: _core.weighted_medians(ints(0, 2)[None], values, np.ones((2, 1))),
        lambda: _core.weighted_medians(ints(0, -1)[None], values, np.ones((2, 1))),
        lambda: _core.weighted_medians(order, values, np.ones((3, 1))),
        lambda: _core.weighted_medians(order, np.ones((2, 2)), np.ones((2, 1))),
        lambda: _core.weighted_medians(order[:, :0], values[:, :0], np.ones((0, 1))),
        lambda: _core.reach(ints(), ends[1], ints(0), 0.9, 3, 2),
        lambda: _core.reach(ints(0, 1, 3), ends[1], ints(0), 0.9, 3, 2),
        lambda: _core.reach(ends[0], ints(1, 2), ints(0), 0.9, 3, 2),
        lambda: _core.reach(*ends, ints(2), 0.9, 3, 2),
        lambda: _core.reach(*ends, ints(-1), 0.9, 3, 2),
        lambda: _core.reach(*ends, ints(0), 0.9, 3, 0),
        lambda: _core.reach(*ends, ints(0), 0.9, -1, 2),
    ]
    for call in calls:
        with pytest.raises(REFUSED):
            call()
    for most in (2**60, 2**61, 2**63):
        with pytest.raises(MemoryError):
            _core.reach(*ends, ints(0, 1), 0.9, 3, most)


# Numbers that are none, in another process


def run(code, seconds=120):
    """Run code where a crash or an endless loop does no harm."""
    paths = os.pathsep.join([*map(str, HERE), os.environ.get("PYTHONPATH", "")])
    start = "import itertools\nimport numpy as np\nimport core_cases as cases\n"
    start += "from fuzzypairs import _core\n"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", start + textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


BAD_NUMBERS = "[np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0]"


def test_passes_over_numbers_that_are_none():
    run(f"""
    rng = np.random.default_rng(0)
    for bad, dtype, products, where in itertools.product(
        {BAD_NUMBERS}, [np.float32, np.float64], [False, True],
        ["X", "C", "mean", "weight"],
    ):
        with np.errstate(all="ignore"):
            X = rng.normal(size=(300, 3)).astype(dtype)
            C, mean, weight = rng.normal(size=(5, 3)), np.zeros(3), np.ones(300)
            dict(X=X, C=C, mean=mean, weight=weight)[where].flat[1] = bad
        samples = _core.Samples(X, None, weight, mean=mean, by_products=products)
        for n_threads in (0, 1, 3):
            samples.pass_over(C, n_threads)
        U = _core.memberships(X, C, mean=mean)
        assert np.isfinite(U[5:]).all() or where in ("C", "mean")
    """)


def test_groups_of_numbers_that_are_none():
    run(f"""
    for bad, g, sizes, where in itertools.product(
        {BAD_NUMBERS}, [2.0, 1.3, 4.0], [[2] * 9, [3] * 9, [7, 1, 20]],
        ["dist2", "U", "pull", "diagonal", "own", "tol", "scale", "gain"],
    ):
        case = cases.judged(sizes, 4, fuzzifier=g)
        *arrays, own = cases.graph(sizes, case.pairs, 1.0)
        given = dict(dist2=case.dist2, U=case.U, pull=arrays[3], diagonal=arrays[4])
        if where in given:
            given[where].flat[1] = bad
        groups = _core.Groups(*arrays, bad if where == "own" else own, g)
        groups.memberships = case.U
        groups.set_distances(case.dist2)
        tol, scale, gain = (bad if where == name else default for name, default in
                            [("tol", 1e-6), ("scale", 1.0), ("gain", 0.0)])
        groups.descend(5, tol, scale)
        groups.refine(tol, scale, 2, 4, 8, gain)
        groups.evaluate(scale)
        groups.memberships, groups.distances
    """)


def test_runs_over_numbers_that_are_none():
    run(f"""
    rng = np.random.default_rng(0)
    for bad, sizes, where in itertools.product(
        {BAD_NUMBERS}, [[], [2] * 9 + [5]],
        ["X", "C", "U", "weight", "alpha", "tol", "pull"],
    ):
        n_rows, k = sum(sizes), 3
        X, weight = rng.normal(size=(60, 2)), np.ones(60)
        C, U = rng.normal(size=(k, 2)), rng.dirichlet(np.ones(k), n_rows)
        *arrays, own = cases.graph(sizes, cases.joined(sizes, rng), 1.0)
        given = dict(X=X, C=C, U=U, weight=weight, pull=arrays[3])
        if where in given and given[where].size:
            given[where].flat[1] = bad
        groups = _core.Groups(*arrays, own)
        groups.pack(X, np.arange(n_rows), weight, np.zeros(2))
        rows = np.arange(n_rows, 60)
        samples = _core.Samples(X, rows, weight, mean=np.zeros(2))
        options = dict(alpha=0.01, tol=1e-6)
        if where in options:
            options[where] = bad
        for is_long in (False, True):
            options |= dict(max_iter=50, is_long=is_long, improve=None)
            C_end, U_end, *_ = _core.descend(samples, groups, C, U, **options)
            assert len(C_end) <= k and U_end.shape == (n_rows, len(C_end))
    """)


def test_rows_of_numbers_that_are_none():
    run(f"""
    rng = np.random.default_rng(0)
    ends = np.arange(4), np.array([1, 0, 1])
    for bad in {BAD_NUMBERS}:
        dist2, U = rng.random((9, 3)), rng.random((9, 3))
        for array in (dist2, U):
            kept = array.flat[1]
            array.flat[1] = bad
            order = np.tile(rng.permutation(9), (3, 1))
            _core.weighted_medians(order, np.ascontiguousarray(dist2.T), U)
            _core.manhattan_distances(dist2, U, np.empty((9, 9)))
            array.flat[1] = kept
        rows = _core.reach(*ends, np.arange(3), bad, 4, 3)[0]
        assert ((rows >= 0) & (rows < 3)).all()
    """)


def test_judgements_that_are_not_symmetric():
    run("""
    for sizes in ([2] * 9, [5]):
        n = sum(sizes)
        case = cases.judged(sizes, 3)
        *arrays, own = cases.graph(sizes, case.pairs, 5.0)
        arrays[3][:] = np.random.default_rng(0).normal(size=len(arrays[3])) * 1e6
        groups = _core.Groups(*arrays, own)
        groups.memberships = case.U
        groups.set_distances(case.dist2)
        groups.refine(1e-9, 1.0, 2, 20, 8, 0.0)
        cases.assert_on_simplex(groups.memberships)
    """)


def test_more_threads_than_a_machine_has():
    run("""
    X = np.random.default_rng(0).normal(size=(70_000, 2))
    samples = _core.Samples(X, None, None, mean=np.zeros(2), n_threads=2**40)
    one, many = (samples.pass_over(X[:3], n)[0] for n in (1, 2**40))
    np.testing.assert_array_equal(one, many)
    """)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")
def test_interrupts_end_long_calls():
    run(
        """
        import signal
        case = cases.judged([8] * 2000, 6, beta=50.0)
        groups = case.core()
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            groups.refine(1e-12, 1.0, 1000, 100_000, 8, 0.0, 2)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("it went on")
        cases.assert_on_simplex(groups.memberships)
        """,
        seconds=60,
    )


def test_levels_of_the_cpu():
    assert _core.cpu_level() in _core.cpu_levels()
    assert judged([2], 2).core().evaluate(1.0)[0] > 0.0
