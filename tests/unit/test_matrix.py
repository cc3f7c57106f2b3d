"""The oldest environment follows the bounds in pyproject."""

import re

from matrix import oldest


def test_every_dependency_of_users_is_pinned_to_its_lower_bound():
    pinned = oldest()

    assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in pinned), pinned
    assert {"numpy", "pandas", "typer", "pyscipopt"} <= {
        p.split("==")[0] for p in pinned
    }
