"""Bad input to public names: the right error, and a message that names the argument."""

import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from fuzzypairs import FDC, PairSet, load, save
from fuzzypairs.exceptions import ModelFileError, PairsError

NAN, INF = float("nan"), float("inf")
X = np.array([[0.0, 1.0], [1.0, 0.0], [8.0, 9.0], [9.0, 8.0]])
GOOD = PairSet.from_triples([(0, 1, 0.5), (2, 3, 0.5), (0, 3, -0.5)], 4)


def with_entry(value, dtype=np.float64):
    data = X.astype(dtype)
    data[1, 1] = value
    return data


def frame(names=("a", "b"), rows=X):
    return pd.DataFrame(rows, columns=list(names))


def triples(i=0, j=1, grade=0.5):
    return [(2, 3, 0.5), (i, j, grade)]


def memberships(row=(0.5, 0.5)):
    return [(1.0, 0.0), (0.9, 0.1), row, (0.0, 1.0)]


def fails(*args):
    raise ZeroDivisionError("init broke")


# Parameters of FDC: name, wrong values with their error.
PARAMETERS = {
    "n_clusters": {TypeError: [2.0, "2", None, True, [2]], ValueError: [0, -1]},
    "alpha": {TypeError: [None, True, [0.1], 0.1j], ValueError: [-0.1, 1, NAN, "low"]},
    "beta": {TypeError: [None, False, [1.0]], ValueError: [-1, NAN, INF, "high"]},
    "fuzzifier": {TypeError: ["2", None, True], ValueError: [0.5, 1.0, 10.5, NAN, INF]},
    "metric": {ValueError: ["chebyshev", None, 2]},
    "metric_params": {ValueError: [{"p": 3}], TypeError: ["p"]},
    "init": {ValueError: ["kmeans", "", None, 3, {}, [], object()]},
    "n_init": {TypeError: [1.0, "auto", None, True], ValueError: [0]},
    "max_iter": {TypeError: [10.0, "10", None, True], ValueError: [0, -5]},
    "tol": {TypeError: ["small", None, True], ValueError: [-1e-4, NAN, INF]},
    "group_solver": {ValueError: ["scip", None, True]},
    "random_state": {ValueError: ["seed", -1, 0.5, np.random.default_rng(0)]},
    "n_jobs": {ValueError: [0, "2", 1.5, True]},
    "verbose": {TypeError: ["yes", None, 1.0], ValueError: [-1]},
}

# What else goes to fit: id, arguments of fit and FDC, error, word in its message.
FITS = [
    ("X 1-D", {"X": X[0]}, ValueError, "2D array"),
    ("X 3-D", {"X": X[None]}, ValueError, "dim 3"),
    ("X a number", {"X": 5.0}, ValueError, "2D array"),
    ("X None", {"X": None}, ValueError, "2D array"),
    ("X no rows", {"X": X[:0]}, ValueError, "0 sample(s)"),
    ("X no columns", {"X": X[:, :0]}, ValueError, "0 feature(s)"),
    ("X NaN", {"X": with_entry(NAN)}, ValueError, "X contains NaN"),
    ("X inf", {"X": with_entry(INF)}, ValueError, "X contains infinity"),
    ("X float32 inf", {"X": with_entry(-INF, np.float32)}, ValueError, "infinity"),
    ("X strings", {"X": [["a", "b"], ["c", "d"]]}, ValueError, "'a'"),
    (
        "X sparse",
        {"X": sparse.csr_array(X), "metric": "manhattan"},
        TypeError,
        "Sparse data",
    ),
    ("X complex", {"X": X + 1j}, ValueError, "Complex data"),
    ("X objects", {"X": with_entry(object(), object)}, TypeError, "object"),
    ("X None inside", {"X": with_entry(None, object)}, ValueError, "NaN"),
    ("X too large", {"X": 1e151 * X}, ValueError, "X reaches 9e+151"),
    ("X too small", {"X": 1e-152 * X}, ValueError, "X reaches 9e-152"),
    ("X ragged", {"X": [[1.0, 2.0], [3.0]]}, ValueError, "inhomogeneous"),
    ("X names of two kinds", {"X": frame(("a", 0))}, TypeError, "string names"),
    ("pair with itself", {"pairs": triples(1, 1)}, PairsError, "pairs[1]"),
    ("pair out of range", {"pairs": triples(0, 4)}, PairsError, "pairs[1]"),
    ("pair negative", {"pairs": triples(-1, 1)}, PairsError, "pairs[1]"),
    ("pair NaN row", {"pairs": triples(NAN, 1)}, PairsError, "pairs[1]"),
    ("pair half row", {"pairs": triples(0.5, 1)}, PairsError, "pairs[1]"),
    ("pair bool row", {"pairs": triples(True, 2)}, PairsError, "pairs[1]"),
    ("pair text row", {"pairs": triples("0", 1)}, PairsError, "pairs[1]"),
    ("pair None row", {"pairs": triples(None, 1)}, PairsError, "pairs[1]"),
    ("grade NaN", {"pairs": triples(grade=NAN)}, PairsError, "pairs[1]"),
    ("grade inf", {"pairs": triples(grade=-INF)}, PairsError, "pairs[1]"),
    ("grade above 1", {"pairs": triples(grade=1.001)}, PairsError, "pairs[1]"),
    ("grade below -1", {"pairs": triples(grade=-2)}, PairsError, "pairs[1]"),
    ("grade bool", {"pairs": triples(grade=True)}, PairsError, "pairs[1]"),
    ("grade text", {"pairs": triples(grade="alike")}, PairsError, "pairs[1]"),
    ("grade None", {"pairs": triples(grade=None)}, PairsError, "pairs[1]"),
    ("grade complex", {"pairs": triples(grade=1j)}, PairsError, "pairs[1]"),
    ("pairs of two", {"pairs": [(0, 1)]}, PairsError, "pairs[0]"),
    ("pairs of four", {"pairs": [(0, 1, 1, 1)]}, PairsError, "pairs[0]"),
    ("pairs flat", {"pairs": [0, 1, 0.5]}, PairsError, "pairs[0]"),
    ("pairs array of two", {"pairs": np.zeros((5, 2))}, PairsError, "pairs has shape"),
    ("pairs array 1-D", {"pairs": np.zeros(3)}, PairsError, "pairs has shape"),
    ("pairs array 3-D", {"pairs": np.zeros((2, 3, 3))}, PairsError, "pairs has shape"),
    ("pairs square", {"pairs": GOOD.to_sparse().toarray()}, PairsError, "pairs has"),
    ("pairs bool array", {"pairs": np.ones((1, 3), bool)}, PairsError, "pairs[0]"),
    ("pairs of other data", {"pairs": PairSet.empty(5)}, PairsError, "pairs is about"),
    ("pairs frame", {"pairs": frame(("i", "j"))}, PairsError, "pairs has the columns"),
    ("pairs frame of ids", {"pairs": frame(("a", "b"))}, PairsError, "pairs has the"),
    ("pairs sparse shape", {"pairs": sparse.eye_array(5)}, PairsError, "pairs is a sp"),
    ("pairs sparse wide", {"pairs": sparse.eye_array(4, 3)}, PairsError, "pairs is a"),
    ("pairs sparse diag", {"pairs": sparse.eye_array(4)}, PairsError, "pairs[0]"),
    ("pairs dict", {"pairs": {(0, 1): 0.5}}, PairsError, "pairs is {"),
    ("pairs dict by name", {"pairs": {"i": [0], "j": [1]}}, PairsError, "pairs is {"),
    ("pairs number", {"pairs": 3}, PairsError, "pairs is 3"),
    ("pairs bool", {"pairs": True}, PairsError, "pairs is True"),
    ("pairs text", {"pairs": "pairs.csv"}, PairsError, "pairs is 'pairs.csv'"),
    ("weights short", {"sample_weight": [1, 1]}, ValueError, "sample_weight"),
    ("weights none", {"sample_weight": []}, ValueError, "sample_weight"),
    ("weights negative", {"sample_weight": [1, -1, 1, 1]}, ValueError, "weight[1]"),
    ("weights NaN", {"sample_weight": [1, 1, NAN, 1]}, ValueError, "sample_weight[2]"),
    ("weights inf", {"sample_weight": [1, 1, 1, INF]}, ValueError, "sample_weight[3]"),
    ("weights all zero", {"sample_weight": [0] * 4}, ValueError, "sample_weight"),
    ("weights 2-D", {"sample_weight": np.ones((4, 1))}, ValueError, "sample_weight"),
    ("weights text", {"sample_weight": list("abcd")}, ValueError, "sample_weight"),
    ("weights one text", {"sample_weight": "heavy"}, ValueError, "sample_weight"),
    ("weights complex", {"sample_weight": [1j] * 4}, ValueError, "sample_weight"),
    ("weights dict", {"sample_weight": {0: 1}}, ValueError, "sample_weight"),
    ("init short", {"init": [0, 1]}, ValueError, "init has 2 labels"),
    ("init label -1", {"init": [0, 1, -1, 0]}, ValueError, "init[2]"),
    ("init label too high", {"init": [0, 1, 2, 0]}, ValueError, "init[2]"),
    ("init label half", {"init": [0, 0.5, 1, 0]}, ValueError, "init[1]"),
    ("init label NaN", {"init": [0, NAN, 1, 0]}, ValueError, "init[1]"),
    ("init labels text", {"init": list("aabb")}, ValueError, "init is a list"),
    ("init labels objects", {"init": [0, None, 1, 0]}, ValueError, "init is a list"),
    ("init centers", {"init": X[:2]}, ValueError, "init has shape"),
    ("init three columns", {"init": np.full((4, 3), 1 / 3)}, ValueError, "init has"),
    ("init 3-D", {"init": np.zeros((4, 2, 1))}, ValueError, "init is a ndarray"),
    ("init sum", {"init": memberships((0.5, 0.4))}, ValueError, "init[2] sums"),
    ("init negative", {"init": memberships((1.5, -0.5))}, ValueError, "init[2, 1]"),
    ("init NaN", {"init": memberships((NAN, 1.0))}, ValueError, "init[2, 0]"),
    ("init ragged", {"init": [[1.0, 0.0], [1.0]]}, ValueError, "init is a list"),
    ("init sparse", {"init": sparse.csr_array(X)}, ValueError, "init is a csr_array"),
    ("init returns None", {"init": lambda *_: None}, ValueError, "init()"),
    ("init returns few", {"init": lambda *_: [0]}, ValueError, "init()"),
    ("init takes nothing", {"init": lambda: [0, 0, 1, 1]}, TypeError, "arguments"),
    ("init fails", {"init": fails}, ZeroDivisionError, "init broke"),
]

FITTED = FDC(n_clusters=2, random_state=0).fit(X)
MANHATTAN = FDC(n_clusters=2, metric="manhattan", random_state=0).fit(X)
NAMED = FDC(n_clusters=2, random_state=0).fit(frame())

# Calls after fit, and of PairSet: id, call, error, word in its message.
CALLS = [
    ("predict unfitted", lambda: FDC().predict(X), NotFittedError, "FDC"),
    ("predict_proba unfitted", lambda: FDC().predict_proba(X), NotFittedError, "FDC"),
    ("transform unfitted", lambda: FDC().transform(X), NotFittedError, "FDC"),
    ("score unfitted", lambda: FDC().score(X), NotFittedError, "FDC"),
    ("predict narrow", lambda: FITTED.predict(X[:, :1]), ValueError, "X has 1 feat"),
    ("proba wide", lambda: FITTED.predict_proba(np.ones((1, 3))), ValueError, "X has"),
    ("predict 1-D", lambda: FITTED.predict(X[0]), ValueError, "2D array"),
    ("predict NaN", lambda: FITTED.predict(with_entry(NAN)), ValueError, "X contains"),
    ("predict too far", lambda: FITTED.predict([X[0], [1e200, 0]]), ValueError, "X[1]"),
    ("predict no rows", lambda: FITTED.predict(X[:0]), ValueError, "0 sample(s)"),
    (
        "transform sparse",
        lambda: MANHATTAN.transform(sparse.csr_array(X)),
        TypeError,
        "Sparse",
    ),
    ("names differ", lambda: NAMED.predict(frame("ac")), ValueError, "feature names"),
    ("names swapped", lambda: NAMED.predict(frame("ba")), ValueError, "feature names"),
    (
        "score pairs outside",
        lambda: FITTED.score(X, pairs=[(0, 9, 1)]),
        PairsError,
        "pairs[0]",
    ),
    (
        "score pairs of other data",
        lambda: FITTED.score(X[:3], pairs=GOOD),
        PairsError,
        "pairs is about",
    ),
    ("score pairs number", lambda: FITTED.score(X, pairs=1), PairsError, "pairs is 1"),
    (
        "score weights short",
        lambda: FITTED.score(X, sample_weight=[1]),
        ValueError,
        "sample_weight",
    ),
    (
        "score weights negative",
        lambda: FITTED.score(X, sample_weight=[1, 1, 1, -1]),
        ValueError,
        "sample_weight[3]",
    ),
    ("unknown parameter", lambda: FDC().set_params(gamma=1), ValueError, "gamma"),
    ("columns differ", lambda: PairSet([0, 1], [2], [1]), PairsError, "j has 1"),
    ("grades differ", lambda: PairSet([0], [2], [1, 1]), PairsError, "grade has 2"),
    ("column 2-D", lambda: PairSet([0], [1], np.ones((1, 1))), PairsError, "shape"),
    ("column a number", lambda: PairSet(0, 1, 0.5), PairsError, "pairs"),
    ("n_samples low", lambda: PairSet([0], [3], [1], 3), PairsError, "3 rows"),
    ("n_samples half", lambda: PairSet([0], [1], [1], 2.5), PairsError, "n_samples"),
    ("n_samples text", lambda: PairSet([0], [1], [1], "4"), PairsError, "n_samples"),
    ("n_samples bool", lambda: PairSet([], [], [], True), PairsError, "n_samples"),
    ("n_samples negative", lambda: PairSet.empty(-1), PairsError, "n_samples"),
    ("restrict mask", lambda: GOOD.restrict([True, False]), PairsError, "rows is a"),
    ("restrict twice", lambda: GOOD.restrict([0, 1, 0]), PairsError, "rows[0]"),
    ("restrict outside", lambda: GOOD.restrict([0, 4]), PairsError, "rows[1]"),
    ("restrict negative", lambda: GOOD.restrict([-1]), PairsError, "rows[0]"),
    ("restrict half", lambda: GOOD.restrict([0.5]), PairsError, "rows[0]"),
    ("restrict text", lambda: GOOD.restrict(["0"]), PairsError, "rows[0]"),
    ("restrict a number", lambda: GOOD.restrict(2), PairsError, "rows"),
    ("restrict 2-D", lambda: GOOD.restrict([[0, 1]]), PairsError, "rows"),
    ("split many", lambda: GOOD.split(4), PairsError, "n_folds"),
    ("split one", lambda: GOOD.split(1), PairsError, "n_folds"),
    ("split half", lambda: GOOD.split(2.5), PairsError, "n_folds"),
    ("split text", lambda: GOOD.split("2"), PairsError, "n_folds"),
    ("split none", lambda: PairSet.empty(4).split(2), PairsError, "n_folds"),
    ("concat sizes", lambda: GOOD.concat(PairSet.empty(5)), PairsError, "n_samples"),
    ("concat list", lambda: GOOD.concat([(0, 1, 1)]), PairsError, "PairSet"),
    ("add number", lambda: GOOD + 1, TypeError, "PairSet"),
    (
        "must outside",
        lambda: PairSet.from_must_cannot([(0, 9)], [], 4),
        PairsError,
        "must[0]",
    ),
    (
        "must of three",
        lambda: PairSet.from_must_cannot([(0, 1, 2)]),
        PairsError,
        "must",
    ),
    (
        "cannot with itself",
        lambda: PairSet.from_must_cannot([], [(2, 2)]),
        PairsError,
        "cannot[0]",
    ),
    (
        "strength zero",
        lambda: PairSet.from_must_cannot([(0, 1)], grade=0),
        PairsError,
        "grade",
    ),
    (
        "strength NaN",
        lambda: PairSet.from_must_cannot([(0, 1)], grade=NAN),
        PairsError,
        "grade",
    ),
    (
        "strength text",
        lambda: PairSet.from_must_cannot([(0, 1)], grade="1"),
        PairsError,
        "grade",
    ),
    ("labels 2-D", lambda: PairSet.from_labels(X, n_pairs=1), PairsError, "labels has"),
    (
        "labels NaN",
        lambda: PairSet.from_labels([0, NAN], n_pairs=1),
        PairsError,
        "labels[1]",
    ),
    (
        "labels alone",
        lambda: PairSet.from_labels([0, 1]),
        PairsError,
        "n_pairs",
    ),
    (
        "n_pairs many",
        lambda: PairSet.from_labels([0, 1], n_pairs=2),
        PairsError,
        "n_pairs",
    ),
    (
        "n_pairs half",
        lambda: PairSet.from_labels([0, 1, 1], n_pairs=1.5),
        PairsError,
        "n_pairs",
    ),
    (
        "memberships sum",
        lambda: PairSet.from_memberships(X, n_pairs=1),
        PairsError,
        "memberships[2]",
    ),
    (
        "memberships text",
        lambda: PairSet.from_memberships([["a", "b"]], n_pairs=0),
        PairsError,
        "memberships",
    ),
    (
        "sign unknown",
        lambda: PairSet.from_memberships(np.eye(2), n_pairs=1, sign="max"),
        PairsError,
        "sign",
    ),
    (
        "form unknown",
        lambda: PairSet.from_memberships(np.eye(2), n_pairs=1, form="l1"),
        PairsError,
        "form",
    ),
    (
        "ids without data",
        lambda: PairSet.from_frame(frame(), id_column="name"),
        PairsError,
        "id_column",
    ),
    (
        "frame a list",
        lambda: PairSet.from_frame([(0, 1, 1)]),
        PairsError,
        "frame is a list",
    ),
    (
        "sparse a list",
        lambda: PairSet.from_sparse([[0, 1], [1, 0]]),
        PairsError,
        "matrix is a list",
    ),
]


BAD_PARAMETERS = [
    pytest.param(name, value, error, id=f"{name} {value!r}".split(" at 0x")[0][:40])
    for name, by_error in PARAMETERS.items()
    for error, values in by_error.items()
    for value in values
]


def check(caught, error, word):
    assert type(caught.value) is error
    assert word in str(caught.value)


def assert_unchanged(model, before):
    assert set(vars(model)) == set(before)
    assert [name for name in before if vars(model)[name] is not before[name]] == []


def attempt(arguments, error, word):
    """Fit, catch, and see that the model is as it was."""
    data = {"X": X, "pairs": None, "sample_weight": None}
    given = {name: arguments.get(name, value) for name, value in data.items()}
    params = {name: v for name, v in arguments.items() if name not in data}
    model = FDC(**{"n_clusters": 2, "random_state": 0} | params)
    before = dict(vars(model))
    with pytest.raises(error) as caught:
        model.fit(**given)
    check(caught, error, word)
    assert_unchanged(model, before)


@pytest.mark.parametrize(("name", "value", "error"), BAD_PARAMETERS)
def test_parameters(name, value, error):
    attempt({name: value}, error, name)


@pytest.mark.parametrize(
    ("arguments", "error", "word"), [pytest.param(*c[1:], id=c[0]) for c in FITS]
)
def test_fit(arguments, error, word):
    attempt(arguments, error, word)


@pytest.mark.parametrize(
    ("call", "error", "word"), [pytest.param(*c[1:], id=c[0]) for c in CALLS]
)
def test_calls(call, error, word):
    with pytest.raises(error) as caught:
        call()
    check(caught, error, word)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": [(0, 9, 1)]},
        {"sample_weight": [1, 2]},
        {"X": np.ones((3, 5)), "pairs": [(0, 3, 1)]},
        {"X": frame("pq", X), "pairs": [(0, 4, 1)]},
    ],
    ids=["pairs", "weights", "more columns", "other names"],
)
def test_a_failed_fit_leaves_the_last_one_alone(wrong):
    model = clone(NAMED).fit(frame())
    before, labels = dict(vars(model)), model.predict(frame())
    with pytest.raises(ValueError, match=r"pairs|sample_weight"):
        model.fit(**({"X": X} | wrong))
    assert_unchanged(model, before)
    np.testing.assert_array_equal(model.predict(frame()), labels)


def empty_file(path):
    path.write_bytes(b"")


def text_file(path):
    path.write_text("i,j,grade\n0,1,1\n")


def pickle_file(path):
    path.write_bytes(pickle.dumps([1, 2]))


def foreign_archive(path):
    with zipfile.ZipFile(path, "w") as members:
        members.writestr("readme.txt", "nothing here")


def cut_model(path):
    save(FITTED, path)
    path.write_bytes(path.read_bytes()[:-40])


FILES = [
    (lambda path: None, FileNotFoundError),
    (lambda path: path.mkdir(), ModelFileError),
    (empty_file, ModelFileError),
    (text_file, ModelFileError),
    (pickle_file, ModelFileError),
    (foreign_archive, ModelFileError),
    (cut_model, ModelFileError),
]


@pytest.mark.parametrize(
    ("write", "error"),
    FILES,
    ids=["missing", "folder", "empty", "text", "pickle", "archive", "cut"],
)
def test_files_that_are_no_models(write, error, tmp_path):
    pytest.importorskip("skops", reason="model files are an extra")
    path = tmp_path / "model.skops"
    write(path)
    with pytest.raises(error) as caught:
        load(path)
    check(caught, error, "model.skops")


@pytest.mark.parametrize(
    ("model", "name", "error", "word"),
    [
        (FITTED, "", IsADirectoryError, "directory"),
        (FITTED, "no/such/model.skops", FileNotFoundError, "folder"),
        ({"a": 1}, "model.skops", TypeError, "model"),
        (FDC(init=lambda *_: [0]), "model.skops", TypeError, "model"),
    ],
    ids=["folder", "no folder", "dict", "lambda inside"],
)
def test_what_cannot_be_saved(model, name, error, word, tmp_path):
    pytest.importorskip("skops", reason="model files are an extra")
    with pytest.raises(error) as caught:
        save(model, tmp_path / name)
    check(caught, error, word)
    assert list(tmp_path.iterdir()) == []
