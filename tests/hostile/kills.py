"""Kills at random moments: ``python -m hostile.kills N [COMMAND]...`` beside `tests`.

Commands are forked from a process that has imported everything, so that a kill costs
less than a second. Of any five runs four are killed and the last may end: it must find
everything whole, give the files of a run that nobody killed, and leave nothing else.
"""

import http.client
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from hostile.page_client import Client

QUICK = ["--id", "id", "--n-init", "1", "--jobs", "1", "--clusters"]
TABLE = ["table2", "--datasets", "wine", "--groups", "iv", "--methods", "fcm,pcca"]
FOLDS = ["--folds", "2", "--repeats", "1"]
# By command its options, and those that make the results that it replaces.
COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "fit": ([*QUICK, "2"], [*QUICK, "3"]),
    "tune": ([*QUICK, "2-3", *FOLDS], [*QUICK, "3", *FOLDS]),
    "reproduce": ([*TABLE, "--runs", "2"], [*TABLE, "--runs", "2"]),
}
# Of summary.json; of tuning.csv only the number of lines is the same each time.
WITH_TIMES = ("seconds", "command", "tuning")


def start(arguments: list[Any], output: int) -> int:
    """Fork a process that runs the command, in a session of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are no threads
        process = os.fork()
    if process:
        return process
    os.setsid()
    os.dup2(output, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from fuzzypairs.cli import app

    try:
        app([str(argument) for argument in arguments], prog_name="fuzzypairs")
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    finally:
        os._exit(1)


def run(arguments: list[Any]) -> None:
    """Run the command to its end, here: what it imports, later forks have."""
    from typer.testing import CliRunner

    from fuzzypairs.cli import app

    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output


def kill(process: int, *, waits: bool = True) -> None:
    """Kill a process; wait until those that it started have ended, or kill them too."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    # The process of fits has a low priority: if others are busy, it takes minutes to
    # import its modules and to see that nobody waits for it.
    end = time.monotonic() + 600
    while left := [number for number in _processes() if _session(number) == process]:
        assert time.monotonic() < end, f"{left} outlived their parent"
        for number in left if not waits else ():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.01)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _session(process: int) -> int:
    try:
        return os.getsid(process)
    except ProcessLookupError:
        return -1


def contents(folder: Path) -> dict[str, Any]:
    """What the files of a result say, without times; an error if one is not whole."""
    from fuzzypairs import load

    found: dict[str, Any] = {}
    for path in folder.iterdir():
        if path.suffix == ".tmp" or path.name == "times.jsonl":
            continue
        data: Any = path.read_bytes()
        if path.suffix == ".skops":
            data = load(path)[-1].memberships_.tobytes()
        elif path.name == "summary.json":
            data = {k: v for k, v in json.loads(data).items() if k not in WITH_TIMES}
        elif path.name == "tuning.csv":
            data = data.count(b"\n")
        elif path.suffix == ".html":
            data = data.rstrip().endswith(b"</html>")
            assert data, f"{path} is not whole"
        found[path.name] = data
    return found


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".*.tmp")]


def kill_writer(name: str, n_kills: int, folder: Path, rng: random.Random) -> None:
    """Kill a command that writes a folder, which is new or holds other results."""
    options, others = COMMANDS[name]
    files = [folder / "data.csv", "--pairs", folder / "pairs.csv"]
    command = [name, *([] if name == "reproduce" else files)]
    out, old = folder / "out", folder / "old"
    run([*command, *others, "--out", old])
    began = time.monotonic()
    run([*command, *options, "--out", out])
    seconds = time.monotonic() - began
    expected, before = contents(out), contents(old)
    nowhere, kept = os.open(os.devnull, os.O_WRONLY), set[bytes]()
    for number in range(n_kills):
        replaces = name != "reproduce" and number // 5 % 2 == 1
        if number % 5 == 0:
            shutil.rmtree(out)
            kept = set()
            if replaces:
                shutil.copytree(old, out)
        elif out.exists() and name != "reproduce" and not replaces:
            shutil.rmtree(out)  # a run was faster than its kill
        arguments = [*command, *options, "--out", out, *["--force"] * replaces]
        process = start(arguments, nowhere)
        if number % 2 and name != "reproduce":  # while it writes
            wait_for(lambda process=process: hidden(folder) or ended(process))
            time.sleep(rng.uniform(0, 0.5 * seconds))
        else:
            time.sleep(rng.uniform(0, seconds))
        kill(process)
        # What one left of a file goes when the next writes it: `reproduce` has two.
        most = 2 if name == "reproduce" else 1
        assert len(hidden(folder)) <= most, f"{hidden(folder)} are left"
        if name == "reproduce":
            lines = set(whole_lines(out / "runs.jsonl"))
            assert kept <= lines, "finished runs were lost"
            kept = lines
        elif out.exists():
            for file, data in contents(out).items():
                assert data == expected[file] or (replaces and data == before[file])
        if number % 5 == 4 or number == n_kills - 1:
            if name != "reproduce" and not replaces:
                shutil.rmtree(out, ignore_errors=True)
            run(arguments)
            assert contents(out) == expected, "the run after a kill differs"
            assert hidden(folder) == []
    os.close(nowhere)


def ended(process: int) -> bool:
    """Whether a child has ended; it can still be waited for."""
    return (
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    )


def wait_for(happened: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, "nothing happened in 60 s"
        time.sleep(0.002)


def whole_lines(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    return [line for line in path.read_bytes().splitlines(True) if line[-1:] == b"\n"]


def kill_page(n_kills: int, folder: Path, rng: random.Random) -> None:
    """Kill the page while it takes answers; it loses none that it confirmed."""
    from fuzzypairs.labelling.store import Store

    data, confirmed = folder / "data.csv", set[str]()
    command = ["label", data, "--id", "id", "--no-browser", "--annotator", "Ann"]
    for number in range(n_kills):
        process, address = open_page(command)
        timer = threading.Timer(rng.uniform(0, 0.3), os.kill, (process, signal.SIGKILL))
        if number % 2:  # others wait for an answer, which busy machines give late
            timer.start()
        confirmed |= answer(address, f"run {number}", timer)
        timer.join()
        kill(process, waits=number % 5 == 4)
        with Store(folder / "data.db") as store:
            rows = store.read("SELECT key, grade FROM events")
        assert confirmed <= {row["key"] for row in rows}, "an answer was lost"
        assert all(row["grade"] == 0.5 for row in rows)
    process, _ = open_page(command)
    os.kill(process, signal.SIGINT)
    assert os.waitpid(process, 0)[1] == 0
    assert sorted(os.listdir(folder)) == ["data.csv", "data.db", "pairs.csv"]
    assert 2 * len(confirmed) >= n_kills, f"{len(confirmed)} answers in {n_kills} runs"


def open_page(command: list[Any]) -> tuple[int, str]:
    """Start the page; return its process and its address."""
    reading, writing = os.pipe()
    process = start(command, writing)
    os.close(writing)
    with os.fdopen(reading) as file:
        return process, file.readline().strip()


def answer(address: str, run: str, timer: threading.Timer) -> set[str]:
    """Answer pairs until the page ends; return the keys of what it confirmed.

    The timer of the kill begins with the first, unless it has begun.
    """
    confirmed = set[str]()
    with suppress(OSError, http.client.HTTPException):  # it was killed
        client = Client(address)
        for number in range(10**6):
            key, left = f"{run} {number}", number % 23
            pair = {"left": left, "right": left + 1, "grade": 0.5}
            client.post("/api/answer", annotator="Ann", key=key, **pair)
            confirmed.add(key)
            if timer.ident is None:
                timer.start()
    return confirmed


def main() -> int:
    n_kills, names = int(sys.argv[1]), sys.argv[2:] or [*COMMANDS, "label"]
    warnings.simplefilter("ignore")
    from hostile import commands

    for name in names:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            folder = Path(place)
            commands.put(folder / "data.csv", commands.DATA)
            commands.put(folder / "pairs.csv", commands.PAIRS)
            rng = random.Random(os.environ.get("FUZZYPAIRS_SEED", "0"))
            if name == "label":
                kill_page(n_kills, folder, rng)
            else:
                kill_writer(name, n_kills, folder, rng)
        seconds = time.monotonic() - began
        print(f"{name}: {n_kills} kills in {seconds:.0f} s, all well", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
