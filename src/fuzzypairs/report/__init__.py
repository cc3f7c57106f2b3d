"""One-file pages: what a fit found, and what pairs changed in it."""

from fuzzypairs.report.changes import Comparison
from fuzzypairs.report.fits import write_fit_report
from fuzzypairs.report.page import Card, Picture, Section, Table, write_report

__all__ = [
    "Card",
    "Comparison",
    "Picture",
    "Section",
    "Table",
    "write_fit_report",
    "write_report",
]
