"""Tables with the faults of those that people have: each is fitted at the first try."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from commands import read_csv, run

N = 60
KIND = np.repeat([0, 1], N // 2)


def table():
    """Two groups of rows, an id, and a number that does not tell them apart."""
    rng = np.random.default_rng(0)
    size = (20 * KIND + rng.normal(size=N)).round(2)
    price = (900 + 5000 * KIND + rng.normal(size=N) * 99).round(2)
    names = [f"row {n}" for n in range(N)]
    noise = rng.normal(size=N).round(2)
    return pd.DataFrame({"name": names, "size": size, "price": price, "noise": noise})


def csv(frame, **options):
    return "data.csv", frame.to_csv(index=False, **options).encode()


def one_word():
    frame = table().astype({"size": str})
    frame.loc[7, "size"] = "rotary"
    frame.loc[9, "price"] = None
    return csv(frame)


def units():
    frame = table()
    frame["size"] = [f"{x:.1f} °C" for x in frame["size"]]
    frame["price"] = [f"${x:,.0f}" for x in frame["price"]]
    frame["noise"] = [f"{x:.1f} %" for x in frame["noise"]]
    return csv(frame)


def blank_lines():
    name, content = csv(table())
    return name, content + b"\n,,,\n , , ,\n\n\n"


def leading_zeros():
    return csv(table().assign(name=[f"{n:04}" for n in range(N)]))


def three_empty_rows():
    name, content = csv(table())
    return name, b",,,\n\n,,,\n" + content


def german():
    frame = table()
    german = str.maketrans(",.", ".,")
    frame["size"] = [f"{x:.1f} %".translate(german) for x in frame["size"]]
    frame["price"] = [f"{x:,.2f} €".translate(german) for x in frame["price"]]
    frame["noise"] = [f"{x:.2f}".translate(german) for x in frame["noise"]]
    frame.loc[[3, 40], "price"] = frame.loc[[8, 50], "size"] = "k.A."
    frame.columns = ["name", "Größe", "Preis", "Lärm"]
    text = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
    return "data.csv", text.encode("cp1252")


def excel():
    file = io.BytesIO()
    frame = table()
    frame["price"] = [
        f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in frame["price"]
    ]
    frame.to_excel(file, index=False, startrow=3)
    return "data.xlsx", file.getvalue()


def american_dates():
    days = pd.Timestamp("2023-01-03") + pd.to_timedelta(200 * KIND + np.arange(N), "D")
    return csv(table().assign(bought=days.strftime("%m/%d/%Y")))


# Columns that must be numbers or dates, and what the notes say.
TABLES = {
    one_word: (["size"], "column size: 1 words taken for missing, 1 missing set"),
    units: (
        ["size", "price"],
        "read as numbers with a unit: size (°C), price ($), noise (%)",
    ),
    blank_lines: (["size"], ""),
    leading_zeros: (["size"], "rows are named by the column 'name'"),
    three_empty_rows: (["size"], ""),
    german: (
        ["Größe", "Preis", "Lärm"],
        "data.csv was read as cp1252, columns separated by semicolons, decimal commas",
    ),
    excel: (["size", "price"], "read as numbers with a unit: price (€)"),
    american_dates: (["bought"], ""),
}


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_a_table_is_fitted_at_the_first_try(tmp_path, monkeypatch, make):
    monkeypatch.chdir(tmp_path)
    name, content = make()
    (tmp_path / name).write_bytes(content)
    ids = [f"{n:04}" if make is leading_zeros else f"row {n}" for n in range(N)]
    lines = ["a,b,grade"]
    for n in range(0, N - 2, 4):
        lines += [f"{ids[n]},{ids[n + 1]},0.8", f"{ids[n]},{ids[-n - 1]},-0.8"]
    (tmp_path / "pairs.csv").write_text("\n".join(lines))

    result = run("fit", name, "--pairs", "pairs.csv", "--clusters", 2, "--json")

    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    used, note = TABLES[make]
    kinds = {c["name"]: c["kind"] for c in told["columns"] if c["n_features"]}
    assert {kinds[column] for column in used} == {
        "date" if make is american_dates else "number"
    }
    assert any(note in said for said in told["notes"]), told["notes"]
    rows = read_csv(tmp_path / "data-result" / "memberships.csv")
    assert [row["id"] for row in rows] == ids
    labels = np.array([int(row["label"]) for row in rows])
    assert max((labels == KIND).mean(), (labels != KIND).mean()) > 0.95
    new = run("predict", "data-result/model.skops", name, "--out", "new.csv")
    assert new.exit_code == 0, new.output
