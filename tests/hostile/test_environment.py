"""Results and behaviour do not depend on where and how the package runs."""

import asyncio
import multiprocessing
import os
import pickle
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest

import fuzzypairs
from fuzzypairs import FDC, GuidedFDC, load, save
from hostile import values

TESTS = str(Path(__file__).parents[1])
FITS = str(Path(__file__).with_name("fits.py"))
SMALL = """
import numpy as np
from fuzzypairs import FDC
X = np.arange(24.0).reshape(12, 2) ** 2
print(FDC(2, random_state=0).fit(X, pairs=[(0, 1, 0.5)]).memberships_.sum(axis=0))
"""


def run(*command, **changes):
    """The output of Python in an environment with `changes`; None takes one away."""
    environment = {k: v for k, v in {**os.environ, **changes}.items() if v is not None}
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def fit(seed=0):
    model = FDC(3, n_init=2, random_state=seed)
    return model.fit(values.POINTS, pairs=values.TRIPLES).memberships_


def test_bits_do_not_depend_on_threads_of_blas_and_openmp():
    found = {
        n: run(FITS, OPENBLAS_NUM_THREADS=n, OMP_NUM_THREADS=n, MKL_NUM_THREADS=n)
        for n in ("1", "2")
    }
    assert found["1"] == found["2"]


def test_bits_do_not_depend_on_own_threads():
    found = [FDC(3, n_jobs=n, random_state=0).fit(values.POINTS) for n in (1, 2, -1)]
    for model in found[1:]:
        np.testing.assert_array_equal(model.memberships_, found[0].memberships_)


@pytest.mark.filterwarnings("ignore")
def test_the_number_of_blas_threads_is_restored_after_fits_in_threads():
    from threadpoolctl import threadpool_info

    before = [library["num_threads"] for library in threadpool_info()]
    rbf = [FDC(3, metric="rbf", n_init=1, random_state=s) for s in range(8)]
    joblib.Parallel(4, "threading")(
        joblib.delayed(model.fit)(values.POINTS) for model in rbf
    )
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_options_of_python_and_environments():
    bare = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "TMPDIR", "LANG"), None)
    expected = run("-c", SMALL)
    assert run("-OO", "-W", "error", "-c", SMALL) == expected
    assert run("-I", "-c", SMALL, **bare, PATH="", LC_ALL="C") == expected
    assert run("-c", SMALL, HOME="/nowhere", PYTHONHASHSEED="7") == expected


GERMAN = """
import locale, sys
from pathlib import Path
locale.setlocale(locale.LC_ALL, "")
assert locale.localeconv()["decimal_point"] == ","
from commands import DATA, PAIRS, put, run
from fuzzypairs import load
folder = Path(sys.argv[1])
put(folder / "data.csv", DATA)
put(folder / "pairs.csv", PAIRS)
done = run("fit", folder / "data.csv", "--pairs", folder / "pairs.csv", "--clusters", 2,
           "--id", "id", "--out", folder / "out", "--jobs", 1)
assert done.exit_code == 0, done.output
load(folder / "out" / "model.skops")
print((folder / "out" / "memberships.csv").read_text())
"""


def test_a_locale_with_decimal_commas(tmp_path):
    made = tmp_path / "de_DE.UTF-8"
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(made)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("localedef cannot make a locale with decimal commas here")
    german = {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8"}
    table = run("-c", GERMAN, str(tmp_path), PYTHONPATH=TESTS, **german)
    assert "0." in table
    assert run("-c", SMALL, **german) == run("-c", SMALL)


@pytest.mark.parametrize("name", ["with spaces", "Übergröße", "日本", "a;b&c'd", "[x]"])
def test_paths_with_other_letters(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    model = FDC(2, random_state=0).fit(values.POINTS)
    save(model, folder / f"{name}.skops")
    again = load(folder / f"{name}.skops")
    np.testing.assert_array_equal(again.predict(values.POINTS), model.labels_)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        np.testing.assert_array_equal(pool.submit(fit).result(timeout=100), fit())


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend):
    parallel = joblib.Parallel(2, backend)
    for U in parallel(joblib.delayed(fit)() for _ in range(3)):
        np.testing.assert_array_equal(U, fit())


def test_asyncio():
    async def several():
        return await asyncio.gather(*(asyncio.to_thread(fit) for _ in range(3)))

    for U in asyncio.run(several()):
        np.testing.assert_array_equal(U, fit())


@pytest.mark.parametrize("make", [FDC, GuidedFDC])
def test_pickles(make):
    model = make(3, random_state=0).fit(values.POINTS, pairs=values.TRIPLES)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.memberships_, model.memberships_)
    np.testing.assert_array_equal(
        again.predict(values.POINTS), model.predict(values.POINTS)
    )


def test_a_read_only_install(tmp_path):
    # A copy without leave to write. Root may write anywhere: what was written is
    # looked for as well.
    copy = tmp_path / "Größe 1" / "fuzzypairs"
    shutil.copytree(Path(fuzzypairs.__file__).parent, copy)
    places = [copy, *copy.rglob("*")]
    for place in places:
        place.chmod(0o555)
    before = {place: place.stat().st_mtime_ns for place in places}
    try:
        code = f"import fuzzypairs\nassert {str(copy)!r} in fuzzypairs.__file__\n"
        # Without `site` an editable install is not seen, only the folders named here.
        others = [path for path in sys.path if path.endswith("site-packages")]
        paths = os.pathsep.join([str(copy.parent), *others])
        found = run("-S", "-c", code + SMALL, PYTHONPATH=paths, HOME=None)
        after = {p: p.stat().st_mtime_ns for p in [copy, *copy.rglob("*")]}
    finally:
        for place in places:
            place.chmod(0o755)
    assert found == run("-c", SMALL)
    assert os.geteuid() == 0 or after == before


@pytest.mark.filterwarnings("ignore")
def test_errstate_of_the_user_does_not_matter():
    from hostile.cases import ALL, fit

    with np.errstate(all="raise"):
        for name in (
            "FDC",
            "DSC",
            "SSDC",
            "FHSS",
            "FDC rbf",
            "GuidedFDC",
        ):
            fit(ALL[name], pairs=values.TRIPLES)


def test_nothing_talks_to_the_network(monkeypatch, tmp_path):
    def refuse(*_):
        raise AssertionError("a socket was opened")

    from fuzzypairs import PairSearchCV, datasets

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    datasets.available()
    model = GuidedFDC(3, n_init=1, random_state=0)
    model.fit(values.POINTS, pairs=values.TRIPLES)
    search = PairSearchCV(FDC(n_init=1), {"n_clusters": [2, 3]}, random_state=0)
    search.fit(values.POINTS, pairs=values.TRIPLES)
    save(model, tmp_path / "m.skops")
    load(tmp_path / "m.skops")
    from commands import DATA, PAIRS, put, run

    put(tmp_path / "d.csv", DATA)
    put(tmp_path / "p.csv", PAIRS)
    done = run(
        "fit", tmp_path / "d.csv", "--pairs", tmp_path / "p.csv", "--clusters", 2,
        "--id", "id", "--out", tmp_path / "out", "--jobs", 1,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
