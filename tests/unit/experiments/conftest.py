"""Lines of made-up trials, and a page to put their results into."""

import pytest

from experiments import pages


def line_of(name, condition, draw, method, ari, **more):
    trial = {"set": name, "condition": condition, "draw": draw, "method": method}
    return {**trial, "ari": ari, **more}


@pytest.fixture
def line():
    return line_of


@pytest.fixture
def lines():
    """Three methods on two sets of three draws; ours is 10 and 20 above PCK-means."""
    made = []
    for number, name in enumerate(("zoo", "crabs")):
        for draw in range(3):
            made.append(line_of(name, "none", draw, "FCM", 70.0 + draw))
            score = 80.0 + draw
            ours = {"calibration": 0.05, "auc": 0.9}
            made.append(line_of(name, "100", draw, "GuidedFDC", score, **ours))
            gap = 10.0 * (1 + number) + 0.1 * draw
            made.append(line_of(name, "100", draw, "PCK-means", score - gap))
    return made


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "judgements.md"
    path.write_text(f"# Title\n\n{pages.BEGIN}\nold\n{pages.END}\n\nEnd.\n")
    return path
