"""A fit is a path that a reader can follow: few functions in few files."""

import sys
from pathlib import Path

from sklearn.datasets import load_iris

import fuzzypairs
from fuzzypairs import FDC

PACKAGE = str(Path(fuzzypairs.__file__).parent)
MOST_FUNCTIONS = 64
MOST_FILES = 14


def called_in(run):
    """The code of the package that a call runs, comprehensions included."""
    seen = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            seen.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return seen


def test_every_called_function_is_counted_once():
    seen = called_in(lambda: [FDC(2), FDC(3)])
    assert [code.co_qualname for code in seen] == ["FDC.__init__"]


def test_a_fit_with_judgements_takes_few_functions_in_few_files():
    X, pairs = load_iris().data, [(0, 1, 0.8), (0, 60, -0.7), (60, 61, 0.5)]
    FDC(3, random_state=0).fit(X, pairs=pairs)  # imports, and finds out about BLAS
    seen = called_in(lambda: FDC(3, random_state=0).fit(X, pairs=pairs))
    names = sorted(f"{Path(c.co_filename).name}: {c.co_qualname}" for c in seen)
    assert len(names) <= MOST_FUNCTIONS, names
    assert len({code.co_filename for code in seen}) <= MOST_FILES, names
