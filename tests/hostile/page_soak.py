"""The labelling page under load: ``python -m hostile.page_soak SECONDS [RATE]``.

Run it beside `tests`. Three graders of a small table send RATE grades a second (6),
look at the page, take answers back and listen to changes; a report is written now and
then. After a sixth of the time, in which most pairs are graded, and at the end the load
pauses: from then to then the server and its process of fits may grow by less than 5 %,
and have no thread or open file more.
"""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hostile.page_client import Client

GRADERS = ("Ann", "Bob", "Cy")
N_ROWS = 40
# Every so many grades of one person.
UNDO, EDIT, NOTE, VIEW, REOPEN, REPORT = 7, 11, 50, 20, 100, 700
VIEWS = (
    *("/", "/static/page.js", "/static/page.css", "/api/about", "/api/export"),
    *(f"/api/{name}?annotator=" for name in ("state", "history", "agreement")),
)
# Threads that wait for requests end when one comes after ten seconds.
IDLE = 11.0
MOST_GROWTH = 0.05


@dataclass(frozen=True)
class Use:
    """What a process holds.

    Attributes
    ----------
    memory : int
        Resident, in bytes.
    files, threads : int
    """

    memory: int
    files: int
    threads: int

    @classmethod
    def of(cls, process: int) -> "Use":
        place = Path(f"/proc/{process}")
        pages = int((place / "statm").read_text().split()[1])
        counts = (len(os.listdir(place / name)) for name in ("fd", "task"))
        return cls(pages * os.sysconf("SC_PAGE_SIZE"), *counts)

    def more_than(self, before: "Use") -> tuple[float, int, int]:
        """Return the growth of memory as a share, and files and threads more."""
        growth = self.memory / before.memory - 1
        return growth, self.files - before.files, self.threads - before.threads


@contextmanager
def page(folder: Path) -> Iterator[tuple[int, str]]:
    """Run `fuzzypairs label` on a table, and yield its process and address."""
    rng, lines = random.Random(0), ["name,x,y,kind"]
    for row in range(N_ROWS):
        x, y = rng.gauss(6 * (row % 3), 1), rng.gauss(0, 1)
        lines.append(f"item {row},{x:.3f},{y:.3f},{'ab'[row % 2]}")
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "fuzzypairs", "label", str(folder / "data.csv")]
    command += ["--id", "name", "--no-browser", "--clusters", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


def grade(address: str, who: str, rate: float, ending: threading.Event) -> int:
    """Grade until the end; return how many grades were confirmed."""
    rng, start = random.Random(who), time.monotonic()
    client, listener = Client(address), Client(address)
    listener.open("/api/changes")
    following: list[dict[str, dict[str, int]]] = []
    for number in itertools.count(1):
        if ending.wait(max(0.0, start + number / rate - time.monotonic())):
            break
        left, right = rng.sample(range(N_ROWS), 2)  # when all pairs were asked
        if following:
            left, right = (following[0][side]["row"] for side in ("left", "right"))
        value = (0.8 if (left - right) % 3 == 0 else -0.7) * rng.choice((1, 1, 1, -0.2))
        pair = {"annotator": who, "left": left, "right": right}
        reply = client.post("/api/answer", **pair, grade=value, key=str(uuid.uuid4()))
        following = reply["next"]
        if number % UNDO == 0:
            client.post("/api/undo", annotator=who)
        if number % EDIT == 0:
            client.post("/api/edit", annotator=who, event=reply["event"], grade=-0.5)
        if number % NOTE == 0:
            client.post("/api/again", **pair)
        if number % VIEW == 0:
            look(client, who)
        if number % REOPEN == 0:  # as a browser that reloads the page
            for each in (client, listener):
                each.close()
            client, listener = Client(address), Client(address)
            listener.open("/api/changes")
        if number % REPORT == REPORT // 10 and who == GRADERS[0]:
            client.post("/api/report")
    client.close()
    listener.close()
    return number - 1


def look(client: Client, who: str) -> None:
    for path in VIEWS:
        client.get(path + who if path.endswith("=") else path)


def load(address: str, rate: float, seconds: float) -> int:
    """Let all graders work for some time; return how many grades were confirmed."""
    ending = threading.Event()
    with ThreadPoolExecutor(len(GRADERS)) as pool:
        jobs = [
            pool.submit(grade, address, who, rate / len(GRADERS), ending)
            for who in GRADERS
        ]
        end = time.monotonic() + seconds
        while time.monotonic() < end and not any(job.done() for job in jobs):
            time.sleep(0.1)
        ending.set()
        return sum(job.result() for job in jobs)


def use(process: int, address: str) -> dict[str, Use]:
    """Return what server and fits hold when nothing is asked of them."""
    with closing(Client(address)) as client:
        while json.loads(client.get("/api/state?annotator=Ann"))["fitting"]:
            time.sleep(0.2)
    time.sleep(IDLE)
    with closing(Client(address)) as client:
        look(client, "Ann")
        tasks = Path(f"/proc/{process}/task").iterdir()
        numbers = [n for task in tasks for n in (task / "children").read_text().split()]
        # The resource tracker of multiprocessing is a child, too, and stays small.
        children = sorted((Use.of(int(n)) for n in numbers), key=lambda u: u.memory)
        return {"server": Use.of(process), "fits": children[-1]}


def main() -> int:
    seconds, rate = float(sys.argv[1]), float((*sys.argv[2:], 6)[0])
    with tempfile.TemporaryDirectory() as name, page(Path(name)) as (process, address):
        count = load(address, rate, seconds / 6)
        before = now = use(process, address)
        for part in range(1, 6):
            count += load(address, rate, seconds / 6)
            now = use(process, address)
            print(f"{part + 1}/6, {count} grades: {now}", file=sys.stderr, flush=True)
    failed = False
    for name, held in now.items():
        growth, files, threads = held.more_than(before[name])
        failed |= growth >= MOST_GROWTH or files > 0 or threads > 0
        memory = f"memory {growth:+.2%} of {before[name].memory / 1e6:.0f} MB"
        print(
            f"{name} after {count} grades in {seconds:g} s: {memory}, "
            f"{files:+d} files, {threads:+d} threads"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
