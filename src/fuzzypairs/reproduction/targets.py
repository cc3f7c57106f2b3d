"""What each table and figure of the paper needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from fuzzypairs.datasets import describe
from fuzzypairs.reproduction.data import BENCHMARKS, FACE_GROUPS, FACES, GROUPS
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.tuning import TUNINGS, Cell, Tuning

__all__ = [
    "TARGETS",
    "Plan",
    "Target",
    "cell_of",
    "cells",
    "letter_of",
    "make_plan",
    "title_of",
]

_Name = TypeVar("_Name", bound=str)


@dataclass(frozen=True)
class Target:
    """A table or figure of the paper, with all datasets and methods it may have."""

    title: str
    datasets: tuple[str, ...]
    groups: tuple[str, ...]
    methods: tuple[str, ...]
    tunings: tuple[Tuning, ...] = TUNINGS


FUZZY = ("fcm", "pcca", "fdc")
TARGETS = {
    "table2": Target(
        "All methods on the benchmark datasets",
        BENCHMARKS,
        GROUPS,
        ("fcm", "ssdc", "dsc", "fhss", "pcca", "fdc", "fdc-authors"),
    ),
    "fig-alpha": Target(
        "What alpha does to clusters and to NMI",
        ("zoo", "ecoli", "dermatology", "segment", "satimage", "letter"),
        GROUPS,
        ("fdc",),
        ("oracle",),
    ),
    "fig-kernel": Target(
        "A Gaussian kernel against Euclidean distances",
        BENCHMARKS,
        ("iv",),
        ("fdc", "fdc-rbf"),
        ("oracle",),
    ),
    "table-faces": Target(
        "All methods on faces",
        (FACES,),
        FACE_GROUPS,
        ("k-means", "fcm", "ssdc", "dsc", "fhss", "pcca", "fdc", "fdc-authors"),
    ),
    "table-mahd": Target(
        "Minimal average Hamming distance on faces", (FACES,), FACE_GROUPS, FUZZY
    ),
    "fig-lia": Target(
        "Largest index assignment on faces", (FACES,), FACE_GROUPS, FUZZY
    ),
    "table-examples": Target("Memberships of some faces", (FACES,), ("v",), FUZZY),
}


@dataclass(frozen=True)
class Plan:
    """The part of a target that is asked for.

    Attributes
    ----------
    target : str
        A name in `TARGETS`.
    datasets, groups, methods : tuple of str
        In the order of the paper.
    tunings : tuple of str
        Of "oracle" and "fair".
    n_starts, n_draws : int
        Starts of each method that starts at random, and draws of judgements.
    """

    target: str
    datasets: tuple[str, ...]
    groups: tuple[str, ...]
    methods: tuple[str, ...]
    tunings: tuple[Tuning, ...] = TUNINGS
    n_starts: int = 20
    n_draws: int = 1


def make_plan(
    target: str,
    *,
    datasets: Sequence[str] = (),
    groups: Sequence[str] = (),
    methods: Sequence[str] = (),
    tunings: Sequence[str] = (),
    n_starts: int = 20,
    n_draws: int = 1,
) -> Plan:
    """Return a plan for a target, by default for all of it.

    Names may be in small or capital letters, in any order. Those that are not part of
    the target are an error.

    Examples
    --------
    >>> from fuzzypairs.reproduction.targets import make_plan
    >>> make_plan("table2", datasets=["seeds", "wine"], methods=["FDC"]).datasets
    ('wine', 'seeds')
    """
    whole = TARGETS[target]
    return Plan(
        target,
        _pick("--datasets", datasets, whole.datasets, target),
        _pick("--groups", groups, whole.groups, target),
        _pick("--methods", methods, whole.methods, target),
        _pick("--tuning", tunings, whole.tunings, target),
        n_starts,
        n_draws,
    )


def cells(plan: Plan) -> list[Cell]:
    """Return the cells that a plan reads.

    Examples
    --------
    >>> from fuzzypairs.reproduction.targets import cells, make_plan
    >>> len(cells(make_plan("table2", datasets=["wine"], methods=["fcm", "fdc"])))
    9
    """
    found = [
        cell_of(plan, dataset, group, method, tuning, draw)
        for dataset in plan.datasets
        for group in plan.groups
        for method in plan.methods
        for tuning in plan.tunings
        for draw in range(plan.n_draws)
    ]
    return list(dict.fromkeys(found))


def cell_of(
    plan: Plan, dataset: str, group: str, method: str, tuning: Tuning, draw: int
) -> Cell:
    """Return the cell behind a number; numbers that cannot differ share one.

    Examples
    --------
    >>> from fuzzypairs.reproduction.targets import Plan, cell_of
    >>> plan = Plan("table2", ("wine",), ("iv",), ("fcm",), n_starts=5)
    >>> cell_of(plan, "wine", "iv", "fcm", "fair", 0)
    Cell(dataset='wine', group='', draw=0, method='fcm', tuning='oracle', n_starts=5)
    """
    how = METHODS[method]
    if not how.judged:
        group, draw = "", 0
    if len(how.grid) == 1:
        tuning = "oracle"
    return Cell(dataset, group, draw, method, tuning, plan.n_starts)


def letter_of(dataset: str) -> str:
    """Return the letter of a benchmark dataset in the paper, such as (e)."""
    return f"({chr(ord('a') + BENCHMARKS.index(dataset))})"


def title_of(dataset: str) -> str:
    """Return the title of a dataset, after its letter in the paper if it has one."""
    title = describe(dataset).title
    return f"{letter_of(dataset)} {title}" if dataset in BENCHMARKS else title


def _pick(
    option: str, wanted: Sequence[str], known: Sequence[_Name], target: str
) -> tuple[_Name, ...]:
    lowered = {name.strip().lower() for name in wanted}
    if unknown := sorted(lowered.difference(known)):
        word = option.removeprefix("--").removesuffix("s")
        raise ValueError(
            f"{target} has no {word} {unknown[0]!r}: expected some of "
            f"{', '.join(known)} ({option})"
        )
    return tuple(name for name in known if name in lowered or not wanted)
