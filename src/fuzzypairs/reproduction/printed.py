"""The numbers that the paper prints, as data."""

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Printed(NamedTuple):
    """One printed number, in percent except distances (MAHD).

    `std` is None for methods that run once. `mark` is "better" or "worse" where FDC is
    marked as significantly that, "none" where it is not, "" in tables without marks.
    """

    value: float
    std: float | None = None
    mark: str = ""


@cache
def printed_table() -> dict[tuple[str, str, str, str], Printed]:
    """Return Table II by dataset, group, method and criterion ("ari" or "nmi").

    Cells printed as "--" (out of memory) are left out.

    Examples
    --------
    >>> from fuzzypairs.reproduction.printed import printed_table
    >>> printed_table()["wine", "iv", "pcca", "ari"]
    Printed(value=94.87, std=0.0, mark='better')
    """
    return {
        (row["dataset"], row["group"], row["method"], criterion): Printed(
            float(row[criterion]), _number(row[f"{criterion}_std"]), row["mark"]
        )
        for row in _rows("table2")
        for criterion in ("ari", "nmi")
        if row[criterion]
    }


@cache
def printed_counts() -> dict[str, dict[str, int]]:
    """Return the last rows of Table II: how often FDC is marked, by method."""
    return {
        row["method"]: {name: int(row[name]) for name in ("better", "worse", "of")}
        for row in _rows("counts")
    }


@cache
def printed_faces() -> dict[tuple[str, str, str], Printed]:
    """Return the tables of faces by group, method and criterion."""
    faces = {
        (row["group"], row["method"], row["criterion"]): Printed(
            float(row["value"]), _number(row["std"]), row["mark"]
        )
        for row in _rows("faces")
    }
    return faces | {
        (row["group"], row["method"], "mahd"): Printed(
            float(row["value"]), float(row["std"])
        )
        for row in _rows("mahd")
    }


def _rows(name: str) -> list[dict[str, str]]:
    text = (files(__package__) / "printed" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _number(text: str) -> float | None:
    return float(text) if text else None
