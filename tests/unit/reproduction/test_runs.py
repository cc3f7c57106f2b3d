"""Scores of runs, and their lines, also after a kill."""

import warnings

import numpy as np
import pytest

from fuzzypairs import criteria
from fuzzypairs.datasets import available
from fuzzypairs.reproduction.data import FACES, load_benchmark
from fuzzypairs.reproduction.methods import fit_method
from fuzzypairs.reproduction.runs import EXAMPLES, Run, Runs, perform

POINT = (("alpha", 0.02), ("beta", 4.0))
# What fuzzy c-means finds in the paper, which it prints for PCCA, too.
CELLS = {
    "wine": (94.87, 87.59),
    "seeds": (88.62, 72.75),
    "soybean": (68.35, 41.25),
    "dermatology": (66.13, 51.21),
}
ONE = Run("wine", "iv", 0, "fdc", (("alpha", 0.02), ("beta", 0.5)), last=4)
OTHER = Run("wine", "i", 0, "fdc", (("alpha", 0.02), ("beta", 0.5)), last=4)
RESULT = {"nari": [0.123456, 1.0], "clusters": [3, 2]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.jsonl"


def test_lines_are_read_again(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        assert len(path.read_bytes().splitlines()) == 1  # before it is closed
    with Runs(path) as again:
        assert again.results == {ONE: RESULT}


def test_sorted_lines_do_not_depend_on_the_order(tmp_path):
    written = []
    for number, order in enumerate([(ONE, OTHER), (OTHER, ONE)]):
        file = tmp_path / f"{number}.jsonl"
        with Runs(file) as runs:
            for run in order:
                runs.add(run, RESULT)
            runs.sort()
        written.append(file.read_bytes())
    assert written[0] == written[1]
    assert written[0].index(b'"group":"i"') < written[0].index(b'"group":"iv"')


def test_an_incomplete_last_line_is_dropped(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        runs.add(OTHER, RESULT)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in (first, first + 1, first + 40, len(whole) - 1):
        path.write_bytes(whole[:length])
        with Runs(path) as again:
            assert set(again.results) == {ONE}
            again.add(OTHER, RESULT)
        assert path.read_bytes() == whole


def test_damage_elsewhere_is_told(path):
    path.write_bytes(b'{"dataset": 3}\n')
    with pytest.raises(ValueError, match=r"line 1 of .* is not a run .* --force"):
        Runs(path)


def test_other_versions_are_other_runs(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        fields = ONE.as_dict() | {"version": "0.0.0"}
        assert Run.from_dict(fields) not in runs.results


def need(name):
    if name not in available():
        pytest.skip(f"{name} is not on this machine: set FUZZYPAIRS_DATA")


def test_each_start_is_scored():
    wine = load_benchmark("wine", "iv", 0)
    found = perform(Run("wine", "iv", 0, "fdc", POINT, first=3, last=5))
    for place, start in enumerate((3, 4)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = fit_method("fdc", wine, wine.pairs, POINT, start).labels_
        wanted = {
            "nari": criteria.normalized_ari(wine.classes, labels),
            "nmi": criteria.nmi(wine.classes, labels),
            "clusters": len(set(labels)),
        }
        scores = {name: values[place] for name, values in found.items()}
        assert scores == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("name", sorted(CELLS))
@pytest.mark.parametrize("method", ["fcm", "pcca"])
def test_printed_cells(name, method):
    need(name)
    run = Run(name, "", 0, "fcm", last=2)
    if method == "pcca":
        run = Run(name, "iv", 0, "pcca", (("beta", 2.0**-8),), last=2)
    found = perform(run)
    for key, value in zip(("nari", "nmi"), CELLS[name], strict=True):
        assert 100 * np.mean(found[key]) == pytest.approx(value, abs=0.01)


def test_held_out_judgements_are_asked_of_fits_without_them():
    found = perform(Run("wine", "i", 0, "fdc", POINT, held_out=True, last=2))
    assert set(found) == {"agreement"}
    assert all(0 <= value <= 1 for value in found["agreement"])
    # All judgements of group (i) are false: held-out ones are broken where the
    # clusters are good, however well the fit holds those that it was given.
    fitted = perform(Run("wine", "i", 0, "fdc", POINT, last=2))
    assert np.mean(found["agreement"]) < 0.5
    assert np.mean(fitted["nari"]) > 0.9


def test_what_cannot_be_held_in_memory_is_refused(monkeypatch):
    def fit(self, X, pairs=None):
        raise MemoryError("would take 9 GB")

    monkeypatch.setattr("fuzzypairs.SSDC.fit", fit)
    assert perform(Run("wine", "iv", 0, "ssdc")) == {"refused": "would take 9 GB"}


@pytest.mark.parametrize("method", ["ssdc", "dsc", "fhss", "fdc-rbf"])
def test_other_methods_score(method):
    point = (("mu", 0.06), ("alpha", 0.0), ("beta", 1.0)) if "rbf" in method else ()
    found = perform(Run("wine", "iv", 0, method, point))
    assert set(found) == {"nari", "nmi", "clusters"}
    assert 0.4 < found["nari"][0] <= 1


def test_faces_keep_what_their_tables_need():
    need(FACES)
    point = (("alpha", 0.0), ("beta", 2.0**-8))
    found = perform(Run(FACES, "v", 0, "fdc", point))
    assert np.shape(found["examples"][0]) == (len(EXAMPLES), 5)
    assert len(found["lia"][0]) == 5
    assert found["lia"][0][0] == pytest.approx(found["acc"][0])
    assert 0 < found["mahd"][0] < 1
    assert "mahd" not in perform(Run(FACES, "v", 0, "ssdc"))
