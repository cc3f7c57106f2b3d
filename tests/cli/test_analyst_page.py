"""The page for analysts can be pasted, and shows what is printed."""

import re
import shlex
from pathlib import Path

from commands import run

PAGE = Path(__file__).parents[2] / "docs" / "analyst.md"
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def plain(text):
    """Lines without what a terminal pads them with."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_the_page_can_be_pasted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace, printed, shown = {}, [], []
    for kind, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            exec(block, namespace)
        elif kind == "text":
            shown.append(plain(block))
        else:
            for line in block.splitlines():
                result = run(*shlex.split(line)[1:])
                assert result.exit_code == 0, result.output
                printed.append(plain(result.stdout))

    assert len(printed) == len(shown) == 3
    for whole, part in zip(printed, shown, strict=True):
        assert part == whole or part == ["...", *whole[1 - len(part) :]]
