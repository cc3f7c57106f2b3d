"""Hostile files and options of the command."""

from collections.abc import Iterator

from hostile.outcomes import Case


def of_commands() -> Iterator[Case]:
    return iter(())
