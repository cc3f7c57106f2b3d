"""The store of judgements: one SQLite file of events that are only ever appended.

This module imports the standard library alone, so that a file of judgements can be
opened anywhere and at once.
"""

import queue
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import asdict, fields
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Self

from fuzzypairs.labelling.events import Answer, Event, Item, StoreError
from fuzzypairs.labelling.schema import MIGRATIONS

__all__ = ["Answer", "Event", "Item", "Store", "StoreError"]

# "fuzz" in ASCII: marks the file as one of this package.
APPLICATION_ID = 0x66757A7A
# Write-ahead logs of older libraries can be damaged when two connections reset one.
WAL_FROM = (3, 51, 3)
# Seconds to wait for another process that writes to the file.
BUSY = 10.0
# The most events of one transaction; all of them are answered by its commit.
BATCH = 256


COLUMNS = [field.name for field in fields(Event)]
INSERT = (
    f"INSERT INTO events ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join(':' + name for name in COLUMNS)})"
)
ANSWER = ", ".join(field.name for field in fields(Answer))
# A question and who waits for the commit: events, items, their numbers.
Work = tuple[list[Event], list[Item], "Future[list[int]]"]


class Store:
    """A file of judgements, open for reading and appending.

    One thread writes. It puts all waiting events into one transaction, and `append`
    returns after the commit, which SQLite has synchronised with the disk: what was
    acknowledged survives a crash of the process and of the machine.

    Parameters
    ----------
    path : str or path-like
        The file; it is created if there is none, and upgraded if it is older.

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
        except BaseException:
            self._reader.close()
            raise
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._writer = threading.Thread(
            target=self._write, name="fuzzypairs-store", daemon=True
        )
        self._closed = False
        self._writer.start()

    def submit(
        self, events: Iterable[Event], items: Iterable[Item] = ()
    ) -> "Future[list[int]]":
        """Hand events to the writer; the future has their numbers after the commit.

        The events of one call are stored together or not at all.

        Parameters
        ----------
        events : iterable of Event
        items : iterable of Item, default=()
            Items that the events name; known ones are left as they are.

        Returns
        -------
        numbers : Future of list of int
        """
        if self._closed:
            raise StoreError(f"{self.path} is closed: open it again")
        future: Future[list[int]] = Future()
        self._work.put((list(events), list(items), future))
        return future

    def append(self, event: Event, items: Iterable[Item] = ()) -> int:
        """Store an event, and return its number after the commit.

        Parameters
        ----------
        event : Event
        items : iterable of Item, default=()
            Items that the event names.

        Returns
        -------
        number : int
        """
        return self.submit([event], items).result()[0]

    def _write(self) -> None:
        """Store what is waiting, a batch a transaction, until the store is closed."""
        with closing(connect(self.path)) as connection:
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
        done: list[tuple[Future[list[int]], list[int]]] = []
        refused: list[tuple[Future[list[int]], Exception]] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            for events, items, future in batch:
                connection.execute("SAVEPOINT one")
                try:
                    done.append((future, insert(connection, events, items)))
                except sqlite3.IntegrityError as error:
                    connection.execute("ROLLBACK TO one")
                    reason = f"{self.path} does not take this event: {error}"
                    refused.append((future, StoreError(reason)))
                connection.execute("RELEASE one")
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            failure = StoreError(f"{self.path} cannot be written: {error}")
            done, refused = [], [(future, failure) for *_, future in batch]
        for future, numbers in done:
            future.set_result(numbers)
        for future, reason_why in refused:
            future.set_exception(reason_why)

    def read(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a query.

        Parameters
        ----------
        query : str
            SQL with ``?`` for each value.
        *values : object
        """
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    def answers(self, annotator: str | None = None) -> list[Answer]:
        """Return the answers as they stand, the oldest first.

        Parameters
        ----------
        annotator : str, default=None
            Only of this person.
        """
        with self._reading:
            return read_answers(self._reader, annotator)

    def last_answer(self, annotator: str) -> int | None:
        """Return the number of the last answer or edit of a person that stands."""
        rows = self.read(
            "SELECT id FROM standing WHERE annotator = ? ORDER BY id DESC LIMIT 1",
            annotator,
        )
        return rows[0]["id"] if rows else None

    def last_undone(self, annotator: str) -> int | None:
        """Return the number of the answer to be redone: undone, nothing done since."""
        rows = self.read(
            """SELECT target FROM events AS u
            WHERE annotator = :who AND kind = 'undone'
                AND id > coalesce((SELECT max(id) FROM events WHERE annotator = :who
                    AND kind NOT IN ('undone', 'redone', 'note')), 0)
                AND NOT EXISTS (SELECT 1 FROM standing WHERE id = u.target)
            ORDER BY id DESC LIMIT 1""".replace(":who", "?1"),
            annotator,
        )
        return rows[0]["target"] if rows else None

    def event(self, number: int) -> Event:
        """Return a stored event.

        Parameters
        ----------
        number : int
        """
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

    def set_facts(self, facts: Mapping[str, str]) -> None:
        """Replace what the file knows of its data.

        Parameters
        ----------
        facts : mapping of str to str
        """
        with closing(connect(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM facts")
            connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
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


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection that commits to the disk."""
    try:
        connection = sqlite3.connect(
            path, timeout=BUSY, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:  # the folder or the file may not be used
        raise StoreError(f"{path}: {error}") from None
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StoreError(f"{path} is no file of judgements: {error}") from None
    return connection


def read_answers(
    connection: sqlite3.Connection, annotator: str | None = None
) -> list[Answer]:
    """Return the answers as they stand, of all or of one person."""
    some = "" if annotator is None else "WHERE annotator = ?"
    values = () if annotator is None else (annotator,)
    query = f"SELECT {ANSWER} FROM answers {some} ORDER BY id"
    rows = connection.execute(query, values).fetchall()
    return [Answer(**{**dict(row), "edited": bool(row["edited"])}) for row in rows]


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest schema, or raise an error about a foreign one."""
    try:
        mode = "WAL" if sqlite3.sqlite_version_info >= WAL_FROM else "DELETE"
        connection.execute(f"PRAGMA journal_mode = {mode}")
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
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"{path} is no file of judgements: {error}") from None


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; `executescript` would commit in between."""
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        if sqlite3.complete_statement(joined := "\n".join(lines)):
            yield joined
            lines = []


def insert(
    connection: sqlite3.Connection, events: list[Event], items: list[Item]
) -> list[int]:
    """Insert events and new items, and return the numbers of the events."""
    connection.executemany(
        "INSERT OR IGNORE INTO items VALUES (:id, :row, :digest)", map(asdict, items)
    )
    numbers: list[int] = []
    for event in events:
        if event.key is not None:
            known = connection.execute(
                "SELECT id FROM events WHERE key = ?", (event.key,)
            ).fetchone()
            if known is not None:
                numbers.append(known["id"])
                continue
        values = asdict(event)
        values["time"] = event.time or datetime.now(UTC).isoformat(
            timespec="milliseconds"
        )
        number = connection.execute(INSERT, values).lastrowid
        assert number is not None
        numbers.append(number)
    return numbers
