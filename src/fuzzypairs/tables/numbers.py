"""Numbers as people write them: grouped, with a decimal comma, money or a unit."""

import re
from collections.abc import Iterable

__all__ = ["NUMBER", "decimal_of", "number_in", "with_point"]

# What may stand between groups of three digits, beside the other decimal sign.
SPACES = "'\u2019 \u00a0\u202f"
BODY = {
    ".": re.compile(rf"(?:[1-9]\d{{0,2}}(?:[,{SPACES}]\d{{3}})+|\d*)(?:\.\d+)?"),
    ",": re.compile(rf"(?:[1-9]\d{{0,2}}(?:[.{SPACES}]\d{{3}})+|\d*)(?:,\d+)?"),
}
# Both signs read a single group in their own way: 1,234 and 1.234.
AMBIGUOUS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
MONEY = r"(?:US)?\$|[€£¥₹]|EUR|USD|GBP|CHF"
# Money in front, or a unit behind: up to twelve characters, such as m2 or l/100 km.
NUMBER = re.compile(
    rf"(?P<sign>[-+\u2212]?) ?(?P<money>(?:{MONEY})?)\s?(?P<minus>[-+\u2212]?)"
    rf"(?P<body>[\d.,](?:[\d.,{SPACES}]*\d)?)"
    r"\s?(?P<unit>(?:[^\W\d_]|[%‰°$€£¥₹])(?:\D|(?<=[\w/])\d){0,11})?"
)


def number_in(text: str) -> tuple[float, str] | None:
    """Return a number with a decimal point, and its unit; None if it is no number.

    Examples
    --------
    >>> number_in("$4,733.50"), number_in("-18.3 °C"), number_in("5 to 10")
    ((4733.5, '$'), (-18.3, '°C'), None)
    """
    found = _match(text)
    if not found or (body := _plain(found["body"], ".")) is None:
        return None
    sign = -1 if (found["sign"] or found["minus"]) in ("-", "\u2212") else 1
    return sign * float(body), found["money"] or found["unit"] or ""


def with_point(text: str, decimal: str) -> str:
    """Return text with its number, if it is one, as Python writes it.

    Examples
    --------
    >>> with_point("7.479,54 €", ","), with_point("k.A.", ",")
    ('7479.54 €', 'k.A.')
    """
    found = _match(text)
    if not found or (body := _plain(found["body"], decimal)) is None:
        return text
    start, end = found.span("body")
    return found.string[:start] + body + found.string[end:]


def decimal_of(cells: Iterable[str], *, has_commas: bool = False) -> str:
    """Return the decimal sign of most numbers in a sample.

    Parameters
    ----------
    cells : iterable of str
    has_commas : bool, default=False
        Whether 1,234 is a decimal comma where no other number tells.
    """
    votes = {",": 0, ".": 0}
    any_comma = False
    for cell in cells:
        found = _match(cell)
        if not found:
            continue
        body = found["body"]
        if not AMBIGUOUS.fullmatch(body):
            for sign in votes:
                votes[sign] += sign in body and bool(BODY[sign].fullmatch(body))
        elif re.fullmatch(MONEY, found["money"] or found["unit"] or ""):
            # Money has no three decimals.
            votes["." if "," in body else ","] += 1
        any_comma |= "," in body
    if not any(votes.values()):
        return "," if has_commas and any_comma else "."
    return "," if votes[","] > votes["."] else "."


def _match(text: str) -> re.Match[str] | None:
    """Return the parts of a number; ($5) is -$5, as accountants write it."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1].strip()}"
    return NUMBER.fullmatch(text)


def _plain(body: str, decimal: str) -> str | None:
    """Return digits and decimals without groups; None if they are none."""
    if not BODY[decimal].fullmatch(body):
        return None
    group = "," if decimal == "." else "."
    return re.sub(f"[{group}{SPACES}]", "", body).replace(",", ".")
