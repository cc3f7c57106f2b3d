"""Single-file HTML reports: what a fit found, and what judgements changed."""

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
