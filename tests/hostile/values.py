"""Hostile values: what a caller may pass by mistake or on purpose, by name.

Every value is made anew by a function, in the process that uses it.
"""

import array
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

Values = dict[str, Callable[[], Any]]

rng = np.random.default_rng(0)
LABELS = np.arange(24) % 3
POINTS = rng.normal(size=(24, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[LABELS]
# Enough judgements of both kinds to hold some out.
TRIPLES = [(r, r + 3, 0.8) for r in range(12)]
TRIPLES += [(r, r + 1, -0.7) for r in range(12, 23)]
NAN, INF = float("nan"), float("inf")
TODAY, HOUR = np.datetime64("2026-01-01"), np.timedelta64(1, "h")


class Raising:
    """An object that fails at whatever is asked of it."""

    def _fail(self, *args: Any) -> Any:
        raise RuntimeError("asked of a hostile object")

    __iter__ = __len__ = __getitem__ = __float__ = __int__ = __index__ = _fail
    __bool__ = __eq__ = __lt__ = __array__ = _fail
    __hash__ = None


class Unprintable:
    """An object without a text, which no message can show."""

    def __repr__(self) -> str:
        raise RuntimeError("asked of a hostile object")


class LyingLength(list):
    """A list that says that it is longer than it is."""

    def __len__(self) -> int:
        return 10**6


def keep(value: Any) -> Callable[[], Any]:
    return lambda: value


PARAMETERS: Values = {
    "None": keep(None),
    "True": keep(True),
    "numpy bool": keep(np.True_),
    "empty text": keep(""),
    "auto": keep("auto"),
    "numpy text": keep(np.str_("auto")),
    "bytes": keep(b"1"),
    "NaN": keep(NAN),
    "inf": keep(INF),
    "-inf": keep(-INF),
    "-1": keep(-1),
    "0": keep(0),
    "-0.0": keep(-0.0),
    "1": keep(1),
    "2": keep(2),
    "0.5": keep(0.5),
    "1.5": keep(1.5),
    "1e-320": keep(1e-320),
    "1e-300": keep(1e-300),
    "1e-16": keep(1e-16),
    "1e20": keep(1e20),
    "1e300": keep(1e300),
    "largest": keep(1.7e308),
    "2^31": keep(2**31),
    "2^63": keep(2**63),
    "2^64": keep(2**64),
    "10^400": keep(10**400),
    "10^5000": keep(10**5000),
    "int8": keep(np.int8(2)),
    "uint64": keep(np.uint64(2**63)),
    "float16": keep(np.float16(0.5)),
    "float32": keep(np.float32(0.5)),
    "longdouble": keep(np.longdouble(0.5)),
    "longdouble 1e400": lambda: np.longdouble("1e400"),
    "Fraction": keep(Fraction(1, 2)),
    "Decimal": keep(Decimal("0.5")),
    "complex": keep(1j),
    "array of no dimension": lambda: np.array(0.5),
    "array": lambda: np.array([1.0, 2.0]),
    "array of one": lambda: np.array([1]),
    "list": lambda: [1, 2],
    "empty list": list,
    "tuple": keep((1, 2)),
    "dict": lambda: {1: 2},
    "empty dict": dict,
    "set": lambda: {1},
    "range": lambda: range(3),
    "long range": lambda: range(10**12),
    "generator": lambda: (n for n in (1, 2)),
    "NA": keep(pd.NA),
    "NaT": keep(pd.NaT),
    "Series": lambda: pd.Series([1, 2]),
    "Series of one": lambda: pd.Series([1]),
    "DataFrame": lambda: pd.DataFrame({"a": [1, 2]}),
    "polars Series": lambda: pl.Series([1, 2]),
    "sparse": lambda: sparse.eye_array(2).tocsr(),
    "masked": keep(np.ma.masked),
    "date": keep(TODAY),
    "duration": keep(HOUR),
    "object": object,
    "type": keep(type),
    "lambda": lambda: lambda *_: None,
    "lambda of one": lambda: lambda a: a,
    "raising": Raising,
    "unprintable": Unprintable,
    "memoryview": lambda: memoryview(b"12"),
}


def with_entry(value: Any, dtype: Any = np.float64) -> Any:
    data = POINTS.astype(dtype)
    data[1, 1] = value
    return data


def broken_csr(name: str, at: int, value: int) -> Any:
    """A CSR matrix with one wrong entry of its index arrays."""
    matrix = sparse.csr_array(POINTS)
    getattr(matrix, name)[at] = value
    return matrix


def outlier(size: float) -> Callable[[], Any]:
    return lambda: with_entry(size)


def frame(**columns: Any) -> Any:
    return pd.DataFrame({"a": POINTS[:, 0], **columns})


SCALES = (1e-300, 1e-200, 1e-160, 1e-151, 1e-100, 1e-50, 1e-20, 1e-15, 1e-10)
SCALES += tuple(1.0 / scale for scale in SCALES)
OFFSETS = (1e6, 1e9, 1e12, 1e15, 1e100)
# X that must be refused, whatever the estimator.
REFUSED_X: Values = {
    "None": keep(None),
    "number": keep(5.0),
    "text": keep("table"),
    "one dimension": lambda: POINTS[0],
    "three dimensions": lambda: POINTS[None],
    "no rows": lambda: POINTS[:0],
    "no columns": lambda: POINTS[:, :0],
    "NaN": lambda: with_entry(NAN),
    "inf": lambda: with_entry(INF),
    "float32 inf": lambda: with_entry(INF, np.float32),
    "complex": lambda: POINTS + 1j,
    "texts": lambda: [["a", "b"]] * 24,
    "ragged": lambda: [[1.0, 2.0], [3.0]],
    "objects": lambda: np.full((24, 2), object()),
    "None inside": lambda: with_entry(None, object),
    "dates": lambda: TODAY + np.arange(48).reshape(24, 2),
    "durations": lambda: HOUR * np.arange(48).reshape(24, 2),
    "date objects": lambda: (TODAY + np.arange(48).reshape(24, 2)).astype(object),
    "frame of dates": lambda: frame(b=pd.date_range("2026", periods=24)),
    "frame of dates only": lambda: pd.DataFrame(
        {c: pd.date_range("2026", periods=24) for c in "ab"}
    ),
    "frame of durations": lambda: frame(b=pd.to_timedelta(np.arange(24), "h")),
    "frame of texts": lambda: frame(b=list("abc") * 8),
    "frame of categories": lambda: frame(b=pd.Categorical(list("abc") * 8)),
    "frame with NA": lambda: frame(b=pd.array([None, *range(23)], dtype="Int64")),
    "polars dates": lambda: pl.DataFrame({"a": TODAY + np.arange(24)}),
    "polars lazy": lambda: pl.DataFrame(POINTS, schema=["a", "b"]).lazy(),
    "masked value": lambda: np.ma.masked_greater(POINTS, 5.0),
    "structured": lambda: np.zeros(24, dtype=[("a", float), ("b", float)]),
    "CSR negative index": lambda: broken_csr("indices", 3, -7),
    "CSR index too large": lambda: broken_csr("indices", 3, 10**6),
    "CSR rows not in order": lambda: broken_csr("indptr", 3, 10**6),
    "CSR last row negative": lambda: broken_csr("indptr", -1, -1),
    "CSR NaN": lambda: sparse.csr_array(with_entry(NAN)),
    "dict": lambda: {"a": [1.0], "b": [2.0]},
    "set": lambda: {1.0, 2.0},
    "generator": lambda: (row for row in POINTS),
    "raising": Raising,
    "list of raising": lambda: [[1.0, Raising()]] * 24,
    "type": keep(type),
    "Series": lambda: pd.Series(POINTS[:, 0]),
}
# X that can be clustered, or be refused by name.
X: Values = {
    "plain": lambda: POINTS,
    **{f"scale {scale:g}": (lambda s=scale: POINTS * s) for scale in SCALES},
    **{f"offset {size:g}": (lambda s=size: POINTS + s) for size in OFFSETS},
    **{f"outlier {size:g}": outlier(size) for size in (1e20, 1e100, 1e150, 1e200)},
    "largest": lambda: np.sign(POINTS) * 1.7e308,
    "smallest": lambda: np.sign(POINTS) * 5e-324,
    "float32": lambda: POINTS.astype(np.float32),
    "float32 tiny": lambda: (POINTS * 1e-30).astype(np.float32),
    "float32 denormal": lambda: (POINTS * 1e-42).astype(np.float32),
    "float32 largest": lambda: np.sign(POINTS).astype(np.float32) * np.float32(3e38),
    "float16": lambda: POINTS.astype(np.float16),
    "longdouble": lambda: POINTS.astype(np.longdouble),
    "longdouble 1e400": lambda: POINTS.astype(np.longdouble) * np.longdouble("1e400"),
    "columns 1 and 1e-300": lambda: POINTS * [1.0, 1e-300],
    "columns 1 and 1e-20": lambda: POINTS * [1.0, 1e-20],
    "columns 1e150 and 1e-150": lambda: POINTS * [1e150, 1e-150],
    "columns 1e9 and 1e-9": lambda: POINTS * [1e9, 1e-9],
    "constant": lambda: np.full((24, 2), 3.7),
    "zeros": lambda: np.zeros((24, 2)),
    "a constant column": lambda: POINTS * [1.0, 0.0],
    "equal columns": lambda: POINTS[:, [0, 0]],
    "rows twice": lambda: np.repeat(POINTS[:12], 2, axis=0),
    "three rows 8 times": lambda: np.repeat(POINTS[:3], 8, axis=0),
    "one row": lambda: POINTS[:1],
    "two rows": lambda: POINTS[:2],
    "one column": lambda: POINTS[:, :1],
    "wide": lambda: np.tile(POINTS, 50),
    "bool": lambda: POINTS > 3,
    "int8": lambda: POINTS.astype(np.int8),
    "uint64": lambda: np.full((24, 2), 2**64 - 1, dtype=np.uint64),
    "objects that are numbers": lambda: POINTS.astype(object),
    "Decimals": lambda: [[Decimal("0.5"), Decimal(n)] for n in range(24)],
    "large ints": lambda: [[10**400, n] for n in range(24)],
    "texts of numbers": lambda: POINTS.astype(str),
    "bytes of numbers": lambda: POINTS.astype("S"),
    "lists": lambda: POINTS.tolist(),
    "rows of arrays": lambda: list(POINTS),
    "array.array": lambda: [array.array("d", row) for row in POINTS],
    "memoryview": lambda: memoryview(POINTS),
    "big endian": lambda: POINTS.astype(">f8"),
    "Fortran order": lambda: np.asfortranarray(POINTS),
    "reversed": lambda: POINTS[::-1, ::-1],
    "read-only": lambda: pd.DataFrame(POINTS).to_numpy(copy=False),
    "frame": lambda: frame(b=POINTS[:, 1]),
    "frame of equal names": lambda: pd.DataFrame(POINTS, columns=["a", "a"]),
    "frame of numbered names": lambda: pd.DataFrame(POINTS),
    "frame of nullable": lambda: frame(b=pd.array(range(24), dtype="Int64")),
    "frame of bool": lambda: frame(b=POINTS[:, 1] > 3),
    "frame of odd index": lambda: pd.DataFrame(POINTS, index=[7] * 24),
    "polars": lambda: pl.DataFrame(POINTS, schema=["a", "b"]),
    "masked array without a mask": lambda: np.ma.array(POINTS),
    "matrix": lambda: np.asmatrix(POINTS),
    "CSR": lambda: sparse.csr_array(POINTS),
    "CSC": lambda: sparse.csc_array(POINTS),
    "COO with doubles": lambda: sparse.coo_array(
        (np.ones(96), (np.repeat(np.arange(24), 4), np.tile([0, 0, 1, 1], 24)))
    ),
    "CSR empty": lambda: sparse.csr_array((24, 2)),
    "CSR of ints": lambda: sparse.csr_array(POINTS.astype(int)),
    "CSR int64 indices": lambda: sparse.csr_array(
        (POINTS.ravel(), np.tile([0, 1], 24).astype(np.int64), np.arange(0, 49, 2))
    ),
    "lying length": lambda: LyingLength(POINTS.tolist()),
}


# Labels that are none, for whatever takes labels or memberships.
WRONG_LABELS: Values = {
    "labels of None": lambda: [None] * 24,
    "labels of several types": lambda: [0, "a", None] * 8,
    "labels that raise": lambda: [Raising() for _ in range(24)],
}


def graph(*links: tuple[int, int, float]) -> Callable[[], Any]:
    return lambda: list(links)


def pair_set(*args: Any) -> Callable[[], Any]:
    def make() -> Any:
        from fuzzypairs import PairSet

        return PairSet.from_triples(*args)

    return make


def table(i: Any = (0,), j: Any = (1,), grade: Any = (0.5,)) -> Callable[[], Any]:
    return lambda: pd.DataFrame({"i": list(i), "j": list(j), "grade": list(grade)})


REFUSED_PAIRS: Values = {
    "number": keep(3),
    "bool": keep(True),
    "text": keep("pairs.csv"),
    "flat": keep([0, 1, 0.5]),
    "of two": keep([(0, 1)]),
    "of four": keep([(0, 1, 1, 1)]),
    "dict": keep({(0, 1): 0.5}),
    "type": keep(type),
    "raising": Raising,
    "of raising": lambda: [Raising()],
    "grade raising": lambda: [(0, 1, Raising())],
    "itself": graph((3, 3, 1.0)),
    "outside": graph((0, 24, 1.0)),
    "negative": graph((-1, 1, 1.0)),
    "2^63": graph((0, 2**63, 1.0)),
    "2^64": graph((0, 2**64, 1.0)),
    "10^400": graph((0, 10**400, 1.0)),
    "half": graph((0, 0.5, 1.0)),
    "bool row": graph((True, 2, 1.0)),
    "text row": lambda: [("0", 1, 1.0)],
    "None row": lambda: [(None, 1, 1.0)],
    "NA row": lambda: [(pd.NA, 1, 1.0)],
    "array row": lambda: [(np.array([0, 1]), 1, 1.0)],
    "date row": lambda: [(TODAY, 1, 1.0)],
    "grade NaN": graph((0, 1, NAN)),
    "grade inf": graph((0, 1, INF)),
    "grade 1.001": graph((0, 1, 1.001)),
    "grade 10^400": graph((0, 1, 10**400)),
    "grade bool": graph((0, 1, True)),
    "grade numpy bool": lambda: [(0, 1, np.True_)],
    "grade text": lambda: [(0, 1, "alike")],
    "grade None": lambda: [(0, 1, None)],
    "grade complex": lambda: [(0, 1, 1j)],
    "grade NA": lambda: [(0, 1, pd.NA)],
    "grade array": lambda: [(0, 1, np.array([0.5]))],
    "grade date": lambda: [(0, 1, TODAY)],
    "grade duration": lambda: [(0, 1, HOUR)],
    "grades durations": lambda: table(grade=[HOUR])(),
    "array of durations": lambda: np.array([[0, 1, 1]], dtype="m8[h]"),
    "array of dates": lambda: np.array([[0, 1, 1]], dtype="M8[h]"),
    "array of two": lambda: np.zeros((5, 2)),
    "array of bool": lambda: np.ones((1, 3), bool),
    "masked": lambda: np.ma.array([[0, 1, 0.5]], mask=[[0, 0, 1]]),
    "fewer rows than X": pair_set([(0, 1, 0.5)], 5),
    "more rows than X": pair_set([(0, 1, 0.5)], 25),
    "no rows": pair_set([], 0),
    "frame without grades": lambda: pd.DataFrame({"i": [0], "j": [1]}),
    "frame of ids": lambda: pd.DataFrame({"a": ["x"], "b": ["y"], "grade": [1.0]}),
    "frame NaN": table(grade=[NAN]),
    "polars lazy": lambda: pl.DataFrame({"i": [0], "j": [1], "grade": [1.0]}).lazy(),
    "arrow": lambda: pl.DataFrame({"i": [0], "j": [1], "grade": [1.0]}).to_arrow(),
    "sparse of other rows": lambda: sparse.eye_array(5, k=1),
    "sparse diagonal": lambda: sparse.eye_array(24),
    "sparse complex": lambda: sparse.eye_array(24, k=1) * 1j,
    "sparse broken": lambda: _broken_pairs(),
}


def _broken_pairs() -> Any:
    matrix = sparse.csr_array(sparse.eye_array(24, k=1) * 0.5)
    matrix.indices[3] = 10**6
    return matrix


def complete(grade: float) -> list[tuple[int, int, float]]:
    return [(i, j, grade) for i in range(24) for j in range(i)]


PAIRS: Values = {
    "None": keep(None),
    "none": list,
    "plain": lambda: TRIPLES,
    "set": lambda: set(TRIPLES),
    "generator": lambda: (t for t in TRIPLES),
    "array": lambda: np.array(TRIPLES),
    "float32 array": lambda: np.array(TRIPLES, dtype=np.float32),
    "longdouble array": lambda: np.array(TRIPLES, dtype=np.longdouble),
    "Fractions": lambda: [(0, 1, Fraction(1, 2)), (2, 5, Fraction(-1, 3))],
    "Decimals": lambda: [(0, 1, Decimal("0.5"))],
    "frame": table(),
    "nullable frame": lambda: table()().convert_dtypes(),
    "polars": lambda: pl.DataFrame({"i": [0], "j": [1], "grade": [1.0]}),
    "sparse": lambda: sparse.eye_array(24, k=1) * 0.5,
    "zeros": graph(*[(i, j, 0.0) for i, j, _ in TRIPLES]),
    "tiny grades": graph(*[(i, j, s * 1e-300) for i, j, s in TRIPLES]),
    "denormal grades": graph(*[(i, j, s * 1e-320) for i, j, s in TRIPLES]),
    "all alike": lambda: complete(1.0),
    "all unlike": lambda: complete(-1.0),
    "one forbidden to all": graph(*[(0, j, -1.0) for j in range(1, 24)]),
    "one tied to all": graph(*[(0, j, 1.0) for j in range(1, 24)]),
    "chain": graph(*[(j, j + 1, 1.0) for j in range(23)]),
    "chain unlike": graph(*[(j, j + 1, -1.0) for j in range(23)]),
    "odd cycle unlike": graph((0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)),
    "contradictory": graph(*TRIPLES, *[(i, j, -s) for i, j, s in TRIPLES]),
    "against a chain": graph((0, 1, 1.0), (1, 2, 1.0), (0, 2, -1.0)),
    "wrong sign": graph(*[(i, j, -s) for i, j, s in TRIPLES]),
    "repeated": lambda: TRIPLES * 50,
}


def weights(*values: float) -> Callable[[], Any]:
    return lambda: np.r_[values, np.ones(24 - len(values))]


REFUSED_WEIGHTS: Values = {
    "short": keep([1.0]),
    "none": list,
    "two dimensions": lambda: np.ones((24, 1)),
    "negative": weights(-1.0),
    "NaN": weights(NAN),
    "inf": weights(INF),
    "all zero": lambda: np.zeros(24),
    "texts": lambda: ["a"] * 24,
    "text": keep("heavy"),
    "complex": lambda: np.ones(24) * 1j,
    "dates": lambda: TODAY + np.arange(24),
    "durations": lambda: HOUR * np.arange(24),
    "masked": lambda: np.ma.masked_less(np.arange(24.0), 5),
    "dict": keep({0: 1}),
    "raising": Raising,
    "type": keep(type),
    "10^400": lambda: [10**400] * 24,
    "NA": lambda: pd.array([None] * 24, dtype="Float64"),
    "polars lazy": lambda: pl.DataFrame({"w": np.ones(24)}).lazy(),
}
WEIGHTS: Values = {
    "one number": keep(3.0),
    "one tiny": weights(1e-300),
    "one denormal": weights(5e-324),
    "many denormal": weights(*[5e-324] * 20),
    "all denormal": lambda: np.full(24, 5e-324),
    "all tiny": lambda: np.full(24, 1e-200),
    "one huge": weights(1e300),
    "all huge": lambda: np.full(24, 1e300),
    "all largest": lambda: np.full(24, 1.7e308),
    "one only": lambda: np.eye(24)[0],
    "two only": lambda: np.eye(24)[:2].sum(axis=0),
    "judged ones zero": weights(*[0.0] * 20),
    "bool": lambda: LABELS > 0,
    "float16": lambda: np.ones(24, np.float16),
    "Series": lambda: pd.Series(np.ones(24), index=range(24, 0, -1)),
    "nullable": lambda: pd.array([1.0] * 24, dtype="Float64"),
    "wide range": lambda: np.logspace(-150, 150, 24),
}
