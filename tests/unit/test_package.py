"""Public names of the package, and what importing them loads."""

import subprocess
import sys

import pytest

import fuzzypairs


@pytest.mark.parametrize("name", fuzzypairs.__all__)
def test_every_public_name_is_there(name):
    assert getattr(fuzzypairs, name) is not None


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        _ = fuzzypairs.KMeans


def test_a_euclidean_fit_imports_no_other_method():
    code = (
        "import sys; from fuzzypairs import FDC; "
        "FDC(1, n_init=1).fit([[0.0], [1.0]]); "
        "print([m for m in ('sklearn.kernel_approximation', 'matplotlib', 'skops', "
        "'fuzzypairs.baselines.dsc') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
