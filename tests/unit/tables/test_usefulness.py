import numpy as np
import pandas as pd
import pytest

from fuzzypairs.tables.usefulness import always_useless, why_useless

N = 40


def column(values, name="x"):
    return pd.Series(values, name=name)


RNG = np.random.default_rng(0)
WORDS = [f"w{n}" for n in range(N)]
CASES = [
    # name, kind, values, why
    ("x", "number", RNG.normal(size=N), ""),
    ("x", "number", np.full(N, 3.0), "all values are the same"),
    ("x", "number", np.full(N, np.nan), "all values are missing"),
    ("x", "number", [1.0, 5.0] + [np.nan] * (N - 2), "95 % of its values are missing"),
    ("x", "number", [1.0, 5.0] * 10 + [np.nan] * 20, ""),  # half is enough
    ("Unnamed: 0", "number", RNG.normal(size=N), "it has no name"),
    ("x", "number", np.arange(N) * 1.0, "it numbers the rows"),
    ("x", "number", RNG.permutation(N) * 1.0, "it numbers the rows"),
    ("x", "number", np.arange(10.0), ""),  # too short to tell
    ("hour", "number", np.arange(N) % 24 * 1.0, ""),  # restarts too often
    ("sale_id", "number", RNG.permutation(1000)[:N] * 7.0,
     "it is called and varies like an id"),
    ("sales", "number", RNG.permutation(1000)[:N] * 7.0, ""),
    ("x", "date", np.arange(N) * 1.0, ""),
    ("x", "category", ["a", "b"] * 20, ""),
    ("x", "category", ["a", None] * 20, ""),  # empty is a level, too
    ("x", "category", WORDS, "all values are different"),
    ("x", "category", [*WORDS[:-1], "w0"], "most values are different"),
    ("x", "category", [f"{w} has many words" for w in WORDS], "it is free text"),
    ("x", "category", [f"w{n}" for n in range(300)] * 2, "no value is frequent"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "values", "why"), CASES)
def test_columns_that_say_nothing_are_left_out(name, kind, values, why):
    found = why_useless(column(values, name), kind)
    assert found == "" if not why else found.startswith(f"left out, {why}")


def test_a_named_column_is_left_out_only_if_it_is_constant():
    assert always_useless(column(np.arange(N) * 1.0), "number") == ""
    assert always_useless(column(["a", None]), "category") == ""
    assert "the same" in always_useless(column(["a", "a"]), "category")
    assert "the same" in always_useless(column([1.0, np.nan]), "number")
