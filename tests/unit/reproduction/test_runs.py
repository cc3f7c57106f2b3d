"""Lines of runs, also after a kill."""

import pytest

from fuzzypairs.reproduction.runs import Run, Runs

ONE = Run("wine", "iv", 0, "fdc", (("alpha", 0.02), ("beta", 0.5)), last=4)
OTHER = Run("wine", "i", 0, "fdc", (("alpha", 0.02), ("beta", 0.5)), last=4)
RESULT = {"nari": [0.123456, 1.0], "clusters": [3, 2]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.jsonl"


def test_lines_are_read_again(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        assert len(path.read_bytes().splitlines()) == 1  # before it is closed
    with Runs(path) as again:
        assert again.results == {ONE: RESULT}


def test_sorted_lines_do_not_depend_on_the_order(tmp_path):
    written = []
    for number, order in enumerate([(ONE, OTHER), (OTHER, ONE)]):
        file = tmp_path / f"{number}.jsonl"
        with Runs(file) as runs:
            for run in order:
                runs.add(run, RESULT)
            runs.sort()
        written.append(file.read_bytes())
    assert written[0] == written[1]
    assert written[0].index(b'"group":"i"') < written[0].index(b'"group":"iv"')


def test_an_incomplete_last_line_is_dropped(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        runs.add(OTHER, RESULT)
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in (first, first + 1, first + 40, len(whole) - 1):
        path.write_bytes(whole[:length])
        with Runs(path) as again:
            assert set(again.results) == {ONE}
            again.add(OTHER, RESULT)
        assert path.read_bytes() == whole


def test_damage_elsewhere_is_told(path):
    path.write_bytes(b'{"dataset": 3}\n')
    with pytest.raises(ValueError, match=r"line 1 of .* is not a run .* --force"):
        Runs(path)


def test_other_versions_are_other_runs(path):
    with Runs(path) as runs:
        runs.add(ONE, RESULT)
        fields = ONE.as_dict() | {"version": "0.0.0"}
        assert Run.from_dict(fields) not in runs.results
