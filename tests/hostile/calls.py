"""Hostile calls of public functions, and of methods after a fit."""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzzypairs import FDC, GuidedFDC, PairSet, criteria, datasets, load, plots, save
from fuzzypairs.active import Questions, Session
from fuzzypairs.pairs.propagation import propagate
from fuzzypairs.report import Section, Table, write_report
from fuzzypairs.selection.comparison import compare
from hostile import values
from hostile.outcomes import Case

X, LABELS = values.POINTS, values.LABELS
U = 0.7 * np.eye(3)[LABELS] + 0.1
CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
PAIRS = PairSet.from_triples(values.TRIPLES, 24)
TABLE = pd.DataFrame({"name": [f"r{n}" for n in range(24)], "x": X[:, 0]})
JUDGED = pd.DataFrame({"a": ["r0", "r3"], "b": ["r1", "r9"], "grade": [0.5, -0.5]})


def ask(**arguments: Any) -> PairSet:
    """A session with two answers."""
    session = Session(**arguments)
    for question in session.pop(2):
        session.mark(question.i, question.j, 0.5)
    return session.pairs


def mark(i: Any = 0, j: Any = 1, grade: Any = 0.5) -> PairSet:
    session = Session(X, 3, refit_every=0)
    session.mark(i, j, grade)
    return session.pairs


def question(X: Any, repeats: Any = 0.1, **arguments: Any) -> None:
    Questions(X, repeats=repeats, **arguments).pop(2)


def told(
    i: Any = 0, j: Any = 1, grade: Any = 0.5, memberships: Any = U, rows: Any = (5,),
    n: Any = 2,
) -> PairSet:  # fmt: skip
    """Questions with an answer and a model."""
    questions = Questions(X, 3)
    questions.mark(i, j, grade)
    questions.inform(memberships)
    questions.leave_out(rows)
    questions.pop(n)
    questions.take_back(i, j)
    return questions.pairs


def page(title: Any = "", sections: Any = (), banner: Any = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write_report(path, title=title, lead="", sections=sections, banner=banner)


def split(n_folds: Any = 2, random_state: Any = 0, whole_groups: Any = True) -> Any:
    folds = PAIRS.split(n_folds, random_state, whole_groups=whole_groups)
    return next(iter(folds))[0]


def draw(plot: Callable[..., Any]) -> Callable[..., Any]:
    def drawn(**arguments: Any) -> None:
        plot(**arguments).figure.canvas.draw()

    drawn.__name__ = plot.__name__
    drawn.__signature__ = signature(plot)  # type: ignore[attr-defined]
    return drawn


RESULTS = {"param_k": [2, 3], "mean_test_score": [0.6, 0.8]}
BY_TWO = PairSet([0, 0, 2], [1, 1, 3], [1.0, -1.0, 0.5], judges=["a", "b", "b"])
LABELLED = {"truth": LABELS, "result": LABELS}
SOFT = {"truth": U, "result": U}
# Functions with arguments that they accept.
FUNCTIONS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (criteria.align_clusters, {"reference": U, "memberships": U}),
    (criteria.certainty, {"memberships": U}),
    (criteria.compare_judges, {"pairs": BY_TWO, "judge": "b"}),
    (criteria.fuzzy_silhouette, {"X": X, "memberships": U}),
    (criteria.hungarian_accuracy, LABELLED),
    (criteria.lia, SOFT),
    (criteria.mahd, SOFT),
    (criteria.mahd_chance, {"n_samples": 9, "n_clusters": 2, "n_draws": 3}),
    (criteria.nmi, LABELLED),
    (criteria.normalized_ari, LABELLED),
    (criteria.pair_agreement, {"pairs": PAIRS, "result": LABELS}),
    (criteria.paired_ttest, {"a": [0.1, 0.5, 0.2], "b": [0.2, 0.4, 0.1]}),
    (criteria.pairs_held, {"pairs": PAIRS, "result": LABELS}),
    (criteria.partition_coefficient, {"memberships": U}),
    (criteria.rand_index, LABELLED),
    (criteria.xie_beni, {"X": X, "memberships": U, "centers": CENTERS}),
    (datasets.biased_pairs, {"pairs": PAIRS}),
    (datasets.blur_pairs, {"pairs": PAIRS, "spread": 0.1, "random_state": 0}),
    (datasets.flip_pairs, {"pairs": PAIRS, "rate": 0.1, "random_state": 0}),
    (datasets.describe, {"name": "wine"}),
    (datasets.load, {"name": "wine", "download": False}),
    (
        datasets.pairs_from_memberships,
        {"memberships": U, "random_state": 0, "n_pairs": 5},
    ),
    (datasets.ratings_to_memberships, {"ratings": U}),
    (datasets.simulate_pairs, {"X": X, "y": LABELS, "random_state": 0}),
    (ask, {"X": X, "n_clusters": 3, "pairs": None, "strategy": "auto"}),
    (mark, {}),
    (propagate, {"X": X, "pairs": PAIRS}),
    (compare, {"X": X, "pairs": PAIRS, "n_clusters": 3, "methods": ["FuzzyCMeans"]}),
    (PairSet, {"i": [0], "j": [1], "grade": [0.5]}),
    (PairSet.empty, {"n_samples": 3}),
    (PairSet.coerce, {"pairs": PAIRS, "n_samples": 24}),
    (PairSet.from_triples, {"triples": values.TRIPLES}),
    (PairSet.from_sparse, {"matrix": PAIRS.to_sparse()}),
    (PairSet.from_frame, {"frame": JUDGED, "data": TABLE, "id_column": "name"}),
    (PairSet.from_must_cannot, {"must": [(0, 1)], "cannot": [(1, 2)]}),
    (PairSet.from_labels, {"labels": LABELS, "n_pairs": 5}),
    (PairSet.from_memberships, {"memberships": U, "n_pairs": 5}),
    (PairSet.from_store, {"path": "nothing.db"}),
    (PAIRS.restrict, {"rows": range(10)}),
    (split, {}),
    (draw(plots.plot_feature_weights), {"weights": [0.2, 0.8]}),
    (draw(plots.plot_judgements), {"pairs": PAIRS, "memberships": U}),
    (draw(plots.plot_memberships), {"X": X, "memberships": U}),
    (draw(plots.plot_mixtures), {"memberships": U}),
    (draw(plots.plot_objective), {"history": [3.0, 2.0]}),
    (
        draw(plots.plot_reliability),
        {"probability": np.linspace(0.1, 0.9, 23), "grade": PAIRS.grade},
    ),
    (draw(plots.plot_search), {"results": RESULTS, "parameter": "k"}),
    (plots.new_figure, {"size": (3.0, 2.0)}),
    (question, {"X": X, "n_clusters": 3, "strategy": "auto", "seed": 0}),
    (told, {}),
    (page, {"sections": [Section("Data")]}),
    (Table, {"columns": ["a"], "rows": [["x"]]}),
    (plots.most_mixed, {"memberships": U}),
    (plots.shared_membership, {"pairs": PAIRS, "memberships": U}),
]
# What else stands for an argument in messages.
ALIASES = {
    "grade": ("probability",),
    "id_column": ("data",),
    "path": ("pairs",),
    "n_samples": ("pairs", "must", "cannot"),
    "X": ("y", "memberships"),
    "labels": ("n_pairs",),
    "memberships": ("n_pairs",),
    "must": ("cannot",),
    "cannot": ("must",),
    "centers": ("memberships",),
    "y": ("X", "classes"),
}
# Arguments that are tables or lists, and get those that are wrong as well.
ARRAYS = {"X", "memberships", "reference", "truth", "result", "labels", "ratings", "y"}
PAIR_LISTS = {"pairs", "triples"}
# Functions of users, whose errors are passed on, and what is not checked by design.
LEFT_OUT = {"progress", "criterion", "in_background", "download"}


def of_functions() -> Iterator[Case]:
    for function, good in FUNCTIONS:
        names = [
            name
            for name, parameter in signature(function).parameters.items()
            if parameter.kind is not Parameter.VAR_KEYWORD
        ]
        called = function.__qualname__.split(".<locals>")[0]
        called = function.__name__ if called == "draw" else called
        for name in dict.fromkeys([*names, *good]):
            if name in LEFT_OUT or (called.endswith("from_store") and name != "path"):
                continue
            pool = dict(values.PARAMETERS)
            if name in ARRAYS:
                pool |= {f"X {what}": v for what, v in values.REFUSED_X.items()}
                pool |= {f"X {what}": v for what, v in values.X.items()}
                pool |= values.WRONG_LABELS
            if name in PAIR_LISTS:
                pool |= {f"pairs {what}": v for what, v in values.REFUSED_PAIRS.items()}
                pool |= {f"pairs {what}": v for what, v in values.PAIRS.items()}
            for what, value in pool.items():
                run = partial(call, function, good, name, value)
                words = (name, *ALIASES.get(name, ()))
                yield Case(f"{name}={what}: {called}()", words, run)


def call(function: Any, good: dict[str, Any], name: str, value: Any) -> Any:
    result = function(**{**good, name: value()})
    # Of some, NaN is an answer, and documented.
    is_nan = isinstance(result, float) and np.isnan(result)
    return None if is_nan and "NaN" in (function.__doc__ or "") else result


@cache
def fitted(name: str) -> Any:
    models = {
        "FDC": FDC(3, n_init=1, random_state=0),
        "FDC rbf": FDC(3, metric="rbf", n_init=1, random_state=0),
        "GuidedFDC": GuidedFDC(3, n_init=1, random_state=0),
    }
    return models[name].fit(X, pairs=PAIRS)


def use(model: str, method: str, X: Any) -> Any:
    return getattr(fitted(model), method)(X())


def score(model: str, **arguments: Any) -> Any:
    given = {name: value() for name, value in arguments.items()}
    return fitted(model).score(X, **given)


def stored(path: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        place = path()
        if isinstance(place, str):
            place = Path(folder) / place
        save(fitted("FDC"), place)
        return load(place)


def of_methods() -> Iterator[Case]:
    for model in ("FDC", "FDC rbf", "GuidedFDC"):
        more = ["unguided_proba"] if model == "GuidedFDC" else ["score"]
        for method in ("predict", "predict_proba", "transform", *more):
            for what, value in (*values.REFUSED_X.items(), *values.X.items()):
                run = partial(use, model, method, value)
                refused = what in values.REFUSED_X and what != "no rows"
                yield Case(f"X {what}: {model}.{method}()", ("X",), run, refused)
        if model == "GuidedFDC":
            continue
        for what, value in (*values.REFUSED_PAIRS.items(), *values.PAIRS.items()):
            run = partial(score, model, pairs=value)
            words = ("pairs", "i", "j", "grade")
            yield Case(f"pairs {what}: {model}.score()", words, run)
        for what, value in (*values.REFUSED_WEIGHTS.items(), *values.WEIGHTS.items()):
            run = partial(score, model, sample_weight=value)
            yield Case(f"weight {what}: {model}.score()", ("sample_weight",), run)
    for what, value in values.PARAMETERS.items():
        run = partial(stored, value)
        yield Case(
            f"path={what}: save() and load()", ("path", "folder", "directory"), run
        )
        run = lambda value=value: save(value(), "nothing.skops")  # noqa: E731
        yield Case(f"model={what}: save()", ("model",), run, refused=True)


def of_calls() -> Iterator[Case]:
    yield from of_functions()
    yield from of_methods()
