"""Judgements of a store to CSV, and from any table."""

import csv
import io
from os import PathLike

import numpy as np

from fuzzypairs.labelling.catalogue import Catalogue
from fuzzypairs.labelling.service import PROGRAM
from fuzzypairs.labelling.store import Event, Store
from fuzzypairs.pairs.reading import name_of_judge
from fuzzypairs.tables.grades import grades_of
from fuzzypairs.tables.pair_files import open_pairs
from fuzzypairs.tables.readers import ALL
from fuzzypairs.tables.writing import escape_cell, unescape_cell

__all__ = ["import_judgements", "judgement_text"]

EXPORTED = ("grade", "annotator", "strategy", "input", "seconds", "time")


def exported(store: Store) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns, and the query for them.

    Where there are no ids, samples are named by the rows where they are now.
    """
    ends, chosen = ("a", "b"), "a, b"
    if not store.facts().get("id_column"):
        ends = ("i", "j")
        chosen = ", ".join(
            f"coalesce((SELECT row FROM items WHERE items.id = {end}), "
            f"CAST({end} AS INTEGER)) AS {name}"
            for end, name in zip("ab", ends, strict=True)
        )
    return (*ends, *EXPORTED), f"SELECT {chosen}, {', '.join(EXPORTED)} FROM judgements"


def judgement_text(store: Store) -> bytes:
    """Return the judgements as CSV that `fit --pairs` reads, safe for spreadsheets."""
    file = io.BytesIO()
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    names, query = exported(store)
    writer.writerow(names)
    rows = store.each_row(f"{query} ORDER BY id")
    writer.writerows(map(escape_cell, row) for row in rows)
    text.flush()
    return file.getvalue()


def import_judgements(
    store: Store, path: str | PathLike[str], catalogue: Catalogue, annotator: str
) -> int:
    """Append the judgements of a table; return their number.

    Imported twice, a table is stored once.

    Parameters
    ----------
    store : Store
    path : str or path-like
        A table with ``a, b, grade`` or ``i, j, grade``. A column ``annotator``, or of
        another usual name, says who judged, a column ``time`` when, and a column
        ``input`` which judges are programs.
    catalogue : Catalogue
        The data.
    annotator : str
        Who judged, where the table does not say.
    """
    judged = open_pairs(path)
    judged.resolve(len(catalogue), catalogue.items.ids)  # names the line at fault
    ends = judged.rows(len(catalogue), catalogue.items.ids)
    frame = judged.file.read(ALL)
    judges = [annotator] * len(frame) if judged.judges is None else judged.judges
    events, rows = [], set()
    for number, (i, j, grade) in enumerate(
        zip(*ends, grades_of(judged.grades.tolist())[0], strict=True)
    ):
        a, b = catalogue.ids[i], catalogue.ids[j]
        said = {
            name: unescape_cell(str(frame[name].iloc[number]))
            for name in ("input", "time")
            if name in frame and frame[name].notna().iloc[number]
        }
        value = float(np.float64(grade))
        given = name_of_judge(judges[number])
        who = unescape_cell(given) if given else annotator
        events.append(
            Event(
                "graded" if value else "unsure",
                a,
                b,
                who,
                grade=value if value else None,
                strategy="import",
                input=PROGRAM if said.get("input") == PROGRAM else "import",
                key=f"import {who} {a!r} {b!r} {value!r} {said.get('time', number)}",
                time=said.get("time"),
            )
        )
        rows |= {int(i), int(j)}
    store.submit(events, [catalogue.item(row) for row in sorted(rows)]).result()
    return len(events)
