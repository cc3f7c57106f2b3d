"""The commands of the page on pictures and texts run, with answers of a person."""

import re
import shlex
from pathlib import Path

import pytest

from commands import run
from fuzzypairs import PairSet

PAGE = Path(__file__).parents[2] / "docs" / "media.md"
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)
# Commands that the page names within a sentence, without --demo, which needs no file.
WITHIN = re.compile(r"`(fuzzypairs fit [^`]*)`")


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
    text, namespace = PAGE.read_text(encoding="utf-8"), {}
    for kind, block in BLOCK.findall(text):
        if kind == "python":
            exec(block, namespace)
        else:
            result = run(*shlex.split(block)[1:])
            assert result.exit_code == 0, result.output
    [fit] = WITHIN.findall(text)
    result = run(*shlex.split(fit)[1:], "--clusters", 2)

    assert result.exit_code == 0, result.output
    pictures, texts = shown[:3], shown[3:]
    assert all(picture is not None for _, picture in pictures)
    assert all(pair["texts"] for pair, _ in texts)
    assert not any("picture" in str(pair["cells"]) for pair, _ in pictures)
    assert len(PairSet.from_store("texts.db", ids=namespace["texts"])) == 3


def test_a_table_of_texts_alone_may_be_named_by_them(tmp_path, shown):
    path = tmp_path / "texts.csv"
    path.write_text("text\nsalt the soup\nsoup with salt\nrain and wind\nwind\n")

    result = run("label", path, "--id", "text", "--text", "text")

    assert result.exit_code == 0, result.output
    assert {pair["left"]["name"] for pair, _ in shown} <= set(
        path.read_text().splitlines()
    )
