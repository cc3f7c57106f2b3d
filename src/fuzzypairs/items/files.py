"""Items from files: folders of pictures and texts, and arrays of embeddings."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.items.pictures import ENDINGS, inside
from fuzzypairs.tables.columns import Column, listed
from fuzzypairs.tables.dialects import decode

__all__ = ["Kind", "check_embeddings", "embedding_column", "find_items",
           "read_embeddings", "read_texts"]  # fmt: skip

Kind = Literal["picture", "text", "embedding"]
TEXT_ENDINGS = (".txt", ".md", ".text")
# Pictures and texts of other kinds, which people expect to be read: they are named.
OTHERS: dict[Kind, tuple[str, ...]] = {
    "picture": (".heic", ".heif", ".avif", ".jxl", ".svg", ".psd", ".dng", ".cr2",
                ".cr3", ".nef", ".arw"),
    "text": (".pdf", ".doc", ".docx", ".odt", ".rtf", ".html", ".htm"),
}  # fmt: skip
# Of a text file so much is read.
MOST_TEXT = 2**20
# The array of an .npz file that holds embeddings, if there are several.
ARRAYS = ("embeddings", "X", "features", "arr_0")


def find_items(
    folder: str | os.PathLike[str],
) -> tuple[Kind, list[str], dict[str, str]]:
    """Find the pictures of a folder, or its texts if these are more.

    Folders in the folder are searched too; hidden files are not items. Links to files
    outside of the folder are refused, links to folders not followed.

    Returns
    -------
    kind : {"picture", "text"}
    names : list of str
        Paths below the folder, with ``/`` between folders, in their order.
    refused : dict of str to str
        Why files were left out.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.items.files import find_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.txt", "a.txt", "other.dat"):
    ...         _ = Path(folder, name).write_text("Hello.")
    ...     find_items(folder)
    ('text', ['a.txt', 'b.txt'], {})
    """
    folder = Path(folder)
    names: dict[Kind, list[str]] = {"picture": [], "text": []}
    others: dict[str, str] = {}
    refused = {}
    for path in _walk(folder):
        ending = path.suffix.lower()
        name = path.relative_to(folder).as_posix()
        if ending not in (*ENDINGS, *TEXT_ENDINGS):
            others[name] = ending
            continue
        try:
            name.encode()
        except UnicodeEncodeError:
            shown = name.encode("utf-8", "backslashreplace").decode()
            refused[shown] = "its name is not UTF-8: rename it"
            continue
        try:
            inside(folder, name)
        except ValueError as error:
            refused[name] = str(error)
            continue
        names["picture" if ending in ENDINGS else "text"].append(name)
    kind: Kind = "text" if len(names["text"]) > len(names["picture"]) else "picture"
    into = "JPEG or PNG" if kind == "picture" else "plain text"
    for name, ending in others.items():
        if ending in OTHERS[kind]:
            shown = name.encode("utf-8", "backslashreplace").decode()
            refused[shown] = f"{ending} is not read: convert it to {into}"
    if not names[kind]:
        why = "".join(f"; {name}: {said}" for name, said in list(refused.items())[:3])
        raise ValueError(
            f"{folder} holds no item that can be read: expected pictures "
            f"({', '.join(ENDINGS)}) or texts ({', '.join(TEXT_ENDINGS)}){why}"
        )
    return kind, names[kind], refused


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, in the order of their names."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, f) for f in sorted(files) if not f.startswith("."))


def read_texts(paths: Sequence[str]) -> tuple[list[str], dict[int, str]]:
    """Return the texts of files, and by number why some cannot be read.

    Of a long file the first megabyte is read; a text that cannot be read is empty.
    """
    texts, problems = [], {}
    for n, path in enumerate(paths):
        text = ""
        try:
            with open(path, "rb") as file:
                data = file.read(MOST_TEXT)
            # A letter of several bytes may be cut.
            text = decode(data[:-4] if len(data) == MOST_TEXT else data)[0].strip()
            if not text:
                problems[n] = "it is empty"
        except OSError as error:
            problems[n] = f"it cannot be opened: {error.strerror}"
        except ValueError as error:
            problems[n] = str(error)
        texts.append(text)
    return texts, problems


def read_embeddings(
    path: str | os.PathLike[str],
) -> tuple[NDArray[np.floating[Any]], list[str] | None]:
    """Read an array of embeddings, and ids if the file has them.

    Parameters
    ----------
    path : str or path-like
        ``*.npy``, an array of shape (n_items, n_features); or ``*.npz`` with such an
        array and, if they are there, `ids` of shape (n_items,).

    Returns
    -------
    values : ndarray of shape (n_items, n_features)
    ids : list of str or None

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from fuzzypairs.items.files import read_embeddings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.npz")
    ...     np.savez(path, embeddings=np.eye(3), ids=["a", "b", "c"])
    ...     read_embeddings(path)[1]
    ['a', 'b', 'c']
    """
    path = Path(path)
    ids = None
    try:
        file = np.load(path, allow_pickle=False)
        if isinstance(file, np.ndarray):
            values = file
        else:
            with file:
                names = [name for name in file.files if name != "ids"]
                chosen = [name for name in ARRAYS if name in names] or names
                if not chosen or len(chosen) == len(names) > 1:
                    raise ValueError(
                        f"it holds the arrays {listed(file.files)}: expected one, or "
                        "one called 'embeddings', beside 'ids'"
                    )
                values = file[chosen[0]]
                if "ids" in file.files:
                    ids = [str(name) for name in file["ids"].tolist()]
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} does not exist: check the name") from None
    except Exception as error:  # damaged archives raise errors of many kinds
        reason = str(error)
        if "allow_pickle" in reason or "ickle" in reason:
            reason = (
                "it is a pickle, which can run code when opened: save an array of "
                "numbers, and ids as an array of text"
            )
        raise ValueError(f"{path} cannot be read: {reason}") from None
    check_embeddings(values, str(path))
    if ids is not None and len(ids) != len(values):
        raise ValueError(f"{path} holds {len(values)} embeddings but {len(ids)} ids")
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise ValueError(f"{path} holds the id {twice!r} twice")
    return values, ids


def embedding_column(column: Column) -> NDArray[np.floating[Any]]:
    """Return a column of lists of numbers as an array, (n_rows, n_features)."""
    rows, length = [], 0
    for n, value in enumerate(column):
        if isinstance(value, str) and value.lstrip().startswith("["):
            with suppress(json.JSONDecodeError):  # worded below
                value = json.loads(value)
        try:
            row = np.asarray(value, dtype=np.float64)
            if row.ndim != 1:
                raise ValueError
        except (TypeError, ValueError):
            raise ValueError(
                f"column {column.name!r} holds {value!r:.60} in row {n} (from 0): "
                "expected a list of numbers"
            ) from None
        length = length or len(row)
        if len(row) != length:
            raise ValueError(
                f"column {column.name!r} holds {len(row)} numbers in row {n} (from 0), "
                f"and {length} in the rows before: expected embeddings of one length"
            )
        rows.append(row)
    values = np.array(rows)
    check_embeddings(values, f"column {column.name!r}")
    return values


def check_embeddings(values: NDArray[Any], place: str) -> None:
    """Refuse arrays that are no finite numbers, a row for each item."""
    if values.ndim != 2 or 0 in values.shape or values.dtype.kind not in "fiu":
        raise ValueError(
            f"{place} holds an array of {values.dtype} of shape {values.shape}: "
            "expected numbers, a row for each item"
        )
    if not (finite := np.isfinite(values).all(axis=1)).all():
        row = int(finite.argmin())
        raise ValueError(
            f"{place} holds {values[row][~np.isfinite(values[row])][0]} in row {row} "
            f"(from 0), and {int((~finite).sum()) - 1} more rows like that: embed "
            "these items again, or leave them out"
        )
