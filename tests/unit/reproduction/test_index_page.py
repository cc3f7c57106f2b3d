"""The page and the files of every target."""

import re

import pytest

from fuzzypairs.reproduction.index_page import make_piece, write_pieces
from fuzzypairs.reproduction.targets import TARGETS, make_plan


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_is_written(target, results_of, tmp_path):
    sets = TARGETS[target].datasets[:2]
    plan = make_plan(target, datasets=sets, n_starts=5)
    out = tmp_path / "out"
    out.mkdir()
    write_pieces(out, [make_piece(plan, results_of(plan))])
    names = {file.suffix for file in out.glob(f"{target}.*")}
    figure = {".png", ".svg"} if target.startswith("fig") else set()
    table = set() if target in ("fig-alpha", "fig-lia") else {".md", ".tex"}
    assert names == {".csv"} | figure | table
    page = (out / "index.html").read_text(encoding="utf-8")
    assert TARGETS[target].title in page
    assert "://" not in page.replace("http://www.w3.org", "")
    assert (out / f"{target}.csv").read_text().count("\n") > 3
    links = re.findall(r"\]\(([^)]+)\)", (out / "index.md").read_text(encoding="utf-8"))
    assert all((out / link).exists() for link in links)
    assert bool(links) == (target != "table-examples")


def test_equal_runs_give_equal_files(results_of, tmp_path):
    plan = make_plan("fig-alpha", datasets=["zoo"], n_starts=4)
    results = results_of(plan)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_pieces(tmp_path / name, [make_piece(plan, results)])
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_without_another_method_nothing_is_counted(results_of):
    chosen = {"datasets": ["wine"], "groups": ["iv"], "tunings": ["oracle"]}
    for methods, n_tables in ((["fdc"], 3), (["fcm", "fdc"], 6)):
        plan = make_plan("table2", methods=methods, n_starts=2, **chosen)
        assert len(make_piece(plan, results_of(plan)).tables) == n_tables
