"""A file of lines that survives being killed."""

import pytest

from experiments.json_lines import append_line, open_lines, read_lines
from fuzzypairs import FDC


def test_an_unfinished_line_is_dropped_and_overwritten(tmp_path):
    path = tmp_path / "new" / "runs.jsonl"
    open_lines(path)
    append_line(path, {"a": 1})
    with path.open("ab") as file:
        file.write(b'{"a": 2, "b')
    assert read_lines(path) == [{"a": 1}]
    open_lines(path)
    append_line(path, {"a": FDC})
    assert read_lines(path) == [{"a": 1}, {"a": str(FDC)}]
    assert read_lines(tmp_path / "none") == []

    path.write_text('{"a": 1}\nnonsense\n{"a": 2}\n')
    with pytest.raises(ValueError, match=r"line 2 of .* is not JSON"):
        read_lines(path)
