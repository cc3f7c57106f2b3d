"""Processes that run cases, each within a time limit, and what became of them."""

import json
import os
import queue
import resource
import runpy
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# The most memory of a worker: a mistaken allocation fails rather than swaps.
MEMORY = 6 * 10**9
TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Verdict:
    """What became of a case."""

    case: str
    outcome: str
    reason: str
    seconds: float


class Worker:
    """A process that takes names of cases and answers with outcomes."""

    def __init__(self) -> None:
        paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hostile.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            text=True,
            bufsize=1,
        )
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.answer(300.0)  # it has imported everything

    def answer(self, limit: float) -> str | None:
        """Return the next line, None if there is none within `limit` seconds.

        Seconds of its processor, where the system tells: others may be busy. One that
        waits for ever has ten times as long.
        """
        start, before = time.monotonic(), self._seconds()
        while not self.selector.select(limit / 10):
            waited = time.monotonic() - start
            used = waited if before is None else (self._seconds() or 0.0) - before
            if used > limit or waited > 10 * limit:
                return None
        return self.process.stdout.readline()

    def _seconds(self) -> float | None:
        """Seconds that the process has used its processor; None if nobody knows."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().split()
        except OSError:
            return None
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def run(self, case: str, limit: float) -> Verdict:
        """Run one case; the worker is of no more use after a crash or hang."""
        start = time.monotonic()
        self.process.stdin.write(case + "\n")
        line = self.answer(limit)
        seconds = time.monotonic() - start
        if line is None:
            self.end()
            return Verdict(case, "hang", f"no answer in {limit:g} s", seconds)
        if not line:
            code = self.process.wait()
            self.end()
            return Verdict(case, "crash", f"ended with code {code}", seconds)
        return Verdict(case, *json.loads(line), seconds)

    @property
    def is_usable(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.selector.close()
        self.process.stdin.close()
        self.process.stdout.close()


def run_cases(
    names: Iterable[str], *, n_workers: int = 1, limit: float = 20.0
) -> Iterator[Verdict]:
    """Run cases by name in worker processes; yield verdicts as they come."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    done: queue.SimpleQueue[Verdict | None] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)

    def work() -> None:
        worker = None
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                break
            if worker is None or not worker.is_usable:
                worker = Worker()
            done.put(worker.run(name, limit))
        if worker is not None and worker.is_usable:
            worker.end()
        done.put(None)

    threads = [threading.Thread(target=work) for _ in range(n_workers)]
    for thread in threads:
        thread.start()
    left = n_workers
    while left:
        verdict = done.get()
        if verdict is None:
            left -= 1
        else:
            yield verdict
    for thread in threads:
        thread.join()


def serve() -> None:
    """Answer names of cases on the standard input with outcomes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # What cases print themselves goes nowhere.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    from hostile.outcomes import outcome

    if "FUZZYPAIRS_CASES" in os.environ:
        CASES = runpy.run_path(os.environ["FUZZYPAIRS_CASES"])["CASES"]
    else:
        from hostile.cases import CASES

    out.write("ready\n")
    for line in sys.stdin:
        out.write(json.dumps(outcome(CASES[line.rstrip("\n")])) + "\n")


if __name__ == "__main__":
    serve()
