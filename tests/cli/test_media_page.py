"""The commands of the page on pictures and texts run, with answers of a person."""

import os
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from commands import run
from fuzzypairs import PairSet

PAGE = Path(__file__).parents[2] / "docs" / "media.md"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def shown(monkeypatch):
    """What the labelling page shows first, by pair; each of three pairs is graded."""
    shown = []

    def serve(service, *, annotator, **_):
        for asked in service.next(annotator, 3):
            pair = service.catalogue.pair(asked.left, asked.right)
            shown.append((pair, service.catalogue.picture(asked.left)))
            service.answer(annotator, asked.left, asked.right, grade=0.5, input="key")

    monkeypatch.setattr("fuzzypairs.labelling.serving.serve", serve)
    return shown


def test_the_commands_of_the_page_run(tmp_path, monkeypatch, shown):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for kind, block in blocks:
        if kind == "python":  # they write the pictures of the commands
            exec(block, {})
    lines = [
        line for kind, block in blocks if kind == "sh" for line in block.split("\n")
    ]
    for words in filter(None, map(shlex.split, lines)):
        again = ["--force"] if words[1] == "fit" else []
        again = ["--draws", "1"] if words[1] == "demo" else again
        result = run(*words[1:], *again)
        assert result.exit_code == 0, result.output
    listed, texts = shown[3:6], shown[6:]

    assert all(picture is not None for _, picture in shown[:6])
    assert all(pair["texts"] and not pair["cells"] for pair, _ in texts)
    # Other columns of a table are shown beside its pictures.
    assert [cell["column"] for cell in listed[0][0]["cells"]] == ["year"]
    assert len(PairSet.from_store("photos.db", ids=os.listdir("photos"))) > 0
    more = pd.read_csv("more.csv")
    assert len(more) == 120
    assert more["label"].nunique() > 1


def test_a_table_of_texts_alone_may_be_named_by_them(tmp_path, shown):
    path = tmp_path / "texts.csv"
    path.write_text("text\nsalt the soup\nsoup with salt\nrain and wind\nwind\n")

    result = run("label", path, "--id", "text", "--text", "text")

    assert result.exit_code == 0, result.output
    assert {pair["left"]["name"] for pair, _ in shown} <= set(
        path.read_text().splitlines()
    )
