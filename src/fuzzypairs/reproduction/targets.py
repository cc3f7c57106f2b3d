"""What each table and figure of the paper needs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from fuzzypairs.datasets import describe
from fuzzypairs.reproduction.data import BENCHMARKS, FACE_GROUPS, FACES, GROUPS
from fuzzypairs.reproduction.methods import METHODS
from fuzzypairs.reproduction.tuning import TUNINGS, Cell, Tuning

_Name = TypeVar("_Name", bound=str)


@dataclass(frozen=True)
class Plan:
    """A table or figure of the paper, or the part of it that is asked for."""

    target: str
    title: str
    datasets: tuple[str, ...]
    groups: tuple[str, ...]
    methods: tuple[str, ...]
    tunings: tuple[Tuning, ...] = TUNINGS
    n_starts: int = 20  # of each method that starts at random
    n_draws: int = 1  # of judgements


FUZZY = ("fcm", "pcca", "fdc")
ALL = ("fcm", "ssdc", "dsc", "fhss", "pcca", "fdc", "fdc-authors")
SIX = ("zoo", "ecoli", "dermatology", "segment", "satimage", "letter")
MAHD, LIA = "Minimal average Hamming distance", "Largest index assignment"
TARGETS = {
    plan.target: plan
    for plan in (
        Plan(
            "table2", "All methods on the benchmark datasets", BENCHMARKS, GROUPS, ALL
        ),
        Plan(
            "fig-alpha", "What alpha does to clusters and to NMI",
            SIX, GROUPS, ("fdc",), ("oracle",),
        ),
        Plan(
            "fig-kernel", "A Gaussian kernel against Euclidean distances",
            BENCHMARKS, ("iv",), ("fdc", "fdc-rbf"), ("oracle",),
        ),
        Plan(
            "table-faces", "All methods on faces",
            (FACES,), FACE_GROUPS, ("k-means", *ALL),
        ),
        Plan("table-mahd", f"{MAHD} on faces", (FACES,), FACE_GROUPS, FUZZY),
        Plan("fig-lia", f"{LIA} on faces", (FACES,), FACE_GROUPS, FUZZY),
        Plan("table-examples", "Memberships of some faces", (FACES,), ("v",), FUZZY),
    )
}  # fmt: skip


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
    return replace(
        whole,
        datasets=_pick("--datasets", datasets, whole.datasets, target),
        groups=_pick("--groups", groups, whole.groups, target),
        methods=_pick("--methods", methods, whole.methods, target),
        tunings=_pick("--tuning", tunings, whole.tunings, target),
        n_starts=n_starts,
        n_draws=n_draws,
    )


def cells(plan: Plan) -> list[Cell]:
    """Return the cells that a plan reads."""
    places = product(plan.datasets, plan.groups, plan.methods, plan.tunings)
    found = [
        cell_of(plan, *place, draw) for place in places for draw in range(plan.n_draws)
    ]
    return list(dict.fromkeys(found))


def cell_of(
    plan: Plan, dataset: str, group: str, method: str, tuning: Tuning, draw: int
) -> Cell:
    """Return the cell behind a number; numbers that cannot differ share one.

    Examples
    --------
    >>> from fuzzypairs.reproduction.targets import cell_of, make_plan
    >>> cell_of(make_plan("table2", n_starts=5), "wine", "iv", "fcm", "fair", 0)
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
