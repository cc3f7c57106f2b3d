"""Hostile files and options of the command."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from hostile.outcomes import Case, command_outcome

ROWS = [f"r{n},{n % 3 * 9 + n * 0.1:.1f},{n % 2 * 5}" for n in range(24)]
DATA = "\n".join(["id,x,y", *ROWS]) + "\n"
PAIRS = "a,b,grade\n" + "".join(f"r{n},r{n + 3},0.8\n" for n in range(12))
PAIRS += "".join(f"r{n},r{n + 1},-0.7\n" for n in range(12, 23))
# Contents of a table: a text, bytes, None for no file, or "folder".
TABLES: dict[str, Any] = {
    "nothing": None,
    "folder": "folder",
    "empty": "",
    "newlines": "\n\n\n",
    "header only": "id,x,y\n",
    "one row": "id,x,y\nr0,1,2\n",
    "one column": "x\n1\n2\n3\n",
    "NUL bytes": b"\x00" * 500,
    "random bytes": bytes(range(256)) * 8,
    "UTF-16": DATA.encode("utf-16"),
    "UTF-8 with mark": DATA.encode("utf-8-sig"),
    "Latin-1": DATA.replace("r0", "Ä").encode("latin-1"),
    "quote left open": DATA + '"r24,1,2\n',
    "ragged": DATA + "r24,1,2,3,4\nr25\n",
    "semicolons and commas": DATA.replace(",", ";").replace(".", ","),
    "texts": DATA.replace("9", "nine"),
    "infinite": DATA.replace("9.1", "inf"),
    "1e400": DATA.replace("9.1", "1e400"),
    "1e-400": DATA.replace("9.1", "1e-400"),
    "1e300": DATA.replace("9.1", "1e300"),
    "gaps": DATA.replace("9.1", ""),
    "columns of equal names": DATA.replace("id,x,y", "id,x,x"),
    "no names": DATA.replace("id,x,y\n", ""),
    "ids twice": DATA.replace("r5,", "r4,"),
    "dates": DATA.replace(",0\n", ",2026-01-01\n").replace(",5\n", ",2026-02-30\n"),
    "markup": DATA.replace("r0", "<script>alert(1)</script>"),
    "formulas": DATA.replace("r0", "=1+1"),
    "constant": "id,x,y\n" + "".join(f"r{n},1,1\n" for n in range(24)),
    "a long cell": DATA.replace("r0", "r" * 100_000),
    "many columns": ",".join(f"c{n}" for n in range(3000)) + "\n" + "1," * 2999 + "1\n",
    "gzip": b"\x1f\x8b\x08\x00broken",
    "zip": b"PK\x03\x04broken",
    "pickle": b"\x80\x04N.",
}
JUDGED: dict[str, Any] = {
    "unknown ids": "a,b,grade\nq0,q1,0.5\n",
    "itself": "a,b,grade\nr1,r1,0.5\n",
    "grade 5": "a,b,grade\nr1,r2,5\n",
    "grade text": "a,b,grade\nr1,r2,alike\n",
    "grade NaN": "a,b,grade\nr1,r2,nan\n",
    "no grade": "a,b\nr1,r2\n",
    "rows": "i,j,grade\n0,1,0.5\n",
    "rows outside": "i,j,grade\n0,99,0.5\n",
    "rows negative": "i,j,grade\n0,-1,0.5\n",
    "rows of 400 digits": f"i,j,grade\n0,{10**400},0.5\n",
}
NUMBERS = ("0", "-1", "nan", "inf", "1e400", "2147483648", "9" * 400, "", "x", "1,5")
# Options of `fit` that take a value.
OPTIONS = (
    *("--clusters", "--alpha", "--beta", "--fuzzifier", "--n-init", "--max-iter"),
    *("--propagate", "--seed", "--jobs", "--metric", "--metric-param", "--init"),
    *("--grade-scale", "--date-order", "--format", "--id", "--truth", "--drop"),
    *("--number", "--category", "--date"),
)
# How messages name what options stand for.
MEANT = ("n_clusters", "n_jobs", "metric_params", "column", "columns", "methods")
QUICK = ["--n-init", "1", "--jobs", "1", "--quiet", "--clusters", "2"]


def put(path: Path, content: Any) -> Path:
    if content == "folder":
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.write_text(content, encoding="utf-8")
    return path


def run(
    command: str, data: Any, pairs: Any, options: list[str], ending: str = ".csv"
) -> None:
    """Run a command on files with these contents, in a folder of its own."""
    from fuzzypairs.cli import app

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = put(folder / f"data{ending}", data)
        arguments = [command, str(table)]
        if pairs is not False:
            arguments += ["--pairs", str(put(folder / "pairs.csv", pairs))]
        arguments += ["--out", str(folder / "out"), *options]
        command_outcome(CliRunner().invoke(app, arguments), folder)


def predict(model: Any, data: Any) -> None:
    from fuzzypairs.cli import app

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = put(folder / "model.skops", model), put(folder / "data.csv", data)
        arguments = ["predict", *map(str, given), "--out", str(folder / "out.csv")]
        command_outcome(CliRunner().invoke(app, arguments), folder)


def reproduce(option: str, value: str) -> None:
    from fuzzypairs.cli import app

    with tempfile.TemporaryDirectory() as name:
        quick = ["--datasets", "wine", "--groups", "iv", "--methods", "fcm"]
        arguments = ["reproduce", "table2", *quick, "--out", f"{name}/out"]
        result = CliRunner().invoke(app, [*arguments, option, value])
        command_outcome(result, Path(name))


def of_commands() -> Iterator[Case]:
    of_data = ("data", "rows", "row", "columns", "column", "line", "X", "ids", "pairs")
    of_pairs = ("pairs", "grade", "grades", "ids", "line", "rows", "judgements")
    for what, content in TABLES.items():
        for ending in (".csv", ".jsonl", ".xlsx", ".parquet", ".tsv.gz"):
            run_fit = partial(run, "fit", content, False, QUICK, ending)
            yield Case(f"data{ending} {what}: fuzzypairs fit", of_data, run_fit)
        run_pairs = partial(run, "fit", DATA, content, ["--id", "id", *QUICK])
        yield Case(f"pairs.csv {what}: fuzzypairs fit", of_pairs, run_pairs)
        run_model = partial(predict, content, DATA)
        yield Case(f"model {what}: fuzzypairs predict", ("model",), run_model)
    for what, content in JUDGED.items():
        run_pairs = partial(run, "fit", DATA, content, ["--id", "id", *QUICK])
        yield Case(f"pairs.csv {what}: fuzzypairs fit", of_pairs, run_pairs)
    for option in OPTIONS:
        for value in NUMBERS:
            options = [*QUICK, "--id", "id", option, value]
            run_fit = partial(run, "fit", DATA, PAIRS, options)
            words = (option, option.strip("-").replace("-", "_"), *MEANT)
            yield Case(f"{option} {value!r}: fuzzypairs fit", words, run_fit)
    for command, option in (
        ("tune", "--clusters"), ("tune", "--folds"), ("tune", "--repeats"),
        ("tune", "--beta"), ("compare", "--clusters"), ("compare", "--methods"),
    ):  # fmt: skip
        for value in NUMBERS[:-1]:
            options = ["--id", "id", "--clusters", "2", option, value]
            run_other = partial(run, command, DATA, PAIRS, options)
            words = (option, option.strip("-"), "n_splits", *MEANT)
            yield Case(f"{option} {value!r}: fuzzypairs {command}", words, run_other)
    for option in ("--runs", "--draws", "--jobs"):
        for value in NUMBERS:
            run_paper = partial(reproduce, option, value)
            name = f"{option} {value!r}: fuzzypairs reproduce"
            yield Case(name, (option,), run_paper, refused=True)
