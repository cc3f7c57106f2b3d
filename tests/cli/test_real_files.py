"""Files with the traits of those people have, from file to a right result.

No option says how a file is to be read.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import read_csv, run
from fuzzypairs import PairSet
from fuzzypairs.criteria import hungarian_accuracy


def penguins(rng):
    """Comments, gaps, rows without measurements, a column of text, words as grades."""
    kind = np.repeat([0, 1, 2], [60, 30, 50])
    size = np.array([[38.8, 18.3, 190], [48.8, 18.4, 196], [47.5, 15.0, 217]])[kind]
    X = size + rng.normal(size=(kind.size, 3)) * [1.5, 0.6, 4]
    frame = pd.DataFrame(X.round(1), columns=["bill length", "bill depth", "flipper"])
    frame.insert(0, "individual", [f"N{n}A{n % 7}" for n in range(kind.size)])
    frame["sex"] = rng.choice(["male", "female", None], kind.size, p=[0.49, 0.49, 0.02])
    frame["comments"] = [
        "not enough blood for isotopes" if n % 4 == 0 else None
        for n in range(kind.size)
    ]
    frame.iloc[[3, 90], 1:4] = None
    text = "# penguins, Palmer station\n# NA: not measured\n"
    return (
        kind,
        "penguins.csv",
        (text + frame.to_csv(index=False, na_rep="NA")).encode(),
    )


def crabs(rng):
    """An index within groups, factors, and measures that size dominates."""
    kind = np.repeat([0, 1], 100)
    size = rng.uniform(7, 23, kind.size)
    shape = np.where(kind[:, None] == 0, [1, 2.1, 0.9], [1.1, 2.3, 0.8])
    X = (size[:, None] * shape + rng.normal(size=(200, 3)) * 0.15).round(1)
    frame = pd.DataFrame(X, columns=["FL", "CL", "BD"])
    frame.insert(0, "index", np.tile(np.arange(1, 51), 4))
    frame.insert(0, "sex", np.repeat(["M", "F", "M", "F"], 50))
    frame.insert(0, "id", [f"c{n:03}" for n in range(200)])
    return kind, "crabs.tsv", frame.to_csv(index=False, sep="\t").encode()


def cars(rng):
    """A name, many makers, a word among numbers, ranges, grouped numbers."""
    kind = np.repeat([0, 1], 45)
    weight = np.where(kind == 0, 2300, 3600) + rng.normal(size=90) * 150
    frame = pd.DataFrame({
        "Model": [f"M{n} {'GL' if n % 2 else 'LX'}" for n in range(90)],
        "Maker": rng.choice([f"maker {n}" for n in range(30)], 90),
        "Weight": [f"{w:,.0f}" for w in weight],
        "MPG": (60 - weight / 80).round(1),
        "Cylinders": [*np.where(kind[:-1] == 0, "4", "6"), "rotary"],
        "RPM range": np.where(kind == 0, "5000-6500", "4000-5500"),
    })  # fmt: skip
    return kind, "cars.txt", frame.to_csv(index=False, sep="|").encode()


def titanic(rng):
    """Free text, tickets, a column that is mostly empty, dates, running numbers."""
    kind = np.repeat([0, 1], [50, 40])
    n = kind.size
    boarded = pd.Timestamp("1912-04-01") + pd.to_timedelta(
        np.where(kind == 0, 2, 25) + rng.integers(0, 4, n), unit="D"
    )
    frame = pd.DataFrame({
        "PassengerId": np.arange(1, n + 1),
        "Name": [f"Mr. Owen Harris the {k}th" for k in range(n)],
        "Pclass": np.where(kind == 0, "third", "first"),
        "Age": np.where(rng.random(n) < 0.2, np.nan, rng.normal(30, 9, n).round()),
        "Ticket": [f"A/5 {t}" if t % 3 else str(t) for t in rng.integers(1e5, 1e6, n)],
        "Fare": (np.where(kind == 0, 8, 60) + rng.normal(size=n) * 2).round(2),
        "Cabin": [f"C{k}" if k % 5 == 0 else None for k in range(n)],
        "Boarded": boarded.strftime("%m/%d/%Y"),
    })  # fmt: skip
    return kind, "titanic.csv", frame.to_csv(index=False).encode("utf-8-sig")


def german(rng):
    """Semicolons, decimal commas, groups of thousands, UTF-16, days first."""
    kind = np.repeat([0, 1], 40)
    price = np.where(kind == 0, 1200.5, 9400.25) + rng.normal(size=80) * 300
    day = pd.Timestamp("2023-01-03") + pd.to_timedelta(
        300 * kind + rng.integers(0, 60, 80), unit="D"
    )
    area = 40 + 60 * kind + rng.normal(size=80)
    spelt = [f"{p:,.2f}".translate(str.maketrans(",.", ".,")) for p in price]
    frame = pd.DataFrame({
        "Kürzel": [f"Größe-{n}" for n in range(80)],
        "Preis": spelt,
        "Fläche": [f"{x:.2f}".replace(".", ",") for x in area],
        "Baujahr am": day.strftime("%d.%m.%Y"),
        "Zustand": np.where(rng.random(80) < 0.5, "gut", "mäßig"),
    })  # fmt: skip
    return kind, "wohnungen.csv", frame.to_csv(index=False, sep=";").encode("utf-16")


# How judges write: names of the columns, and what they say of alike and unlike.
WORDS = {
    penguins: ("left,right,answer", "alike", "unlike"),
    crabs: ("a,b,similarity", "5", "1"),
    cars: ("id1,id2,score", "90", "5"),
    titanic: ("first,second,same", "yes", "no"),
    german: ("a;b;grade", "0,8", "-0,9"),
}
# Columns that must not be clustered by.
LEFT_OUT = {
    penguins: {"comments"},
    crabs: {"index"},
    cars: set(),
    titanic: {"Name", "Ticket", "Cabin"},
    german: set(),
}
KINDS = {
    penguins: {"bill length": "number", "sex": "category"},
    crabs: {"FL": "number", "sex": "category"},
    cars: {"Weight": "number", "Cylinders": "number", "RPM range": "category"},
    titanic: {"Boarded": "date", "Age": "number", "Pclass": "category"},
    german: {"Preis": "number", "Fläche": "number", "Baujahr am": "date"},
}


@pytest.mark.parametrize("make", WORDS, ids=lambda make: make.__name__)
def test_a_file_gives_a_right_result_at_once(tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kind, name, content = make(rng)
    data, pairs = Path(name), Path("pairs.csv")
    out = Path(f"{data.stem}-result")
    data.write_bytes(content)
    ids = {
        penguins: "N{0}A{1}", crabs: "c{0:03}", titanic: "{2}", german: "Größe-{0}",
        cars: "M{0} {3}",
    }[make]  # fmt: skip
    heads, alike, unlike = WORDS[make]
    comma = ";" if ";" in heads else ","
    lines = [heads]
    for i, j, grade in PairSet.from_labels(kind, n_pairs=60, random_state=1):
        a, b = (ids.format(n, n % 7, n + 1, "GL" if n % 2 else "LX") for n in (i, j))
        lines.append(comma.join([a, b, alike if grade > 0 else unlike]))
    pairs.write_text("\n".join(lines) + "\n", encoding="utf-8")

    result = run("fit", data, "--pairs", pairs)

    assert result.exit_code == 0, result.output
    assert (out / "report.html").stat().st_size > 0
    told = json.loads((out / "summary.json").read_text())
    columns = {c["name"]: c for c in told["columns"]}
    assert LEFT_OUT[make] <= {n for n, c in columns.items() if not c["n_features"]}
    assert KINDS[make] == {n: columns[n]["kind"] for n in KINDS[make]}
    assert told["judgements"]["given"] == 60
    rows = read_csv(out / "memberships.csv")
    labels = np.array([int(row["label"]) for row in rows])
    assert hungarian_accuracy(kind, labels) > 0.93
    assert "note: rows are named by the column" in result.stdout
    # Nobody asked for more clusters than were found.
    assert "best explained by" not in result.stdout
    if make is penguins:
        judged = " ".join(lines)
        for row in (3, 90):
            assert "mostly missing" in rows[row]["flags"]
            if rows[row]["id"] not in judged:
                shares = [float(v) for n, v in rows[row].items() if "cluster_" in n]
                assert max(shares) < 0.7
