import os
import signal
import subprocess
import sys

import pytest

from fuzzypairs.tables.atomic import replacing, staging


def fail_halfway(path):
    path.write_text("half")
    raise RuntimeError


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    with pytest.raises(RuntimeError), replacing(tmp_path / "page.html") as temporary:
        fail_halfway(temporary)

    assert os.listdir(tmp_path) == []


def test_a_new_folder_appears_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "deep" / "out"

    with pytest.raises(RuntimeError), staging(folder) as temporary:
        fail_halfway(temporary / "a.txt")
    assert os.listdir(folder.parent) == []

    with staging(folder) as temporary:
        (temporary / "a.txt").write_text("whole")
        assert not folder.exists()
    assert (folder / "a.txt").read_text() == "whole"
    assert os.listdir(folder.parent) == ["out"]


def test_an_existing_folder_keeps_what_is_not_replaced(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "mine.txt").write_text("mine")

    with staging(tmp_path) as temporary:
        (temporary / "a.txt").write_text("new")

    assert (tmp_path / "a.txt").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "mine.txt"]


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_an_interruption_waits_until_all_files_are_moved(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("old")
    replace = os.replace

    def replace_and_interrupt(source, target):
        signal.raise_signal(signal.SIGINT)
        replace(source, target)

    def write_both():
        with staging(tmp_path) as temporary:
            for name in "ab":
                (temporary / f"{name}.txt").write_text("new")
            monkeypatch.setattr(os, "replace", replace_and_interrupt)

    with pytest.raises(KeyboardInterrupt):
        write_both()
    assert {path.read_text() for path in tmp_path.iterdir()} == {"new"}
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_files_are_as_open_as_the_umask_allows(tmp_path):
    umask = os.umask(0o022)
    try:
        with replacing(tmp_path / "page.html") as temporary:
            temporary.write_text("whole")
        with staging(tmp_path / "out") as temporary:
            (temporary / "a.txt").write_text("text")
    finally:
        os.umask(umask)

    assert (tmp_path / "page.html").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


KILLED = """
import os, signal, sys
from pathlib import Path
from fuzzypairs.tables.atomic import replacing, staging
target = Path(sys.argv[2])
with (replacing if sys.argv[1] == "file" else staging)(target) as temporary:
    (temporary if sys.argv[1] == "file" else temporary / "part").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, kind):
    target = tmp_path / "out [1]"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", KILLED, kind, target], check=False)
        assert len(list(tmp_path.iterdir())) == 1  # hidden, and not more each time
    with (replacing if kind == "file" else staging)(target) as temporary:
        (temporary if kind == "file" else temporary / "part").write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out [1]"]


def test_temporary_files_of_running_processes_stay(tmp_path):
    target = tmp_path / "out"
    with replacing(target) as first, replacing(target) as second:
        first.write_text("1")
        second.write_text("2")
        assert first.exists()
    assert target.read_text() == "1"  # the outer one moves last
