"""The store of judgements: one SQLite file of events that are only ever appended.

This module imports the standard library alone, so that a file of judgements can be
opened anywhere and at once.
"""

import queue
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Self, cast

from fuzzypairs.exceptions import is_locked, sqlite_sentence
from fuzzypairs.labelling.events import Answer, Event, Item, StoreError
from fuzzypairs.labelling.schema import MIGRATIONS

__all__ = ["Answer", "Event", "Item", "Store", "StoreError"]

# "fuzz" in ASCII: marks the file as one of this package.
APPLICATION_ID = 0x66757A7A
# Seconds to wait for others that use the file: on a machine with much other work, late
# is better than refused. Answers wait longest, in steps, so that a store can be closed.
BUSY, ANSWERS_BUSY, STEP = 10.0, 60.0, 0.5
# The most events of one transaction; all of them are answered by its commit.
BATCH = 256
# Rows of one statement: SQLite allows at least 32 766 values in one.
ROWS_A_STATEMENT = 1000


COLUMNS = [field.name for field in fields(Event)]
ANSWER = ", ".join(field.name for field in fields(Answer))
# What is stored together and who waits for the commit: events, items, whether they are
# one answer, and the numbers of the events.
Work = tuple[list[Event], list[Item], bool, "Future[list[int]]"]


class Store:
    """A file of judgements, open for reading and appending.

    One thread writes. It puts all waiting events into one transaction, and `append`
    returns after the commit, which SQLite has synchronised with the disk: what was
    acknowledged survives a crash of the process and of the machine.

    Parameters
    ----------
    path : str or path-like
        The file; it is created if there is none, and upgraded if it is older.

    Attributes
    ----------
    problem : str
        What answers wait for, such as another program that has locked the file; empty
        if they do not wait.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.labelling.store import Event, Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(Path(folder) / "wine.db") as store:
    ...         number = store.append(Event("graded", "W1", "W2", "Ann", grade=0.75))
    ...         [(answer.left_id, answer.grade) for answer in store.answers()]
    [('W1', 0.75)]
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise StoreError(
                f"{self.path}: there is no folder {self.path.parent}; create it"
            )
        self._reading = threading.Lock()
        self._reader = connect(self.path)
        try:
            migrate(self._reader, self.path)
            connection = connect(self.path, STEP)
        except BaseException:
            self._reader.close()
            raise
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=self._write, args=(connection,), name="fuzzypairs-store", daemon=True
        )
        self._closed = False
        self.problem = ""
        self._writer.start()

    def submit(
        self,
        events: Iterable[Event],
        items: Iterable[Item] = (),
        *,
        are_one: bool = False,
    ) -> "Future[list[int]]":
        """Hand events to the writer; the future has their numbers after the commit.

        The events of one call are stored together or not at all.

        Parameters
        ----------
        events : iterable of Event
        items : iterable of Item, default=()
            Items that the events name; known ones are left as they are.
        are_one : bool, default=False
            Whether the events are one answer, to be undone and held out as one.
        """
        if self._closed:
            raise StoreError(f"{self.path} is closed: open it again")
        future: Future[list[int]] = Future()
        future.set_running_or_notify_cancel()  # what is handed over is stored
        self._work.put((list(events), list(items), are_one, future))
        return future

    def append(self, event: Event, items: Iterable[Item] = ()) -> int:
        """Store an event, and return its number after the commit.

        Parameters
        ----------
        event : Event
        items : iterable of Item, default=()
            Items that the event names.
        """
        return self.submit([event], items).result()[0]

    def _write(self, connection: sqlite3.Connection) -> None:
        """Store what is waiting, a batch a transaction, until the store is closed."""
        with closing(connection):
            while True:
                batch, is_last = self._next_batch()
                if batch:
                    self._commit(connection, batch)
                if is_last:
                    return

    def _next_batch(self) -> tuple[list[Work], bool]:
        """Wait for work, and take all there is; say whether the store was closed."""
        batch: list[Work] = []
        work = self._work.get()
        while work is not None:
            batch.append(work)
            if len(batch) == BATCH:
                return batch, False
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, connection: sqlite3.Connection, batch: list[Work]) -> None:
        """Store a batch; a group of events that is refused does not harm the others."""
        try:
            numbers = self._insert(connection, batch)
        # Whatever an event holds, others wait for this thread.
        except Exception as error:
            # Of the file, or of an event.
            if isinstance(error, sqlite3.OperationalError) or (
                type(error) is sqlite3.DatabaseError
            ):
                said = sqlite_sentence(self.path, error)
            elif len(batch) > 1:
                for work in batch:
                    self._commit(connection, [work])
                return
            else:
                said = f"{self.path} does not take this event: {error}"
            for *_, future in batch:
                future.set_exception(StoreError(said))
        else:
            for (*_, future), stored in zip(batch, numbers, strict=True):
                future.set_result(stored)

    def _insert(
        self, connection: sqlite3.Connection, batch: list[Work]
    ) -> list[list[int]]:
        """Store a batch in one transaction; wait for others while the store is open."""
        until = time.monotonic() + ANSWERS_BUSY
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                numbers = insert(connection, batch)
                connection.execute("COMMIT")
            except Exception as error:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                is_late = self._closed or time.monotonic() > until
                if is_late or not is_locked(error):
                    raise
                self.problem = sqlite_sentence(self.path, cast(sqlite3.Error, error))
            else:
                self.problem = ""
                return numbers

    def read(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a query.

        Parameters
        ----------
        query : str
            SQL with ``?`` for each value.
        *values : object
        """
        with self._reading, worded(self.path):
            return self._reader.execute(query, values).fetchall()

    def answers(self, annotator: str | None = None) -> list[Answer]:
        """Return the answers as they stand, the oldest first.

        Parameters
        ----------
        annotator : str, default=None
            Only of this person.
        """
        return list(self.each_answer(annotator))

    def each_answer(self, annotator: str | None = None) -> Iterator[Answer]:
        """Yield the answers as they stand, the oldest first; no list of them is made.

        The store cannot be read otherwise before the last one was taken.

        Parameters
        ----------
        annotator : str, default=None
            Only of this person.
        """
        with self._reading, worded(self.path):
            yield from read_answers(self._reader, annotator)

    def each_row(self, query: str, *values: object) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query as `each_answer` does; see `read`."""
        with self._reading, worded(self.path):
            yield from self._reader.execute(query, values)

    def last_answer(self, annotator: str) -> int | None:
        """Return the first event of the last answer or edit of a person that stands."""
        rows = self.read(
            "SELECT coalesce(part_of, id) AS first FROM standing WHERE annotator = ? "
            "ORDER BY id DESC LIMIT 1",
            annotator,
        )
        return rows[0]["first"] if rows else None

    def events_of(self, answer: int) -> list[Event]:
        """Return the events of an answer, by the number of the first."""
        rows = self.read(
            f"SELECT {', '.join(COLUMNS)} FROM events WHERE id = ? OR part_of = ? "
            "ORDER BY id",
            answer, answer,
        )  # fmt: skip
        return [Event(**row) for row in rows]

    def event(self, number: int) -> Event:
        """Return a stored event."""
        rows = self.read(
            f"SELECT {', '.join(COLUMNS)} FROM events WHERE id = ?", number
        )
        if not rows:
            raise StoreError(f"{self.path} has no event {number}")
        return Event(**rows[0])

    def bad_items(self) -> set[str]:
        """Return the ids of items that were reported as bad."""
        return {row["id"] for row in self.read("SELECT id FROM bad_items")}

    def annotators(self) -> list[str]:
        """Return the names of those who answered, sorted."""
        rows = self.read("SELECT DISTINCT annotator FROM answers ORDER BY annotator")
        return [row["annotator"] for row in rows]

    def facts(self) -> dict[str, str]:
        """Return what the file knows of its data; see `fingerprint`."""
        return dict(map(tuple, self.read("SELECT name, value FROM facts")))

    def set_facts(self, facts: Mapping[str, str], items: Iterable[Item] = ()) -> None:
        """Replace what the file knows of its data.

        Parameters
        ----------
        facts : mapping of str to str
        items : iterable of Item, default=()
            Known items as they are now.
        """
        with worded(self.path), closing(connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM facts")
            connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            connection.executemany(
                "UPDATE items SET row = ?, digest = ? WHERE id = ?",
                [(item.row, item.digest, item.id) for item in items],
            )
            connection.execute("COMMIT")

    def cluster_names(self) -> dict[str, str]:
        """Return the names of clusters, by the id of an item of each."""
        return dict(map(tuple, self.read("SELECT id, name FROM cluster_names")))

    def name_cluster(self, id: str, name: str, others: Iterable[str]) -> None:
        """Name the cluster of an item; nothing is called by `others` any more.

        Parameters
        ----------
        id : str
        name : str
            Empty for none.
        others : iterable of str
        """
        with worded(self.path), closing(connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "DELETE FROM cluster_names WHERE id = ?", [(i,) for i in (id, *others)]
            )
            if name:
                connection.execute(
                    "INSERT INTO cluster_names VALUES (?, ?)", (id, name)
                )
            connection.execute("COMMIT")

    def items(self) -> Iterator[Item]:
        """Yield the items that events name."""
        return (Item(*row) for row in self.read("SELECT id, row, digest FROM items"))

    def close(self) -> None:
        """Store what is waiting, and close the file."""
        if not self._closed:
            self._closed = True
            self._work.put(None)
            self._writer.join()
            self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def worded(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into sentences about the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(sqlite_sentence(path, error)) from None


def connect(path: Path, timeout: float = BUSY) -> sqlite3.Connection:
    """Return a connection that commits to the disk."""
    with worded(path):
        connection = sqlite3.connect(
            path, timeout=timeout, isolation_level=None, check_same_thread=False
        )
    connection.row_factory = sqlite3.Row
    try:
        with worded(path):
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
    except StoreError:
        connection.close()
        raise
    return connection


def read_answers(
    connection: sqlite3.Connection, annotator: str | None = None
) -> Iterator[Answer]:
    """Yield the answers as they stand, of all or of one person."""
    some = "" if annotator is None else "WHERE annotator = ?"
    values = () if annotator is None else (annotator,)
    query = f"SELECT {ANSWER} FROM answers {some} ORDER BY id"
    for row in connection.execute(query, values):
        yield Answer(**{**dict(row), "edited": bool(row["edited"])})


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest schema, or raise an error about a foreign one."""
    with worded(path):
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        known = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != APPLICATION_ID and (known or version):
            raise StoreError(f"{path} is a database of another program: name another")
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{path} has version {version} but this fuzzypairs knows "
                f"{len(MIGRATIONS)}: upgrade fuzzypairs"
            )
        for number, script in enumerate(MIGRATIONS[version:], version + 1):
            for statement in statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        # Views and triggers of others could do anything, with any cells.
        if parts(connection) != own_parts():
            raise StoreError(
                f"{path} has other tables or views than fuzzypairs makes: another "
                "program changed it; take a copy from before"
            )
        connection.execute("COMMIT")


def parts(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Return the tables, indices, triggers and views of a file."""
    found = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    )
    return set(map(tuple, found))


@cache
def own_parts() -> set[tuple[str, ...]]:
    """Return what the newest schema has."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements("".join(MIGRATIONS)):
            connection.execute(statement)
        return parts(connection)


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would commit in between."""
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        if sqlite3.complete_statement(joined := "\n".join(lines)):
            yield joined
            lines = []


def insert(connection: sqlite3.Connection, batch: list[Work]) -> list[list[int]]:
    """Insert the events and new items of a batch, and return the numbers of the events.

    Few statements for all of them: each lets threads that answer requests go first.
    """
    items = {item.id: item for _, named, *_ in batch for item in named}
    insert_rows(
        connection,
        "INSERT OR IGNORE INTO items (id, row, digest)",
        [(item.id, item.row, item.digest) for item in items.values()],
    )
    known = numbers_of(connection, [e.key for events, *_ in batch for e in events])
    last = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'events'"
    ).fetchone()
    number = last["seq"] if last is not None else 0
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows: list[tuple[object, ...]] = []
    numbers: list[list[int]] = []
    for events, _, are_one, _ in batch:
        stored: list[int] = []
        for event in events:
            if event.key not in known:
                number += 1
                values = {**vars(event), "time": event.time or now}
                part_of = stored[0] if are_one and stored else None
                rows.append((number, *(values[name] for name in COLUMNS), part_of))
                if event.key is not None:
                    known[event.key] = number
            stored.append(known.get(event.key, number))
        numbers.append(stored)
    insert_rows(
        connection, f"INSERT INTO events (id, {', '.join(COLUMNS)}, part_of)", rows
    )
    return numbers


def numbers_of(
    connection: sqlite3.Connection, keys: Sequence[str | None]
) -> dict[str | None, int]:
    """Return the numbers of stored events by their keys."""
    given = [key for key in keys if key is not None]
    found: dict[str | None, int] = {}
    for start in range(0, len(given), ROWS_A_STATEMENT):
        part = given[start : start + ROWS_A_STATEMENT]
        query = (
            f"SELECT key, id FROM events WHERE key IN ({', '.join('?' * len(part))})"
        )
        found.update(map(tuple, connection.execute(query, part)))
    return found


def insert_rows(
    connection: sqlite3.Connection, into: str, rows: list[tuple[object, ...]]
) -> None:
    """Insert rows, in as few statements as the number of their values allows."""
    for start in range(0, len(rows), ROWS_A_STATEMENT):
        part = rows[start : start + ROWS_A_STATEMENT]
        one = f"({', '.join('?' * len(part[0]))})"
        flat = [value for row in part for value in row]
        connection.execute(f"{into} VALUES {', '.join([one] * len(part))}", flat)
