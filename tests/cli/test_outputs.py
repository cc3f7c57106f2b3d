"""Files that cannot be a task: one sentence answers, nothing is written."""

import gzip
import os

import pytest

from commands import DATA, PAIRS, answers, put, run

NAMED = "a,b,grade\na,b,0.8\na,d,-0.6\n"
ID = ["--id", "id"]
# Fields that need no closing quote would hide that the file ended too early.
CUT = gzip.compress(DATA.encode() * 50, mtime=0)[:-20]


# The data, the judgements, further options, and a part of the sentence that answers.
WRONG = {
    "no data file": (None, PAIRS, [], "data.csv does not exist"),
    "empty data": ("", PAIRS, [], "data.csv is empty"),
    "blank data": ("\n\n", PAIRS, [], "data.csv is empty"),
    "head only": ("id,x,y\n", PAIRS, [], "data.csv has no rows"),
    "binary": (bytes(range(256)), PAIRS, [], "data.csv"),
    "zeros": (b"\0" * 400, PAIRS, [], "data.csv"),
    "Latin-1": (DATA.encode() + b"\xe9,1,1,p\n", PAIRS, [], "is not text in UTF-8"),
    "UTF-16": (DATA.encode("utf-16"), PAIRS, [], "is not text in UTF-8"),
    "semicolons": (DATA.replace(",", ";"), PAIRS, [], "separated by commas"),
    "long row": (DATA + "g,1,2,q,5\n", PAIRS, [], "line 8, saw 5"),
    "open quote": (DATA + '"g,1,2,q\n', PAIRS, [], "data.csv cannot be read"),
    "same name twice": (DATA.replace("y", "x", 1), PAIRS, [], "two columns are called"),
    "infinite": (DATA.replace("0,0,p", "inf,0,p"), PAIRS, [], "'x' holds inf in row 0"),
    "too large": (DATA.replace("0,0,p", "1e200,0,p"), PAIRS, [], "'x' holds 1e+200"),
    "slip among numbers": ("x\n" + "1\n2\n" * 10 + "l\n", PAIRS, [], "holds 'l' in"),
    "one row": ("x,y\n1,2\n", None, [], "the number of rows of"),
    "constant": ("x,y\n" + "1,2\n" * 8, PAIRS, [], "all values are the same"),
    "all missing": ("x,y\n" + ",?\n" * 8, PAIRS, [], "all values are missing"),
    "unknown truth": (DATA, PAIRS, ["--truth", "sort"], "has no column 'sort'; it has"),
    "unknown id": (DATA, NAMED, ["--id", "name"], "has no column 'name'"),
    "unknown drop": (DATA, PAIRS, ["--drop", "z"], "has no column 'z'"),
    "all dropped": (DATA, PAIRS, ["--drop", "x", "--drop", "y", "--drop", "id",
                    "--drop", "kind"], "no column left"),
    "id twice": (DATA, NAMED, ["--id", "x"], "holds '0' in rows 0 and 1"),
    "id missing": (DATA.replace("a,0", ",0"), NAMED, ID, "no id in row 0"),
    "truth as id": (DATA, NAMED, [*ID, "--truth", "id"], "cannot be both id and truth"),
    "truth without a class": (DATA.replace("q", "").replace("p\n", "\n"), PAIRS,
                              ["--truth", "kind"], "no class at all"),
    "too many clusters": (DATA, PAIRS, ["--clusters", "7"], "ask for fewer clusters"),
    "no pairs file": (DATA, "absent", [], "absent.csv does not exist"),
    "empty pairs": (DATA, "", [], "pairs.csv is empty"),
    "no judgements": (DATA, "i,j,grade\n", [], "pairs.csv has no rows"),
    "no grades": (DATA, "i,j\n0,1\n", [], "pairs.csv has no column 'grade'"),
    "ids without --id": (DATA, NAMED, [], "has no column 'i'"),
    "rows with --id": (DATA, PAIRS, ID, "pairs.csv has no column 'a'"),
    "unknown id in pairs": (DATA, NAMED + "a,z,1\n", ID, "row 2 names 'z' in column"),
    "id of another spelling": (DATA.replace("a,0", "7,0"), "a,b,grade\n007,b,1\n", ID,
                               "row 0 names '007' in column 'a'"),
    "row too high": (DATA, PAIRS + "0,6,1\n", [], "sample 6 but X has 6 rows"),
    "row below 0": (DATA, PAIRS + "0,-1,1\n", [], "row 2 joins sample -1"),
    "self pair": (DATA, PAIRS + "2,2,1\n", [], "row 2 joins sample 2 to itself"),
    "self pair by id": (DATA, NAMED + "c,c,1\n", ID, "to itself"),
    "half a row": (DATA, PAIRS + "0,1.5,1\n", [], "row 2 joins sample 1.5"),
    "grade 2": (DATA, PAIRS + "0,2,2\n", [], "with grade 2.0; expected"),
    "grade missing": (DATA, PAIRS + "0,2,\n", [], "with grade nan; expected a number"),
    "grade nan": (DATA, PAIRS + "0,2,nan\n", [], "with grade nan; expected a number"),
    "grade infinite": (DATA, PAIRS + "0,2,inf\n", [], "'grade' holds inf in row 2"),
    "grade in words": (DATA, PAIRS + "0,2,hi\n", [], "'grade' holds 'hi' in row 2"),
    "alpha 2": (DATA, PAIRS, ["--alpha", "2"], "alpha must be"),
    "alpha below 0": (DATA, PAIRS, ["--alpha", "-0.1"], "alpha must be"),
    "alpha in words": (DATA, PAIRS, ["--alpha", "much"], "alpha must be"),
    "alpha nan": (DATA, PAIRS, ["--alpha", "nan"], "alpha must be"),
    "beta -1": (DATA, PAIRS, ["--beta", "-1"], "beta must be"),
    "beta infinite": (DATA, PAIRS, ["--beta", "inf"], "beta must be"),
    "unknown metric": (DATA, PAIRS, ["--metric", "taxi"], "metric"),
    "metric of matrices": (DATA, PAIRS, ["--metric", "precomputed"], "in Python"),
    "metric parameter": (DATA, PAIRS, ["--metric-param", "gamma"], "such as gamma=0.5"),
    "parameter of another": (DATA, PAIRS, ["--metric-param", "p=3"], "has 'p', but"),
    "fuzzifier 1": (DATA, PAIRS, ["--fuzzifier", "1"], "fuzzifier must be above 1"),
    "unknown init": (DATA, PAIRS, ["--init", "best"], "init"),
    "no start": (DATA, PAIRS, ["--n-init", "0"], "n_init must be"),
    "no thread": (DATA, PAIRS, ["--jobs", "0"], "n_jobs"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_answered_by_one_sentence(tmp_path, case):
    data, pairs, options, sentence = WRONG[case]
    put(tmp_path / "data.csv", data)
    judged = tmp_path / ("absent.csv" if pairs == "absent" else "pairs.csv")
    put(judged, None if pairs == "absent" else pairs)
    before = sorted(os.listdir(tmp_path))
    given = [] if pairs is None else ["--pairs", judged]

    result = run(
        "fit", tmp_path / "data.csv", *given, "--clusters", 2, *options,
        "--out", tmp_path / "out",
    )  # fmt: skip

    assert answers(result, sentence)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("data.xlsx", b"PK", "has an unknown ending: expected .csv"),
        ("data", DATA, "has an unknown ending"),
        ("data.csv.gz", DATA, "Not a gzipped file"),
        ("data.csv.gz", CUT, "data.csv.gz cannot be read"),
        ("data.parquet", b"PAR1 and no more", "data.parquet cannot be read"),
        ("data.jsonl", '{"x": 1}\n{"x": \n', "row 1 is not JSON"),
        ("data.jsonl", "[1, 2]\n", "row 0 is [1, 2], expected an object"),
        ("data.jsonl", '{"x": [1]}\n{"x": [2]}\n', "'x' holds [1] in row 0"),
        ("data.jsonl", "[" * 100_000, "data.jsonl cannot be read"),
        ("data.tsv", DATA, "separated by tabs"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, sentence):
    put(tmp_path / name, content)

    result = run("fit", tmp_path / name, "--clusters", 2, "--out", tmp_path / "out")

    assert answers(result, sentence)
    assert os.listdir(tmp_path) == [name]


def test_a_folder_is_no_table(tmp_path):
    result = run("fit", tmp_path, "--clusters", 2, "--out", tmp_path / "out")

    assert answers(result, "is a folder: name a file in it")
