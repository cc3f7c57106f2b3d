"""A writer that is killed at any moment loses nothing that it acknowledged."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from fuzzypairs.labelling.store import Store

# 50 in the tests; `make kills` has 1000.
KILLS = int(os.environ.get("FUZZYPAIRS_KILLS", "50"))
# Grades by two threads, each acknowledged by one line after the commit.
WRITER = """
import sys, threading
from fuzzypairs.labelling.store import Event, Item, Store
path, run = sys.argv[1], sys.argv[2]
store = Store(path)
def work(name):
    n = 0
    while True:
        key = f"{run}-{name}-{n}"
        items = [Item(f"{key} {side}", n, "00") for side in "ab"]
        event = Event("graded", items[0].id, items[1].id, name, grade=0.5, key=key)
        store.append(event, items)
        sys.stdout.write(key + "\\n")
        sys.stdout.flush()
        n += 1
for name in ("Ann", "Bob"):
    threading.Thread(target=work, args=(name,)).start()
"""


def test_no_acknowledged_judgement_is_lost(tmp_path):
    path, rng = tmp_path / "kill.db", random.Random(0)
    acknowledged = set()
    for run in range(KILLS):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(run)],
            stdout=subprocess.PIPE,
            text=True,
        )
        if run % 5:  # else it is killed while it starts
            acknowledged.add(writer.stdout.readline().strip())
        time.sleep(rng.uniform(0, 0.05))
        writer.kill()
        rest, _ = writer.communicate()
        # A last line without its end was not acknowledged.
        acknowledged |= {line.strip() for line in rest.splitlines(True) if "\n" in line}

    with Store(path) as store:
        rows = store.read("SELECT key, left_id, right_id, grade FROM events")
        items = {item.id for item in store.items()}
    assert acknowledged - {""} <= {row["key"] for row in rows}
    assert len(acknowledged) > KILLS / 2
    for row in rows:  # no half one
        assert row["grade"] == 0.5
        assert {row["left_id"], row["right_id"]} <= items
    assert len(items) == 2 * len(rows)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
