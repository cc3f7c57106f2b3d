"""A part of the hostile cases; `make hostile` runs all of them."""

import os

from hostile.cases import CASES
from hostile.outcomes import GOOD, Case, outcome
from hostile.workers import run_cases

# Every case whose place leaves this remainder: others in another run.
STEP = int(os.environ.get("FUZZYPAIRS_HOSTILE_STEP", "89"))
OFFSET = int(os.environ.get("FUZZYPAIRS_HOSTILE_OFFSET", "0"))


# One of each kind that once ended otherwise.
MENDED = [
    "X largest: GuidedFDC.predict_proba()",
    "pairs one forbidden to all: DSC",
    "pairs tiny grades: PairSearchCV",
    "pairs polars lazy: GuidedFDC",
    "param_grid=empty list: PairSearchCV",
    "init=raising: PCCA",
    "n_clusters=masked: GuidedFDC",
    "percent=int8: SSDC",
    "step=Fraction: FHSS",
    "max_iter=Fraction: DSC",
    "scale=array: load()",
    "n_jobs=10^400: propagate()",
    "most=largest: propagate()",
    "X=X frame of categories: propagate()",
    "n_samples=sparse: PairSet.coerce()",
    "whole_groups=Series: split()",
    "sign=array: pairs_from_memberships()",
    "X=X scale 1e+300: simulate_pairs()",
    "ratio=float16: simulate_pairs()",
    "spread=-0.0: blur_pairs()",
    "X=X large ints: plot_memberships()",
    "title=sparse: plot_memberships()",
    "--methods '0': fuzzypairs compare",
]


def test_what_an_outcome_is():
    def raise_(error):
        raise error

    cases = {
        "valid": Case("", ("X",), lambda: 1.0),
        "invalid": Case("", ("X",), lambda: float("nan")),
        "accepted": Case("", ("X",), lambda: 1.0, refused=True),
        "named": Case("", ("X",), lambda: raise_(ValueError("X is wrong"))),
        "unnamed": Case("", ("X",), lambda: raise_(ValueError("MAX is wrong"))),
        "wrong error": Case("", ("X",), lambda: raise_(KeyError("X"))),
    }
    assert {kind: outcome(case)[0] for kind, case in cases.items()} == {
        kind: kind for kind in cases
    }


def test_crashes_and_hangs_are_seen(monkeypatch, tmp_path):
    # A worker of its own, whose cases end the process or never end.
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "cases.py").write_text(
        "import os, signal, time\n"
        "from hostile.outcomes import Case\n"
        "def crash(): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "CASES = {'crash': Case('crash', (), crash),"
        " 'hang': Case('hang', (), lambda: time.sleep(60)),"
        " 'fine': Case('fine', (), lambda: None)}\n"
    )
    monkeypatch.setenv("FUZZYPAIRS_CASES", str(folder / "cases.py"))
    found = {v.case: v for v in run_cases(["crash", "hang", "fine"], limit=0.2)}
    assert [v.outcome for v in found.values()] == ["crash", "hang", "valid"]
    assert found["hang"].seconds < 50


def test_there_are_enough_cases():
    assert len(CASES) >= 2000


def test_hostile_cases_end_well():
    names = [*list(CASES)[OFFSET::STEP], *MENDED]
    bad = [v for v in run_cases(names, limit=60) if v.outcome not in GOOD]
    assert bad == []
