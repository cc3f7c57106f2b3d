"""How a text file writes a table: encoding, delimiter, decimal sign, comments.

All is decided from the first 64 kB; a large file is then read by the fast parser.
"""

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fuzzypairs.tables.numbers import NUMBER, decimal_of

__all__ = ["Dialect", "clean", "decode", "detect", "record_lines",
           "without_blank_ends"]  # fmt: skip

SAMPLE = 65_536
# Lines of the sample that are compared.
MOST_LINES = 200
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Control characters that no text has: what holds them is not text in one byte each.
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Dialect:
    """How a text file writes a table.

    Attributes
    ----------
    delimiter : {",", ";", tab, "|", " "}
        What stands between columns.
    decimal : {".", ","}
        What stands before the decimals of a number.
    """

    delimiter: str = ","
    decimal: str = "."

    def __str__(self) -> str:
        sign = ", decimal commas" if self.decimal == "," else ""
        return f"columns separated by {NAMES[self.delimiter]}{sign}"


def decode(data: bytes) -> tuple[str, str]:
    r"""Return the text of a file, and its encoding.

    A byte order mark decides. Without one, text is UTF-16 if every other byte is zero,
    else UTF-8 if it can be, else Windows-1252, which extends Latin-1.

    Examples
    --------
    >>> decode("Größe\n1\n".encode("latin-1"))
    ('Größe\n1\n', 'cp1252')
    """
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "")
    if not encoding:
        sample = data[:SAMPLE]
        even, odd = sample[::2].count(0), sample[1::2].count(0)
        # Letters of Western languages have a zero byte in UTF-16.
        if max(even, odd) > len(sample) / 4 and min(even, odd) < len(sample) / 16:
            encoding = "utf-16-le" if odd > even else "utf-16-be"
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding or CONTROL.search(data):
            raise ValueError("it is not text") from None
        try:
            text, encoding = data.decode("cp1252"), "cp1252"
        except UnicodeDecodeError:
            text, encoding = data.decode("latin-1"), "latin-1"
    if "\0" in text:
        raise ValueError("it is not text")
    return text, encoding or "utf-8"


def detect(text: str, ending: str = ".csv") -> Dialect:
    r"""Return the dialect that makes most lines of a file as long as the first.

    Parameters
    ----------
    text : str
        The file, without comments.
    ending : str, default=".csv"
        The ending of its name, which decides between equals; only ``.txt`` may have
        spaces between columns.

    Examples
    --------
    >>> print(detect("name;acid\noak;1,5\nash;2,5\n"))
    columns separated by semicolons, decimal commas
    """
    sample = text[:SAMPLE]
    if len(text) > SAMPLE:  # the last line may be cut
        sample = sample[: sample.rfind("\n") + 1] or sample
    usual = "\t" if ending == ".tsv" else ","
    candidates = sorted(",;\t|", key=lambda delimiter: delimiter != usual)
    found = {delimiter: _fit(sample, delimiter) for delimiter in candidates}
    best = max(candidates, key=found.__getitem__)
    if ending == ".txt" and not found[best][0] and _fit(sample, " ")[0] == 1:
        best = " "
    cells = [cell for row in list(_rows(sample, best))[1:] for cell in row]
    return Dialect(best, decimal_of(cells, has_commas=best == ";"))


def clean(text: str) -> str:
    r"""Return a file with comments emptied, so that lines keep their numbers.

    Lines that begin with # are comments if they stand above the names of columns, or
    have fewer columns than these. A first line that begins with # is the names itself
    if it has as many columns as the next, and that one holds numbers.

    Examples
    --------
    >>> clean("# by Ann\nx,y\n1,2\n# checked\n")
    '\nx,y\n1,2\n\n'
    """
    if not re.search(r"^#", text, re.MULTILINE):
        return text
    lines = text[:SAMPLE].splitlines()
    above = [line for line in lines if line.strip()]
    first = next((n for n, line in enumerate(above) if line[0] != "#"), len(above))
    body = "\n".join(above[first:])
    delimiter = detect(body).delimiter if body else ","
    if first < len(above):
        names, *_ = _rows(above[first], delimiter)
        if first and _is_header(above[first - 1], names, delimiter):
            header = above[first - 1]
            text = text.replace(header, header[1:].lstrip(), 1)
        wanted = len(names)
    else:
        wanted = 0

    def keep(found: re.Match[str]) -> str:
        row = next(_rows(found[0], delimiter), [])
        is_row = found.start() > start and wanted > 1 and len(row) == wanted
        return found[0] if is_row else ""

    start = text.find(above[first]) if first < len(above) else len(text)
    return re.sub(r"^#[^\r\n]*", keep, text, flags=re.MULTILINE)


def without_blank_ends(text: str, delimiter: str) -> str:
    r"""Return a file whose first and last lines are not blank, or delimiters alone.

    Lines at the top are emptied, so that others keep their numbers.

    Examples
    --------
    >>> without_blank_ends(";\nx;y\n1;\n;\n\n", ";")
    '\nx;y\n1;\n'
    """
    blank = f"{delimiter} \t\r\n"
    first = text.rfind("\n", 0, len(text) - len(text.lstrip(blank))) + 1
    last = text.find("\n", max(first, len(text.rstrip(blank)))) + 1
    return "\n" * text.count("\n", 0, first) + text[first : last or None]


def record_lines(text: str, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the line each record begins on, as an editor counts, and its fields.

    The first record is the names of the columns.
    """
    lines = text.splitlines(keepends=True)
    reader = _reader(lines, dialect.delimiter)
    before = 0
    for row in reader:
        if len(row) > 1 or "".join(lines[before : reader.line_num]).strip():
            yield before + 1, row
        before = reader.line_num


def _is_header(line: str, next_row: list[str], delimiter: str) -> bool:
    names = next(_rows(line[1:], delimiter), [])
    return len(names) == len(next_row) > 1 and any(map(NUMBER.fullmatch, next_row))


def _reader(lines: list[str], delimiter: str) -> Any:
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        reader = _reader(text.splitlines(keepends=True), delimiter)
        rows = (row for row in reader if any(map(str.strip, row)))
        yield from islice(rows, MOST_LINES)
    except csv.Error:  # a field longer than 128 kB: an open quote
        return


def _fit(sample: str, delimiter: str) -> tuple[float, int]:
    """Return the share of rows as long as the first, and its length; 0 if that is 1."""
    lengths = [len(row) for row in _rows(sample, delimiter)]
    if not lengths or lengths[0] < 2:
        return 0.0, 0
    return lengths.count(lengths[0]) / len(lengths), lengths[0]
