"""Files and options that cannot be used: one sentence answers, nothing is written."""

# ruff: noqa: E501 - a case is a line

import gzip
import io
import os

import pandas as pd
import pytest

from commands import DATA, PAIRS, answers, put, run

NAMED = "a,b,grade\na,b,0.8\na,d,-0.6\n"
ID = ["--id", "id"]
# Fields that need no closing quote would hide that the file ended too early.
CUT = gzip.compress(DATA.encode() * 50, mtime=0)[:-20]

LISTS = io.BytesIO()
pd.DataFrame({"x": [1.5, 2, 4], "tags": [["a"], ["b"], []]}).to_parquet(LISTS)

SCALE = "--grade-scale"
DATES = "d,x\n1/2/2020,1\n3/4/2020,5\n5/6/2020,7\n"
# The data, the judgements, further options, and a part of the sentence that answers.
WRONG = {
    "no data file": (None, PAIRS, [], "data.csv does not exist"),
    "empty data": ("", PAIRS, [], "data.csv is empty"),
    "blank data": ("\n\n", PAIRS, [], "data.csv is empty"),
    "comments only": ("# a\n# b\n", PAIRS, [], "data.csv is empty"),
    "head only": ("id,x,y\n", PAIRS, [], "data.csv has no rows"),
    "binary": (bytes(range(256)), PAIRS, [], "data.csv cannot be read: it is not text"),
    "zeros": (b"\0" * 400, PAIRS, [], "data.csv cannot be read: it is not text"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\r", PAIRS, [], "it is not text"),
    "half of UTF-16": (DATA.encode("utf-16")[:-1], PAIRS, [], "it is not text"),
    "long row": (DATA + "g,1,2,q,5\n", PAIRS, [], "line 8 has 5 fields but there are 4"),
    "long row after comments": ("# n\n# m\n" + DATA + "g,1,2,q,5\n", PAIRS, [],
                                "line 10 has 5 fields"),
    "long row after a break": (DATA.replace("a,0", '"a\nb",0') + "g,1,2,q,5\n", PAIRS, [],
                               "line 9 has 5 fields"),
    "longer rows than the head": ("id\n1,2\n", PAIRS, [], "line 2 has 2 fields"),
    "open quote": (DATA + '"g,1,2,q\n', PAIRS, [], "quote that opens in line 8 is never"),
    "same name twice": (DATA.replace("y", "x", 1), PAIRS, [], "two columns are called"),
    "no names": ("5.1,3.5\n4.9,3.0\n4.7,3.2\n", PAIRS, [], "first line holds numbers"),
    "infinite": (DATA.replace("0,0,p", "inf,0,p"), PAIRS, [], "holds inf in line 2"),
    "too large": (DATA.replace("0,0,p", "1e200,0,p"), PAIRS, [], "'x' holds 1e+200"),
    "one row": ("x,y\n1,2\n", None, [], "all values are the same"),
    "constant": ("x,y\n" + "1,2\n" * 8, PAIRS, [], "all values are the same"),
    "all missing": ("x,y\n" + ",?\n" * 8, PAIRS, [], "all values are missing"),
    "running numbers only": ("n\n" + "".join(f"{n}\n" for n in range(30)), PAIRS, [],
                             "it numbers the rows"),
    "texts as categories": ("t\n" + "".join(f"a text of {n}\n" for n in range(30)),
                            None, ["--category", "t"], "none of its 30 different values"),
    "dates of two readings": (DATES, None, [], "day or month may come first: set "
                              "--date-order to dmy or mdy"),
    "unknown truth": (DATA, PAIRS, ["--truth", "sort"], "has no column 'sort'; it has"),
    "misspelt truth": (DATA, PAIRS, ["--truth", "knid"], "did you mean 'kind'?"),
    "misspelt id": (DATA, NAMED, ["--id", "idd"], "'idd', did you mean 'id'?"),
    "upper case": (DATA, PAIRS, ["--drop", "KIND"], "did you mean 'kind'?"),
    "unknown id": (DATA, NAMED, ["--id", "name"], "has no column 'name'"),
    "unknown drop": (DATA, PAIRS, ["--drop", "z"], "has no column 'z'"),
    "unknown category": (DATA, PAIRS, ["--category", "z"], "there is no column 'z'"),
    "unknown number": (DATA, PAIRS, ["--number", "yy"], "no column 'yy'"),
    "unknown date": (DATA, PAIRS, ["--date", "day"], "there is no column 'day'"),
    "numbers that are words": (DATA, PAIRS, ["--number", "kind"], "'kind' is to be numbers but holds"),
    "dates that are words": (DATA, PAIRS, ["--date", "kind"], "'kind' is to be a date"),
    "dates that are numbers": (DATA, PAIRS, ["--date", "x"], "'x' is to be a date"),
    "all dropped": (DATA, PAIRS, ["--drop", "x", "--drop", "y", "--drop", "id",
                    "--drop", "kind"], "no column left"),
    "id twice": (DATA, NAMED, ["--id", "x"], "holds '0' in line 2 and line 3"),
    "id missing": (DATA.replace("a,0", ",0"), NAMED, ID, "no id in line 2"),
    "truth as id": (DATA, NAMED, [*ID, "--truth", "id"], "cannot be both id and truth"),
    "truth without a class": (DATA.replace("q", "").replace("p\n", "\n"), PAIRS,
                              ["--truth", "kind"], "no class at all"),
    "too many clusters": (DATA, PAIRS, ["--clusters", "7"], "ask for fewer clusters"),
    "no pairs file": (DATA, "absent", [], "absent.csv does not exist"),
    "empty pairs": (DATA, "", [], "pairs.csv is empty"),
    "binary pairs": (DATA, bytes(range(256)), [], "pairs.csv cannot be read: it is not"),
    "no judgements": (DATA, "i,j,grade\n", [], "pairs.csv has no rows"),
    "pairs without names": (DATA, "0,1,0.5\n1,2,0.7\n", [], "first line holds numbers"),
    "long pair": (DATA, PAIRS + "0,1,1,1\n", [], "line 4 has 4 fields"),
    "no grades": (DATA, "i,j\n0,1\n", [], "pairs.csv has no column 'grade'"),
    "misspelt grade": (DATA, "i,j,garde\n0,1,1\n", [], "did you mean 'garde'?"),
    "one end": (DATA, "i,grade\n0,1\n", [], "pairs.csv has no column 'a'"),
    "columns of other names": (DATA, "p,q,grade\na,b,1\n", [], "it has 'p', 'q', 'gra"),
    "ids of nowhere": (DATA, "a,b,grade\nu,v,1\n", [], "names 'u', but no column of"),
    "some ids of nowhere": (DATA, NAMED + "a,zz,1\n", [], "line 4 names 'zz'"),
    "unknown id in pairs": (DATA, NAMED + "a,z,1\n", ID, "line 4 names 'z', which is no"),
    "misspelt id in pairs": (DATA.replace("a,0", "oak,0"), "a,b,grade\noka,b,1\n", ID,
                             "names 'oka', which is no id of the data, did you mean 'o"),
    "id of another spelling": (DATA.replace("a,0", "7,0"), "a,b,grade\n007,b,1\n", ID,
                               "line 2 names '007'"),
    "no id in pairs": (DATA, NAMED + "a,,1\n", ID, "line 4 has no id"),
    "row too high": (DATA, PAIRS + "0,6,1\n", [], "line 4 names row '6': expected a row "
                     "number from 0 to 5"),
    "rows from 1": (DATA, "i,j,grade\n1,6,1\n2,3,-1\n", [], "to be counted from 1"),
    "row below 0": (DATA, PAIRS + "0,-1,1\n", [], "line 4 names row '-1'"),
    "row missing": (DATA, PAIRS + ",1,1\n", [], "line 4 names row nothing"),
    "row in words": (DATA, PAIRS + "one,1,1\n", [], "line 4 names row 'one'"),
    "self pair": (DATA, PAIRS + "2,2,1\n", [], "line 4 joins '2' to itself"),
    "self pair by id": (DATA, NAMED + "c,c,1\n", ID, "line 4 joins 'c' to itself"),
    "half a row": (DATA, PAIRS + "0,1.5,1\n", [], "line 4 names row '1.5'"),
    "grade 2": (DATA, PAIRS + "0,2,2\n", [], "line 4 has grade 2; expected -1 (unlike)"),
    "grades missing": (DATA, "i,j,grade\n0,2,\n", [], "line 2 has no grade"),
    "grades to 4": (DATA, "i,j,grade\n0,1,1\n0,3,4\n", [], "add --grade-scale 1-4 or"),
    "grade infinite": (DATA, PAIRS + "0,2,inf\n", [], "line 4 has grade inf"),
    "grade in words": (DATA, PAIRS + "0,2,hi\n", [], "line 4 has the grade 'hi'"),
    "yes among numbers": (DATA, PAIRS + "0,2,yes\n", [], "'yes' but others are numbers"),
    "grades from 0 to 1": (DATA, "i,j,grade\n0,1,0.2\n0,3,0.9\n", [],
                           "all grades lie in 0 to 1"),
    "grades to 3": (DATA, "i,j,grade\n0,1,1\n0,3,3\n", [], "grades run from 1 to 3"),
    "grades to 1000": (DATA, "i,j,grade\n0,1,1\n0,3,1000\n", [], "say on which scale"),
    "grade off its scale": (DATA, "i,j,grade\n0,1,1\n0,3,7\n", [SCALE, "1-5"],
                            "line 3 has grade 7; expected 1 (unlike) to 5 (alike)"),
    "number for yes": (DATA, PAIRS, [SCALE, "yes/no"], "'0.8': expected yes or no"),
    "unknown scale": (DATA, PAIRS, [SCALE, "likert"], "--grade-scale is 'likert': exp"),
    "scale upside down": (DATA, PAIRS, [SCALE, "5-1"], "--grade-scale is '5-1'"),
    "alpha 2": (DATA, PAIRS, ["--alpha", "2"], "--alpha must be finite, 0 or more and"),
    "alpha below 0": (DATA, PAIRS, ["--alpha", "-0.1"], "--alpha must be"),
    "alpha in words": (DATA, PAIRS, ["--alpha", "much"], "'much' is neither a number"),
    "alpha nan": (DATA, PAIRS, ["--alpha", "nan"], "--alpha must be"),
    "beta -1": (DATA, PAIRS, ["--beta", "-1"], "--beta must be"),
    "beta in words": (DATA, PAIRS, ["--beta", "high"], "'high' is neither a number nor "
                      "auto"),
    "beta infinite": (DATA, PAIRS, ["--beta", "inf"], "--beta must be"),
    "unknown metric": (DATA, PAIRS, ["--metric", "taxi"], "--metric must be one of"),
    "metric of matrices": (DATA, PAIRS, ["--metric", "precomputed"], "in Python"),
    "metric parameter": (DATA, PAIRS, ["--metric-param", "gamma"], "such as gamma=0.5"),
    "parameter of another": (DATA, PAIRS, ["--metric-param", "p=3"], "has 'p', but"),
    "propagate in words": (DATA, PAIRS, ["--propagate", "far"], "'far' is neither a num"),
    "propagate 2": (DATA, PAIRS, ["--propagate", "2"], "--propagate must be"),
    "fuzzifier 1": (DATA, PAIRS, ["--fuzzifier", "1"], "--fuzzifier must be above 1"),
    "fuzzifier in words": (DATA, PAIRS, ["--fuzzifier", "soft"], "'--fuzzifier'"),
    "unknown init": (DATA, PAIRS, ["--init", "best"], "--init is 'best'"),
    "no start": (DATA, PAIRS, ["--n-init", "0"], "--n-init must be"),
    "half a start": (DATA, PAIRS, ["--n-init", "1.5"], "'--n-init'"),
    "no pass": (DATA, PAIRS, ["--max-iter", "0"], "--max-iter must be"),
    "no thread": (DATA, PAIRS, ["--jobs", "0"], "--jobs must be"),
    "seed -1": (DATA, PAIRS, ["--seed", "-1"], "'--seed'"),
    "seed too high": (DATA, PAIRS, ["--seed", str(2**32)], "'--seed'"),
    "one cluster": (DATA, PAIRS, ["--clusters", "1"], "--clusters is '1': expected"),
    "clusters in words": (DATA, PAIRS, ["--clusters", "two"], "--clusters is 'two': expected"),
    "half a cluster": (DATA, PAIRS, ["--clusters", "2.5"], "--clusters"),
    "clusters backwards": (DATA, PAIRS, ["--clusters", "5-2"], "is '5-2': expected"),
    "unknown format": (DATA, PAIRS, ["--format", "doc"], "'--format'"),
    "unknown order": (DATA, PAIRS, ["--date-order", "ydm"], "'ydm' is not one of 'dmy'"),
    "misspelt option": (DATA, PAIRS, ["--truht", "kind"], "--truth"),
    "empty scale": (DATA, PAIRS, [SCALE, ""], "--grade-scale is ''"),
    "further argument": (DATA, PAIRS, ["more.csv"], "unexpected extra argument"),
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
        ("data.xlsx", b"PK", "it is no workbook"),
        ("data.xlsx", DATA, "it is no workbook"),
        ("data.xls", b"PK", "data.xls ends in .xls: save it as .xlsx"),
        ("data.json", "[]", "data.json ends in .json: save it as .jsonl"),
        ("data", DATA, "has an unknown ending"),
        ("data.doc", DATA, "has an unknown ending"),
        ("data.csv.gz", DATA, "Not a gzipped file"),
        ("data.csv.gz", CUT, "data.csv.gz cannot be read"),
        ("data.parquet", b"PAR1 and no more", "data.parquet cannot be read"),
        ("data.parquet", DATA, "data.parquet cannot be read"),
        ("data.parquet", LISTS.getvalue(), "'tags' holds array(['a'], dtype=object)"),
        ("data.jsonl", '{"x": 1}\n{"x": \n', "line 2 is not JSON"),
        ("data.jsonl", "[1, 2]\n", "line 1 is [1, 2], expected an object"),
        (
            "data.jsonl",
            '{"x": [1], "y": 1}\n{"x": [2], "y": 3}\n',
            "'x' holds [1] in line 1",
        ),
        ("data.jsonl", "[" * 100_000, "data.jsonl cannot be read"),
        ("data.jsonl", DATA, "line 1 is not JSON"),
        ("data.txt", "# nothing\n", "data.txt is empty"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, sentence):
    put(tmp_path / name, content)

    result = run("fit", tmp_path / name, "--clusters", 2, "--out", tmp_path / "out")

    assert answers(result, sentence)
    assert os.listdir(tmp_path) == [name]


def test_a_folder_without_files_is_no_table(tmp_path):
    result = run("fit", tmp_path, "--clusters", 2, "--out", tmp_path / "out")

    assert answers(
        result, f"{tmp_path.name} holds no item that can be read: expected pictures"
    )
    assert not (tmp_path / "out").exists()


def test_there_are_120_mistakes():
    assert len(WRONG) + 16 >= 120
