"""The labelling page: durable replies, the next pair, the first page, memory."""

import http.client
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from fuzzypairs import PairSet
from fuzzypairs.bench import Row

# What `fuzzypairs label` imports before it reads anything.
IMPORTS = (
    "import fuzzypairs.cli.label, fuzzypairs.analysis.analyse, fuzzypairs.labelling"
)
IMPORTS += ".serving"
# The same program without a limit of the rate: 32 clients are one browser to it.
UNLIMITED = """
from functools import partial
from fuzzypairs.__main__ import main
from fuzzypairs.labelling import serving
from fuzzypairs.labelling.guard import Limits
serving.serve = partial(serving.serve, limits=Limits(rate=1e9, burst=10**9))
if __name__ == "__main__":
    main()
"""
# From a key to the frame that shows another pair, in milliseconds.
WATCH = """() => {
    window.times = [];
    let pressed = 0;
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    new MutationObserver(() => requestAnimationFrame(() => {
        if (pressed) times.push(performance.now() - pressed);
        pressed = 0;
    })).observe(document.getElementById("pair"), { childList: true });
}"""
STATE = "fetch('/api/state?annotator=Ann').then(r => r.json())"
# The first model is there: the server holds all that it needs.
FITTED = f"() => {STATE}.then(state => state.map !== null)"


def rows(quick: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from first_page(folder)
        yield from replies(folder, 50 if quick else 1000)
        yield from keys(folder, 10_000 if quick else 100_000)


def make_table(path: Path, n_rows: int) -> Path:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_rows, 10)) + 4 * rng.integers(5, size=(n_rows, 1))
    frame = pd.DataFrame(values.round(4), columns=[f"x{n}" for n in range(10)])
    frame.insert(0, "name", [f"item {n}" for n in range(n_rows)])
    frame.to_csv(path, index=False)
    return path


@contextmanager
def program(table: Path, *start: str) -> Iterator[tuple[Any, str]]:
    """Run `fuzzypairs label`, and yield its process and address."""
    command = [sys.executable, *(start or ("-m", "fuzzypairs")), "label", str(table)]
    options = ["--id", "name", "--no-browser", "--annotator", "Ann", "--clusters", "5"]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().decode().strip()
        finally:
            process.send_signal(signal.SIGINT)


class Client:
    """One grader on one connection."""

    def __init__(self, address: str, cookie: str = "") -> None:
        parts = urlsplit(address)
        self.connection = http.client.HTTPConnection(parts.netloc)
        self.headers = {"origin": f"http://{parts.netloc}", "cookie": cookie}
        if not cookie:
            self.connection.request("GET", f"/?{parts.query}")
            answer = self.connection.getresponse()
            answer.read()
            given = answer.getheader("set-cookie") or ""
            self.headers["cookie"] = given.partition(";")[0]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request, and return what the answer holds."""
        headers = self.headers | ({} if body is None else JSON)
        content = None if body is None else json.dumps(body)
        self.connection.request(method, path, content, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)

    def grade(self, who: str, n: int) -> list[float]:
        """Grade n pairs, and return the seconds of each reply."""
        seconds = []
        pair = self.ask("GET", f"/api/next?annotator={who}")["next"][0]
        for _ in range(n):
            body = {"annotator": who, "grade": 0.5}
            body |= {side: pair[side]["row"] for side in ("left", "right")}
            started = time.perf_counter()
            pair = self.ask("POST", "/api/answer", body)["next"][0]
            seconds.append(time.perf_counter() - started)
        return seconds


JSON = {"content-type": "application/json"}


def p(seconds: list[float], percent: float) -> float:
    return 1000 * float(np.percentile(seconds, percent))


def first_page(folder: Path) -> Iterator[Row]:
    table = make_table(folder / "first.csv", 10_000)
    waits, imports = [], []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", IMPORTS], check=True)
        imports.append(time.perf_counter() - started)
        started = time.perf_counter()
        with program(table) as (_, address):
            client = Client(address)
            client.ask("GET", "/api/next?annotator=Ann")
            waits.append(time.perf_counter() - started)
    beyond = min(waits) - min(imports)
    detail = f"{min(waits):.2f} s - {min(imports):.2f} s"
    yield Row(
        "first page of 10 000 rows beyond the imports", beyond, "s", 2, True, detail
    )


def replies(folder: Path, n: int) -> Iterator[Row]:
    table = make_table(folder / "replies.csv", 10_000)
    script = folder / "unlimited.py"
    script.write_text(UNLIMITED)
    with program(table, str(script)) as (process, address):
        client = Client(address)
        alone = client.grade("Zoe", 200)
        yield Row("durable reply, p95", p(alone, 95), "ms", 50, True,
                  f"p50 {p(alone, 50):.1f} ms, one client")  # fmt: skip
        before = resident(process.pid)
        client.grade("Zoe", 200)
        growth = 100 * (resident(process.pid) / before - 1)
        yield Row("memory of the server after 200 grades", growth, "% more", 5)
        cookie = client.headers["cookie"]
        clients = [Client(address, cookie) for _ in range(32)]
        with ThreadPoolExecutor(32) as pool:
            jobs = [pool.submit(c.grade, f"g{k}", n) for k, c in enumerate(clients)]
            seconds = [second for job in jobs for second in job.result()]
        yield Row(f"durable reply, 32 clients x {n} grades, p95", p(seconds, 95), "ms",
                  100, True, f"p50 {p(seconds, 50):.0f} ms")  # fmt: skip
        lost = 400 + 32 * n - count(folder / "replies.db")
        yield Row("judgements lost", lost, "", 0)


def count(path: Path) -> int:
    import sqlite3

    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("SELECT count(*) FROM judgements").fetchone()[0]
    return found


def resident(number: int) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{number}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return float(line.split()[1]) / 1024


def keys(folder: Path, n_rows: int) -> Iterator[Row]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return
    from playwright.sync_api import sync_playwright

    table = make_table(folder / "keys.csv", n_rows)
    with program(table) as (process, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("#page[data-ready]")
        page.evaluate(WATCH)
        page.wait_for_function(FITTED, timeout=120_000)
        n_fitting, before = 0, resident(process.pid)
        for number in range(200):
            page.keyboard.press("1346789"[number % 7])
            page.wait_for_timeout(160)  # sooner, a key is ignored
            if number % 20 == 0:
                n_fitting += page.evaluate(STATE)["fitting"]
        times = [t / 1000 for t in page.evaluate("window.times")]
        growth = 100 * (resident(process.pid) / before - 1)
        browser.close()
    detail = f"{len(times)} keys, a fit running at {n_fitting} of 10 looks"
    what = f"key to next pair, {n_rows} items"
    yield Row(f"{what}, p50", p(times, 50), "ms", 20, True, detail)
    yield Row(f"{what}, p95", p(times, 95), "ms", 100, True, detail)
    yield Row("memory of the server after 200 keys", growth, "% more", 5)
    PairSet.from_store(folder / "keys.db", ids=[f"item {n}" for n in range(n_rows)])
