"""The commands of the page on programs as judges run, and say what it says."""

import json
import re
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest

from commands import run
from fuzzypairs import PairSet

PAGE = Path(__file__).parents[2] / "docs" / "judges.md"
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def words(text):
    return " ".join(text.split())


def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    pytest.importorskip("wordllama", reason="needs the extra text")
    monkeypatch.chdir(tmp_path)
    names, outputs, quoted = {}, [], []
    for kind, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            exec(block, names)
        elif kind == "text":
            quoted.append(block)
        else:
            for line in block.strip().split("\n"):
                command = shlex.split(line.replace("'python ", f"'{sys.executable} "))
                result = run(*command[1:])
                assert result.exit_code == 0, result.output
                outputs.append(words(result.output))

    first, more, compared, _ = outputs
    assert "24 graded, 0 can't say, 6 without a grade (6 skipped)" in first
    assert "700 questions in " in more
    assert words(quoted[0]) in compared
    tone = names["table"]["tone"] == "pleased"
    labels = pd.read_csv("result/memberships.csv")["label"]
    right = (labels == tone).mean()
    assert max(right, 1 - right) > 0.8
    pairs = PairSet.from_store("messages.db", n_samples=300)
    same = tone.to_numpy()[pairs.i] == tone.to_numpy()[pairs.j]
    of_program = pairs.judges == pairs.judge_names.index("words")
    wrong = (same != pairs.similar)[of_program]
    assert wrong.size > 500
    assert 0.15 < wrong.mean() < 0.25
    summary = json.loads(Path("result/summary.json").read_text())
    assert summary["judgements"]["given"] == len(pairs) > 560
