"""Docstrings of public names: the parameters are those of the signature, in order."""

import dataclasses
import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest

import fuzzypairs
from fuzzypairs import PairSet

MODULES = ["", ".criteria", ".datasets", ".distributed", ".plots", ".report"]
# Parameters of fits that have, between them, all attributes of an estimator.
OPTIONS = {
    "FDC": [{"propagate": True}, {"robust": True}],
    "PairSearchCV": [
        {"estimator": fuzzypairs.FDC(random_state=0), "param_grid": {"n_clusters": [2]}}
    ],
}
ESTIMATORS = [
    name for name in fuzzypairs.__all__ if hasattr(getattr(fuzzypairs, name), "fit")
]


def entries(thing, section):
    """Return the names documented in a section of a numpydoc docstring, in order."""
    names, inside = [], False
    lines = (inspect.getdoc(thing) or "").splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch(r"-{3,}", below):
            inside = line == section
        elif inside and line and line[0] not in " -":
            names += line.split(" : ")[0].split(", ")
    return names


def parameters(thing):
    """Return the parameters of a signature as numpydoc writes them."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(parameter.kind, "") + name
        for name, parameter in inspect.signature(thing).parameters.items()
        if name != "self"
    ]


def methods(thing):
    """Yield the public methods that this package defines, by name."""
    for name, member in inspect.getmembers(thing, callable):
        is_ours = str(getattr(member, "__module__", "")).startswith("fuzzypairs")
        if is_ours and not name.startswith("_"):
            yield name, member


def public():
    """Yield every public function, class and method with its full name."""
    for suffix in MODULES:
        module = importlib.import_module(f"fuzzypairs{suffix}")
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing):
                continue
            yield pytest.param(thing, id=f"fuzzypairs{suffix}.{name}")
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                for method, member in methods(thing):
                    yield pytest.param(member, id=f"{name}.{method}")


def is_record(thing):
    """Tell whether users read instances of a class rather than make them."""
    is_tuple = inspect.isclass(thing) and issubclass(thing, tuple)
    return is_tuple or dataclasses.is_dataclass(thing)


@pytest.fixture(scope="module")
def data():
    """Two groups of named features, and judgements of both kinds."""
    y = np.repeat([0, 1], 20)
    X = np.random.default_rng(0).normal(size=(40, 2)) + 4 * y[:, None]
    pairs = PairSet.from_labels(y, n_pairs=30, random_state=0)
    return pd.DataFrame(X, columns=["a", "b"]), pairs


@pytest.mark.parametrize("thing", list(public()))
def test_documented_parameters_are_those_of_the_signature(thing):
    documented = entries(thing, "Parameters")
    if is_record(thing) and not documented:
        documented = entries(thing, "Attributes")
    assert documented == parameters(thing)


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_documented_attributes_are_those_of_a_fit(name, data):
    X, pairs = data
    estimator = getattr(fuzzypairs, name)
    documented = entries(estimator, "Attributes")
    fits = [
        estimator(**options).fit(X, pairs=pairs) for options in OPTIONS.get(name, [{}])
    ]
    missing = [d for d in documented if not any(hasattr(model, d) for model in fits)]
    assert missing == []
    stored = {key for model in fits for key in vars(model) if key.endswith("_")}
    assert sorted(stored - set(documented)) == []


def test_the_parser_reads_names_stars_and_lists():
    def example(a, b, *rest, c=1, **more):
        """Do it.

        Parameters
        ----------
        a, b : int
            Both.
        *rest : str
        c
            Not : a name.
        **more : Any

        Returns
        -------
        d : int
        """

    expected = ["a", "b", "*rest", "c", "**more"]
    assert entries(example, "Parameters") == parameters(example) == expected
    assert entries(example, "Returns") == ["d"]
    assert entries(example, "Notes") == []
