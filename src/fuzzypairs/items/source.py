"""What a user names as data, as rows: a table, or items with columns beside them."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from fuzzypairs._typing import Floats, Ints, Mask
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.items.encoding import Tell
from fuzzypairs.items.files import Kind
from fuzzypairs.items.item_features import ItemFeatures
from fuzzypairs.items.item_set import ItemSet, guess_column
from fuzzypairs.tables.columns import listed
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.file_blocks import ENDINGS as TABLE_ENDINGS
from fuzzypairs.tables.file_blocks import LARGE_SHARE
from fuzzypairs.tables.gaps import mostly_missing
from fuzzypairs.tables.readers import TableFile
from fuzzypairs.tables.table_files import Items, open_table, prepare, set_apart
from fuzzypairs.threads import machine_memory
from fuzzypairs.validation import suggest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ItemOptions", "Prepared", "Source", "holds_items", "open_source"]

ARRAYS = (".npy", ".npz")
# What the names of files in a folder are called.
PATHS = "file"
OPTION: dict[Kind, str] = {
    "picture": "--image",
    "text": "--text",
    "embedding": "--embedding",
}


@dataclass(frozen=True)
class ItemOptions:
    """What a user says of pictures, texts and embeddings.

    Attributes
    ----------
    text, image, embedding : str or None
        The column of texts, of names of picture files, or of lists of numbers.
    images : path-like or None
        The folder of the pictures; that of the table if None.
    embeddings : path-like or None
        A file of embeddings beside the table.
    beside : sequence of str
        Columns to cluster by beside the items.
    show : sequence of str
        Columns to show and not to cluster by; beside items these are all others.
    features : str
        See `ItemFeatures`.
    feature_options : dict
        Of ``onnx:FILE``, see `ItemFeatures`.
    cache : Path or None
        A file that keeps the vectors of items.
    strict : bool
        Whether an item that cannot be read is an error.
    """

    text: str | None = None
    image: str | None = None
    images: str | os.PathLike[str] | None = None
    embedding: str | None = None
    embeddings: str | os.PathLike[str] | None = None
    beside: Sequence[str] = ()
    show: Sequence[str] = ()
    features: str = "auto"
    feature_options: dict[str, Any] = field(default_factory=dict)
    cache: Path | None = None
    strict: bool = False

    @property
    def column(self) -> tuple[Kind, str] | None:
        """The kind of the items, and their column; None if no column is named."""
        every: list[tuple[Kind, str | None]] = [
            ("picture", self.image), ("text", self.text), ("embedding", self.embedding)
        ]  # fmt: skip
        named = [(kind, name) for kind, name in every if name is not None]
        if len(named) + (self.embeddings is not None) > 1:
            flags = [OPTION[kind] for kind, _ in named]
            flags += ["--embeddings"] * (self.embeddings is not None)
            raise ValueError(
                f"{' and '.join(flags)} are both given: rows are clustered by one kind "
                "of items; --show shows another column"
            )
        if self.images is not None and self.image is None:
            raise ValueError("--images is given without --image: name the column")
        return named[0] if named else None

    def of_model(self, maker: ItemFeatures) -> Self:
        """Return these options with what a fitted model knows of its items."""
        known = {"picture": "image", "text": "text", "embedding": "embedding"}
        names: dict[str, Any] = {}
        given = self.column is not None or self.embeddings is not None
        if maker.column is not None and not given:
            names[known[maker.kind]] = maker.column
        if maker.columns is not None and not self.beside:
            names["beside"] = tuple(c.name for c in maker.preparation_.used)
        return replace(self, **names)


class Prepared(NamedTuple):
    """Rows with their features.

    Attributes
    ----------
    source : Source
        The rows; of a folder only items that can be read.
    preparation : Preparation or ItemFeatures
        Fitted.
    X : ndarray of shape (n_rows, n_features)
    gappy : ndarray of shape (n_rows,)
        Which rows miss most values, or are items that cannot be read.
    kept : ndarray of shape (n_rows,)
        Rows of the source that was given: judgements of them are
        ``pairs.restrict(kept)``.
    """

    source: "Source"
    preparation: Preparation | ItemFeatures
    X: Floats
    gappy: Mask
    kept: Ints


@dataclass(frozen=True, eq=False)
class Source:
    """The rows of a user's data.

    Attributes
    ----------
    table : Items
        The columns to cluster by, of items those beside them; ids, true classes and
        other columns.
    items : ItemSet or None
        Pictures, texts or embeddings; None for rows of a table.
    options : ItemOptions
    column : str or None
        The column of the items, if they are one of a table.
    """

    table: Items
    items: ItemSet | None = None
    options: ItemOptions = field(default_factory=ItemOptions)
    column: str | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    @property
    def shown(self) -> "pd.DataFrame":
        """The columns that people see, beside the items if there are any."""
        columns = self.table.features
        if self.items is None:
            return columns.join(self.table.others[list(self.options.show)])
        return columns if self.items.shown is None else columns.join(self.items.shown)

    def take(self, rows: Ints | Sequence[int]) -> "Source":
        """Return some of the rows, in the order of `rows`."""
        table, numbers = self.table, np.asarray(rows, dtype=np.intp)
        some = replace(
            table,
            features=table.features.iloc[numbers].reset_index(drop=True),
            ids=None if table.ids is None else table.ids[numbers],
            truth=None if table.truth is None else table.truth[numbers],
            others=table.others.iloc[numbers].reset_index(drop=True),
        )
        items = None if self.items is None else self.items.take(numbers)
        return replace(self, table=some, items=items)

    def prepare(
        self,
        *,
        scale: bool = True,
        tell: Tell = lambda done, total: None,
        **told: Any,
    ) -> Prepared:
        """Make features, and what makes the same of other rows.

        Parameters
        ----------
        scale : bool, default=True
            Whether to standardise columns of numbers.
        tell : callable, default=None
            Called with the number of items that are done, and of all.
        **told
            `category`, `number`, `date` and `date_order` of `Preparation`.

        Warns
        -----
        ReadingWarning
            About items that cannot be read, by name.
        """
        table = self.table
        if self.items is None:
            preparation, X = prepare(table, scale=scale, **told)
            return self._of_table(preparation, X)
        if len(table.features.columns):
            columns = Preparation(scale=scale, id_column=table.id_column, **told)
        elif named := [
            n
            for names in told.values()
            if isinstance(names, list | tuple)
            for n in names
        ]:
            raise ValueError(
                f"column {named[0]!r} is shown and not clustered by, beside "
                f"{self.items.kind}s: add --with {named[0]}"
            )
        else:
            columns = None
        maker = ItemFeatures(
            self.items.kind, self.options.features,
            self.options.feature_options or None, columns, self.column,
        )  # fmt: skip
        return self._made(maker, maker.fit_transform, tell)

    def transform(
        self,
        preparation: Preparation | ItemFeatures,
        *,
        tell: Tell = lambda done, total: None,
    ) -> Prepared:
        """Return features as a fit made them, see `prepare`."""
        if (self.items is None) != isinstance(preparation, Preparation):
            seen = "rows of a table" if self.items is None else f"{self.items.kind}s"
            if isinstance(preparation, Preparation):
                expected = "a table of numbers and categories"
            else:
                expected = f"{preparation.kind}s: name them by "
                expected += OPTION[preparation.kind]
            raise ValueError(
                f"{self.table.path} holds {seen}, but the model was fitted to "
                + expected
            )
        if isinstance(preparation, Preparation):
            table = self.table
            try:
                X = preparation.transform(table.features)
            except ValueError as error:
                raise ValueError(table.worded(error)) from error
            return self._of_table(preparation, X)
        if self.options.features != "auto":
            preparation.confirm(self.options.features)
        return self._made(preparation, preparation.transform, tell)

    def _of_table(self, preparation: Preparation, X: Floats) -> Prepared:
        gappy = mostly_missing(preparation, self.table.features)
        return Prepared(self, preparation, X, gappy, np.arange(self.n_rows))

    def _made(self, maker: ItemFeatures, make: Any, tell: Tell) -> Prepared:
        """Encode items, and make features of their vectors."""
        assert self.items is not None
        options = self.options
        items = replace(self.items, columns=self.table.features)
        try:
            encoded = maker.encode(
                items, tell=tell, cache=options.cache, strict=options.strict
            )
            for note in encoded.notes:
                warnings.warn(note, ReadingWarning, stacklevel=3)
            X = np.asarray(make(encoded))
        except ValueError as error:
            raise ValueError(self.table.worded(error)) from error
        source, kept = self, np.arange(self.n_rows)
        if len(X) < self.n_rows:
            # Files of a folder that cannot be read are left out.
            left = set(map(encoded.items.name, range(len(X))))
            names = map(items.name, range(items.n_rows))
            kept = np.flatnonzero([name in left for name in names])
            source, items = self.take(kept), items.take(kept)
        problems = encoded.problems
        source = replace(source, items=replace(items, problems=problems))
        gappy = np.zeros(len(X), dtype=bool)
        gappy[list(problems)] = True
        return Prepared(source, maker, X, gappy, kept)


def holds_items(data: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a folder of pictures or texts, or a file of embeddings.

    Folders that hold files of tables are tables in parts, and an array that is larger
    than a quarter of the memory is read in blocks.
    """
    path = Path(data)
    if path.is_dir():
        with os.scandir(path) as entries:
            endings = {Path(entry.name).suffix.lower() for entry in entries}
        return not endings & set(TABLE_ENDINGS)
    if path.suffix.lower() not in ARRAYS or not path.is_file():
        return False
    return path.stat().st_size <= LARGE_SHARE * machine_memory()


def open_source(
    data: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    truth: str | None = None,
    drop: Sequence[str] = (),
    category: Sequence[str] = (),
    options: ItemOptions | None = None,
    preparation: Preparation | ItemFeatures | None = None,
    file: TableFile | None = None,
) -> Source:
    r"""Read a user's data: a table, a folder of pictures or texts, or embeddings.

    Parameters
    ----------
    data : str or path-like
        A file that `read_table` can read, a folder, or ``*.npy`` and ``*.npz``.
    id_column, truth, drop
        See `read_items`.
    category : sequence of str, default=()
        Columns to keep as they are written.
    options : ItemOptions, default=None
    preparation : Preparation or ItemFeatures, default=None
        Of a fitted model: it knows which column holds items, and nothing is guessed.
    file : TableFile, default=None
        The file if it is open already.

    Returns
    -------
    source : Source

    Warns
    -----
    ReadingWarning
        If a column is taken for items unasked.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs.items.source import ItemOptions, open_source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.csv")
    ...     _ = path.write_text("when,note\n1,A late train.\n2,Cold soup.\n")
    ...     source = open_source(path, options=ItemOptions(text="note"))
    >>> source.items.values, list(source.shown)
    (['A late train.', 'Cold soup.'], ['when'])
    """
    options = options or ItemOptions()
    path, asked = Path(data), options.column
    if path.is_dir() or path.suffix.lower() in ARRAYS:
        flags: dict[str, Any] = {
            "--id": id_column, "--truth": truth, "--drop": drop, "--text": options.text,
            "--image": options.image, "--embedding": options.embedding,
            "--embeddings": options.embeddings, "--with": options.beside,
            "--show": options.show,
        }  # fmt: skip
        if given := [flag for flag, value in flags.items() if value]:
            what = "a folder" if path.is_dir() else "a file of embeddings"
            raise ValueError(
                f"{path} is {what}, which has no columns: leave out {given[0]}"
            )
        return _without_table(path, options)
    if isinstance(preparation, ItemFeatures):
        options = options.of_model(preparation)
        asked = options.column
    file = file or open_table(path)
    words = [id_column, truth, *category, *options.show]
    read = partial(
        set_apart, source=file, id_column=id_column, truth=truth, drop=list(drop),
    )  # fmt: skip
    wanted = [*words, options.text, options.image]
    frame = file.read(wanted)
    _check_columns(frame, path, options)
    apart = {truth, *drop, *options.show, *options.beside, id_column}
    column = asked
    if asked is None and options.embeddings is None and preparation is None:
        others = frame.drop(columns=[n for n in apart if n in frame])
        column = guess_column(others) if len(others.columns) else None
        if column is not None:
            kind, name = column
            warnings.warn(
                f"rows are {kind}s: column {name} holds them, and no other column can "
                f"be clustered by; {OPTION[kind]} says otherwise",
                ReadingWarning,
                stacklevel=2,
            )
            frame = file.read([*wanted, name]) if kind != "embedding" else frame
    if column is None and options.embeddings is None:
        if options.beside:
            raise ValueError(
                f"--with {options.beside[0]} is for columns beside pictures, texts or "
                "embeddings: all columns of a table are clustered by"
            )
        table = read(frame, text=list(category))
        shown = [n for n in options.show if n in table.features]
        others = table.features[shown].join(table.others)
        features = table.features.drop(columns=shown)
        if features.empty:
            raise ValueError(f"{path} has no column left to cluster by")
        return Source(replace(table, features=features, others=others), None, options)
    # One column may name the rows, and be what they are.
    table = read(frame, text=[] if column is None else [column[1]])
    ids = table.ids
    items = _items_of(frame, column, path, options, ids)
    beside = frame[list(options.beside)]
    own = {column[1] if column else None, id_column, *options.beside}
    rest = frame[[n for n in frame if n not in own]]
    hidden = [n for n in rest if n == truth or n in drop]
    items = replace(items, shown=rest.drop(columns=hidden))
    table = replace(table, features=beside, others=rest)
    return Source(table, items, options, None if column is None else column[1])


def _without_table(path: Path, options: ItemOptions) -> Source:
    """Return the items of a folder, or of a file of embeddings."""
    import pandas as pd

    items = (
        ItemSet.from_folder(path) if path.is_dir() else ItemSet.from_embeddings(path)
    )
    nothing = pd.DataFrame(index=range(items.n_rows))
    # Files in a folder have names; rows of an array have them if it says so.
    id_column = PATHS if items.is_folder else "ids" if items.ids is not None else None
    table = Items(path, nothing, items.ids, None, id_column, nothing)
    return Source(table, items, options)


def _check_columns(frame: "pd.DataFrame", path: Path, options: ItemOptions) -> None:
    asked = options.column
    named = [("--with", n) for n in options.beside]
    named += [("--show", n) for n in options.show]
    if asked is not None:
        named.append((OPTION[asked[0]], asked[1]))
    for flag, name in named:
        if name not in frame:
            raise ValueError(
                f"{path} has no column {name!r}{suggest(name, frame.columns)}; it has "
                f"{listed(frame.columns)} ({flag})"
            )
    if asked is not None and asked[1] in options.beside:
        raise ValueError(f"column {asked[1]!r} holds the items: it cannot be --with")
    if both := set(options.beside) & set(options.show):
        raise ValueError(f"column {min(both)!r} is both --with and --show: choose one")


def _items_of(
    frame: "pd.DataFrame",
    column: tuple[Kind, str] | None,
    path: Path,
    options: ItemOptions,
    ids: Any,
) -> ItemSet:
    """Return the items of a column, or of a file beside the table."""
    if column is None:
        assert options.embeddings is not None
        found = ItemSet.from_embeddings(options.embeddings, ids)
        if ids is None and found.ids is not None:
            raise ValueError(
                f"{options.embeddings} names its rows, {path} does not: name the "
                "column of the same names by --id"
            )
        if found.n_rows != len(frame):
            raise ValueError(
                f"{options.embeddings} holds {found.n_rows} embeddings but {path} has "
                f"{len(frame)} rows: expected one for each, in the same order"
            )
        return found
    kind, name = column
    values = frame[name]
    if kind == "text":
        return ItemSet.from_texts(values.tolist(), ids)
    if kind == "embedding":
        return ItemSet.from_embeddings(values, ids)
    folder = Path(options.images or path.resolve().parent)
    if not folder.is_dir():
        raise ValueError(f"--images {folder} is no folder: name that of the pictures")
    return ItemSet.from_pictures(values.tolist(), folder, ids)
