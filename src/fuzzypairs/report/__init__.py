"""One-file pages: what a fit found, and what pairs changed in it."""

from fuzzypairs.report.fit_page import write_fit_report
from fuzzypairs.report.html import (
    Banner,
    Bar,
    Card,
    Picture,
    Section,
    Table,
    write_report,
)

__all__ = [
    "Banner",
    "Bar",
    "Card",
    "Picture",
    "Section",
    "Table",
    "write_fit_report",
    "write_report",
]
