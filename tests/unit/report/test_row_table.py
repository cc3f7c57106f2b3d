import numpy as np
import pandas as pd
import pytest

from fit_pages import fitted, random_frame, random_memberships, report, text_of
from fuzzypairs import PairSet
from fuzzypairs.report import row_table

U = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.0, 1.0]])
PAIRS = PairSet.from_triples([(0, 1, 0.5), (0, 3, 0.5), (1, 2, 0.0)], 4)


def test_the_page_lists_all_rows(tmp_path):
    frame = pd.DataFrame({"acid": [1.25, 2.0, None, 9.0], "soil": list("aabb")})
    page = report(tmp_path / "page", fitted(U), frame, list(PAIRS))

    heads = next(rows[0] for rows in page.tables if "flags" in rows[0])
    assert heads[:5] == ["row", "cluster", "certainty", "runner-up", "flags"]
    rows = page.table(*heads)
    assert [row[:4] for row in rows] == [
        ["0", "0", "80.0 %", "1"],
        ["1", "0", "20.0 %", "1"],
        ["2", "0", "0.0 %", "1"],
        ["3", "1", "100.0 %", ""],
    ]
    acid = heads.index("acid")
    assert [row[acid] for row in rows] == ["1.25", "2", "", "9"]
    # Without scripts the table is complete, and closed until a reader opens it.
    assert page.named("details") == [{"class": "rows"}]
    assert "input" not in {tag for tag, _ in page.tags}


def test_of_very_many_rows_some_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(row_table, "MOST_ROWS", 20)
    memberships = np.eye(2)[np.arange(100) % 2]
    memberships[60:70] = [0.55, 0.45]
    page = report(tmp_path / "page", fitted(memberships), random_frame(100))

    rows = next(rows[1:] for rows in page.tables if "flags" in rows[0])
    assert [int(row[0]) for row in rows] == [*range(10), *range(60, 70)]
    assert "Of 100 rows the table has 20: the first 10, and the 10 most" in text_of(
        page
    )


@pytest.mark.parametrize("n_clusters", [2, 4])
def test_rows_of_maps_have_names(tmp_path, n_clusters):
    page = report(
        tmp_path / "page",
        fitted(random_memberships(30, n_clusters)),
        random_frame(30),
        ids=[f"<b>{row}" for row in range(30)],
    )

    words = [word for word in page.words if word.startswith("<b>")]
    for row in range(30):
        assert any(word.startswith(f"<b>{row}: cluster ") for word in words)
    assert "b" not in {tag for tag, _ in page.tags}
    assert "a" not in {tag for tag, attrs in page.tags if "xlink:href" in attrs}
