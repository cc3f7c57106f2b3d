"""Lines of made-up trials, and a page to put their results into."""

import pytest

from experiments import pages
from experiments.judgements import POINTS


def line_of(name, point, draw, method, ari):
    trial = {"set": name, "point": point, "draw": draw, "method": method, "how": ""}
    return {**trial, "ari": ari}


@pytest.fixture
def line():
    return line_of


@pytest.fixture
def lines():
    """Three methods on two sets, at all points; GuidedFDC gains with their number."""
    made = []
    for name in ("zoo", "wine"):
        for draw in (0, 1):
            made.append(line_of(name, "none", draw, "FCM", 0.8))
            for number, point in enumerate(POINTS):
                made.append(line_of(name, point, draw, "PCK-means", 0.7 + 0.1 * draw))
                made.append(
                    line_of(name, point, draw, "GuidedFDC", 0.85 + 0.01 * number)
                )
    return made


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "judgements.md"
    path.write_text(f"# Title\n\n{pages.BEGIN}\nold\n{pages.END}\n\nEnd.\n")
    return path
