"""`fuzzypairs predict` as a user runs it."""

import json
import os
import pickle
import zipfile

import pytest
import skops.io
from sklearn.cluster import KMeans

from commands import DATA, answers, put, read_csv, run
from fuzzypairs import FDC, save

# Eight rows with words, dates and gaps.
ROWS = """\
id,x,y,soil,picked,same,void,kind
007,0,0,clay,2020-01-01,1,,p
7,0,1,clay,2020-01-02,1,,p
=1+2,1,,clay,2020-01-03,1,,p
'a,1,1,,2020-01-01,1,,p
-5,9,9,sand,2020-06-01,1,,q
e,9,8,sand,2020-06-02,1,,q
f,8,9,sand,,1,,q
Zoë,8,8,clay,2020-06-02,1,,
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The model of the eight rows."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "data.csv").write_text(ROWS, encoding="utf-8")
    result = run(
        "fit", folder / "data.csv", "--id", "id", "--drop", "kind", "--clusters", 2,
        "--out", folder / "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return folder / "out" / "model.skops"


@pytest.fixture(scope="module")
def plain_model(tmp_path_factory):
    """A model of the six rows."""
    folder = tmp_path_factory.mktemp("model")
    put(folder / "data.csv", DATA)
    result = run(
        "fit", folder / "data.csv", "--id", "id", "--clusters", 2,
        "--out", folder / "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return folder / "out" / "model.skops"


def test_new_rows_are_assigned_by_name(model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text(
        "more,soil,y,picked,x,id\n1,clay,0,2020-01-01,0,007\n2,sand,9,,9,=b\n"
    )
    out = tmp_path / "out.csv"

    result = run("predict", model, new, "--out", out)

    assert result.exit_code == 0, result.output
    rows = read_csv(out)
    assert list(rows[0]) == [
        *("id", "label", "certainty_percent", "runner_up", "flags"),
        *("cluster_0", "cluster_1"),
    ]
    assert [row["id"] for row in rows] == ["007", "'=b"]
    fitted = read_csv(model.parent / "memberships.csv")
    assert rows[0]["label"] == fitted[0]["label"] != rows[1]["label"]
    assert result.stdout.splitlines()[-1] == str(out)


def test_words_are_read_as_the_fit_read_them(tmp_path):
    (tmp_path / "data.csv").write_text("code,x\n" + "007,1\n7,5\nA7,9\n" * 5)
    (tmp_path / "new.csv").write_text("code,x\n007,1\n007,1\n")
    out = tmp_path / "out"
    run("fit", tmp_path / "data.csv", "--clusters", 3, "--out", out)

    run("predict", out / "model.skops", tmp_path / "new.csv", "--out",
        tmp_path / "new-out.csv")  # fmt: skip

    found = read_csv(tmp_path / "new-out.csv")
    fitted = read_csv(out / "memberships.csv")
    assert found[0]["cluster_0"] == fitted[0]["cluster_0"]
    assert next(iter(found[0])) == "row"


def test_words_that_the_fit_never_met_are_told(model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("id,x,y,soil,picked\na,0,0,peat,2020-01-01\n")

    result = run("predict", model, new, "--out", tmp_path / "out.csv", "--json")

    told = json.loads(result.stdout)
    assert told["rows"] == 1
    assert (
        "column soil: 1 words that the fit never met, such as 'peat'"
        in (told["notes"][0])
    )
    assert sum(told["sizes"]) == 1


def test_words_among_new_numbers_count_as_missing(model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("id,x,y,soil,picked\na,n/k,0,clay,2020-01-01\n")

    told = run("predict", model, new, "--out", tmp_path / "out.csv", "--json")

    assert json.loads(told.stdout)["notes"] == [
        "column x: 1 words among numbers, such as 'n/k', count as missing"
    ]


def test_ids_of_new_rows_may_have_another_name_or_none(model, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("name,x,y,soil,picked\na,0,0,clay,2020-01-01\n")
    out = tmp_path / "out.csv"

    refused = run("predict", model, new, "--out", out)
    assert refused.exit_code == 2
    assert "has no column 'id'" in refused.stderr
    assert run("predict", model, new, "--out", out, "--id", "name").exit_code == 0
    assert read_csv(out)[0]["id"] == "a"
    assert run("predict", model, new, "--out", out, "--no-id").exit_code == 2
    assert read_csv(out)[0]["id"] == "a"
    assert run("predict", model, new, "--out", out, "--no-id", "--force").exit_code == 0
    assert read_csv(out)[0]["row"] == "0"


def test_a_model_of_another_version_says_so(model, tmp_path, monkeypatch):
    new = tmp_path / "new.csv"
    new.write_text(ROWS, encoding="utf-8")
    monkeypatch.setattr("fuzzypairs.tables.model_files.__version__", "9.9")

    result = run("predict", model, new, "--out", tmp_path / "out.csv")

    assert result.exit_code == 0
    assert "and is read by 9.9: fit again if its results seem wrong" in result.stdout


NEW = {
    "no data file": (None, "new.csv does not exist"),
    "empty data": ("", "new.csv is empty"),
    "missing column": ("id,x,kind\na,1,p\n", "new.csv: column 'y' is missing; there"),
    "renamed column": ("id,x,Y,kind\na,1,1,p\n", "column 'y' is missing"),
    "no id": ("x,y,kind\n1,1,p\n", "has no column 'id'"),
    "id twice": ("id,x,y,kind\na,1,1,p\na,1,1,p\n", "holds 'a' in line 2 and line 3"),
    "infinite": ("id,x,y,kind\na,inf,1,p\n", "'x' holds inf in line 2"),
    "only an id": ("id\na\n", "no column left"),
}


@pytest.mark.parametrize("case", NEW)
def test_new_rows_that_do_not_fit(plain_model, tmp_path, case):
    content, sentence = NEW[case]
    put(tmp_path / "new.csv", content)
    before = os.listdir(tmp_path)

    result = run(
        "predict", plain_model, tmp_path / "new.csv", "--out", tmp_path / "o.csv"
    )

    assert answers(result, sentence)
    assert os.listdir(tmp_path) == before


def a_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")


MODELS = {
    "absent": (lambda path, _: None, "model.skops"),
    "empty": (lambda path, _: path.write_bytes(b""), "is empty: copy or save"),
    "text": (lambda path, _: path.write_text(DATA), "is not a zip archive"),
    "pickle": (lambda path, _: path.write_bytes(pickle.dumps(FDC())), "is a pickle"),
    "another zip": (lambda path, _: a_zip(path), "not a readable model file"),
    "cut short": (
        lambda path, model: path.write_bytes(model.read_bytes()[:-100]),
        "is cut short or damaged",
    ),
    "folder": (lambda path, _: path.mkdir(), "is a directory"),
    "another tool": (
        lambda path, _: skops.io.dump(KMeans(), path),
        "without a fuzzypairs model",
    ),
    "no preparation": (
        lambda path, _: save(FDC(2).fit([[0.0], [1.0], [9.0]]), path),
        "holds a FDC that does not know how to read a file",
    ),
}


@pytest.mark.parametrize("case", MODELS)
def test_models_that_are_none(plain_model, tmp_path, case):
    make, sentence = MODELS[case]
    make(tmp_path / "model.skops", plain_model)
    put(tmp_path / "new.csv", DATA)
    before = sorted(os.listdir(tmp_path))

    result = run(
        "predict", tmp_path / "model.skops", tmp_path / "new.csv",
        "--out", tmp_path / "out.csv",
    )  # fmt: skip

    assert answers(result, sentence)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("new.csv", "exists: add --force to replace it"),
        ("out", "has an unknown ending"),
        ("out.ods", "has an unknown ending"),
        ("folder/out.csv", "there is no folder"),
        ("", "is a folder: name a file in it"),
    ],
)
def test_places_where_predictions_cannot_go(plain_model, tmp_path, out, sentence):
    put(tmp_path / "new.csv", DATA)

    result = run("predict", plain_model, tmp_path / "new.csv", "--out", tmp_path / out)

    assert answers(result, sentence)
    assert os.listdir(tmp_path) == ["new.csv"]
    assert (tmp_path / "new.csv").read_text() == DATA


@pytest.mark.parametrize("arguments", [[], ["model.skops"], ["m.skops", "data.csv"]])
def test_what_is_missing_is_told(arguments):
    result = run("predict", *arguments)

    assert result.exit_code == 2
    assert "Missing" in result.stderr
