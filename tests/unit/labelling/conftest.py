"""A small table, as a user has it."""

import numpy as np
import pytest

from catalogues import open_catalogue
from fuzzypairs.tables.table_files import read_items


@pytest.fixture
def table(tmp_path):
    """Forty items in two groups: a file with ids, numbers, words and gaps."""
    rng = np.random.default_rng(0)
    lines = ["name,acid,soil,notes"]
    for row in range(40):
        acid = rng.normal(8 * (row % 2), 1)
        soil = ["clay", "sand"][row % 2]
        lines.append(f"W{row:02},{acid:.3f},{soil},a {soil} wine no {row // 2}")
    path = tmp_path / "wines.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def catalogue(table):
    return open_catalogue(read_items(table, id_column="name"), text="notes")
