"""Disks that are full or fail, files and folders that may not be used, links."""

import builtins
import errno
import io
import os
import subprocess
import sys
import traceback

import pytest

from commands import DATA, PAIRS, put, run
from fuzzypairs import FDC, PairSet, load, save
from fuzzypairs.labelling.store import Event, Store, StoreError
from fuzzypairs.tables.atomic import staging
from fuzzypairs.tables.writing import write_table
from hostile import values

MODEL = FDC(2, random_state=0).fit(values.POINTS)
OPTIONS = ["--clusters", 2, "--id", "id", "--jobs", 1, "--n-init", 1, "--force"]


@pytest.fixture
def task(tmp_path):
    """Files to fit, and results of another fit that must stay as they are."""
    put(tmp_path / "data.csv", DATA)
    put(tmp_path / "pairs.csv", PAIRS)
    return tmp_path


def fit(folder, out):
    files = [folder / "data.csv", "--pairs", folder / "pairs.csv"]
    return run("fit", *files, *OPTIONS, "--out", out)


def error_of(function, *arguments, **keywords):
    """The error of a call; None if there is none."""
    try:
        function(*arguments, **keywords)
    except (OSError, StoreError) as error:
        return error
    return None


def is_told(done, reason, code=1):
    """Whether a run of the command ended in one sentence with this reason."""
    assert done.exit_code == code, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.stderr.startswith("fuzzypairs: "), done.stderr
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr
    assert ".tmp" not in done.stderr
    return True


@pytest.fixture
def full(tmp_path):
    """A disk of two megabytes, and a function that leaves so many bytes of it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a disk needs root on Linux")

    def leave(n_bytes):
        (disk / "filler").unlink(missing_ok=True)
        state = os.statvfs(disk)
        free = state.f_bavail * state.f_frsize
        (disk / "filler").write_bytes(bytes(max(0, free - n_bytes)))

    yield disk, leave
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("left", [0, 4096, 40_960])
def test_a_full_disk_leaves_what_was_there(full, left):
    disk, leave = full
    table = {"x": list(range(20_000))}
    writers = {
        "model.skops": lambda path: save(MODEL, path),
        "table.csv": lambda path: write_table(path, table),
        "table.csv.gz": lambda path: write_table(path, table),
        "table.parquet": lambda path: write_table(path, table),
    }
    for name in writers:
        (disk / name).write_text("old")
    leave(left)
    before = sorted(os.listdir(disk))
    for name, write in writers.items():
        error = error_of(write, disk / name)
        assert error is not None or left > 0
        if error is not None:
            assert error.errno == errno.ENOSPC
            assert str(disk / name) in str(error)
            assert (disk / name).read_text() == "old"
    assert sorted(os.listdir(disk)) == before


def test_a_fit_on_a_full_disk_is_told(full, task):
    disk, leave = full
    leave(40_960)
    assert is_told(fit(task, disk / "out"), f"No space left on device: '{disk / 'out'}")
    assert os.listdir(disk) == ["filler"]


def test_judgements_on_a_full_disk_are_refused_or_stored(full):
    disk, leave = full
    n_stored = n_refused = 0
    with Store(disk / "j.db") as store:
        leave(20_000)
        for n in range(200):
            if n == 150:
                leave(10**6)
            event = Event("graded", f"{n}", "b", "Ann", grade=0.5)
            error = error_of(store.append, event)
            assert error is None or "full" in str(error)
            n_stored += error is None
            n_refused += error is not None
        assert len(list(store.answers())) == n_stored
    assert n_stored >= 50  # it goes on when there is room
    assert n_refused > 0
    with Store(disk / "j.db") as store:
        assert len(list(store.answers())) == n_stored


class FailingFile:
    """A file whose reads and writes fail from some number of them on."""

    def __init__(self, file, path, budget):
        self._file, self._path, self._budget = file, path, budget

    def _call(self, name, *args):
        self._budget[0] -= 1
        if self._budget[0] < 0:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return getattr(self._file, name)(*args)

    def read(self, *args):
        return self._call("read", *args)

    def write(self, data):
        return self._call("write", data)

    def writelines(self, lines):
        return self._call("writelines", lines)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __iter__(self):
        return iter(self._file)


def fail_after(monkeypatch, folder, n_calls):
    """Let files in a folder fail after so many reads and writes; return the rest."""
    budget, plain = [n_calls], io.open

    def opened(path, *args, **kwargs):
        file = plain(path, *args, **kwargs)
        ours = isinstance(path, str | os.PathLike) and str(path).startswith(str(folder))
        return FailingFile(file, path, budget) if ours else file

    monkeypatch.setattr(io, "open", opened)
    monkeypatch.setattr(builtins, "open", opened)
    return budget


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_disk_that_fails_at_any_write_leaves_the_old_file(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("m.skops", "t.csv", "t.xlsx", "t.jsonl.gz")]
    for path in paths:
        for n_calls in range(100):
            path.write_text("old")
            with monkeypatch.context() as patched:
                budget = fail_after(patched, tmp_path, n_calls)
                if path.suffix == ".skops":
                    error = error_of(save, MODEL, path)
                else:
                    error = error_of(write_table, path, {"x": [1, 2]})
            if error is None:
                assert budget[0] >= 0
                break
            assert error.errno == errno.EIO
            assert str(path) in str(error)
            assert path.read_text() == "old"
            assert not list(tmp_path.glob(".*"))
        else:
            raise AssertionError(f"{path.name} needs more than 100 writes")
        assert n_calls > 0
    assert (load(paths[0]).labels_ == MODEL.labels_).all()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("n_calls", [0, 1, 3, 9])
def test_a_disk_that_fails_under_a_fit(task, monkeypatch, n_calls):
    (task / "out").mkdir()
    (task / "out" / "mine.txt").write_text("mine")
    with monkeypatch.context() as patched:
        budget = fail_after(patched, task, n_calls)
        done = fit(task, task / "out")
    if budget[0] >= 0:
        assert done.exit_code == 0
        return
    assert is_told(done, "Input/output error", done.exit_code)
    assert done.exit_code in (1, 2)
    assert sorted(os.listdir(task)) == ["data.csv", "out", "pairs.csv"]
    assert os.listdir(task / "out") == ["mine.txt"]


def as_nobody(check):
    """Run a check in a process without the rights of root."""
    process = os.fork()
    if not process:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            check()
            code = 0
        except BaseException:
            traceback.print_exc(file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(code)
    assert os.waitpid(process, 0)[1] == 0


@pytest.fixture
def nobody(task):
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    (task / "out").mkdir()
    # Folders above are closed to others: the check begins inside.
    for folder in [task, *task.parents]:
        if folder.owner() == task.owner() and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(0o755)
    return task


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # fork beside threads
def test_folders_that_may_not_be_written(nobody):
    nobody.chmod(0o555)
    before = sorted(os.listdir(nobody))

    def check():
        with pytest.raises(PermissionError, match=r"m\.skops"):
            save(MODEL, nobody / "m.skops")
        for out in (nobody / "new", nobody / "out"):
            assert is_told(fit(nobody, out), "is not allowed")
        with pytest.raises(StoreError, match=r"j\.db"):
            Store(nobody / "j.db")

    as_nobody(check)
    assert sorted(os.listdir(nobody)) == before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_files_that_may_not_be_read(nobody):
    save(MODEL, nobody / "m.skops")
    put(nobody / "ours.csv", DATA)
    (nobody / "open").mkdir()
    (nobody / "open").chmod(0o777)
    for name in ("m.skops", "data.csv", "pairs.csv"):
        (nobody / name).chmod(0)

    def check():
        with pytest.raises(PermissionError, match=r"m\.skops"):
            load(nobody / "m.skops")
        for name in ("data.csv", "ours.csv"):
            files = [nobody / name, "--pairs", nobody / "pairs.csv"]
            told = run("fit", *files, "--out", nobody / "open" / "out")
            assert is_told(told, "is not readable", 2)
        told = run("predict", nobody / "m.skops", nobody / "ours.csv", "--out",
                   nobody / "open" / "out.csv")  # fmt: skip
        assert is_told(told, "is not readable", 2)

    as_nobody(check)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_store_that_may_not_be_written_can_be_read(nobody):
    with Store(nobody / "j.db") as store:
        store.set_facts({"id_column": "id", "n_rows": "2"})
        store.append(Event("graded", "a", "b", "Ann", grade=0.5))
    (nobody / "j.db").chmod(0o444)
    nobody.chmod(0o555)

    def check():
        with pytest.raises(StoreError, match=r"j\.db may not be written .*: allow it"):
            Store(nobody / "j.db")
        pairs = PairSet.from_store(nobody / "j.db", ids=["a", "b"])
        assert list(pairs) == [(0, 1, 0.5)]

    as_nobody(check)


def test_links_as_outputs(task):
    (task / "real").mkdir()
    (task / "link").symlink_to(task / "real")
    (task / "to come").symlink_to(task / "later")
    done = fit(task, task / "link")
    assert done.exit_code == 0, done.output
    assert "model.skops" in os.listdir(task / "real")
    with staging(task / "to come") as folder:
        (folder / "a.txt").write_text("whole")
    assert os.listdir(task / "later") == ["a.txt"]
    assert (task / "link").is_symlink()
    assert (task / "to come").is_symlink()
    (task / "m.skops").symlink_to(task / "real" / "model file")
    save(MODEL, task / "m.skops")
    assert (task / "m.skops").is_symlink()
    assert (load(task / "real" / "model file").labels_ == MODEL.labels_).all()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_devices_and_pipes_are_not_replaced(task):
    os.mkfifo(task / "pipe.csv")
    for path in (task / "pipe.csv", "/dev/null"):
        with pytest.raises(OSError, match="is a device or pipe"):
            save(MODEL, path)
    with pytest.raises(OSError, match="is a device or pipe"):
        write_table(task / "pipe.csv", {"x": [1]})
