import re
import time

import numpy as np
import pandas as pd
import pytest

from fit_pages import fitted, random_frame, random_memberships, report, text_of
from fuzzypairs.criteria import nmi, normalized_ari, pairs_held


def test_the_summary_says_what_was_found(wine):
    page, model, pairs, data = wine

    lead = text_of(page)
    sizes = np.bincount(model.labels_)
    assert "178 rows in 3 clusters" in lead
    assert f"The 3 clusters have {sizes[0]}, {sizes[1]} and {sizes[2]} rows." in lead
    ordered = np.sort(model.memberships_, axis=1)
    n_mixed = (ordered[:, -2] >= ordered[:, -1] / 2).sum()
    assert f"{n_mixed} rows are mixed" in lead
    n_held = pairs_held(pairs, model.labels_).sum()
    assert 0 < n_held < len(pairs)
    n_broken = len(pairs) - n_held
    counts = f"{n_held} are satisfied and {n_broken} violated"
    assert f"Of {len(pairs)} judgements {counts}" in lead
    ari = 100 * normalized_ari(data.target, model.labels_)
    information = 100 * nmi(data.target, model.labels_)
    assert f"ARI is {ari:.1f} % and the NMI {information:.1f} %" in lead


def test_truth_settings_columns_and_versions_are_listed(wine):
    page, model, _, data = wine

    counts = page.table("class", "cluster 0", "cluster 1", "cluster 2")
    crossed = pd.crosstab(data.target, model.labels_)
    assert [
        [int(cell) for cell in row[1:]] for row in counts
    ] == crossed.values.tolist()
    assert page.table("setting", "value") == [
        ["clusters", "3"],
        ["metric", "euclidean"],
    ]
    columns = page.table("column", "kind", "missing", "features", "what was done")
    assert columns[0] == ["alcohol", "number", "0", "1", "standardised"]
    words = text_of(page)
    assert f"numpy {np.__version__}" in words
    assert f"after {model.n_iter_} passes" in words
    assert f"objective of {model.objective_:.6g}" in words
    assert "took 0.12 seconds" in words


def test_the_page_needs_no_network_and_runs_one_script(wine):
    page, *_ = wine

    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"link", "iframe", "img", "object", "embed", "foreignobject", "form"}
    )
    assert len(page.named("script")) == 1
    for _, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on")]
        assert not re.search(r"https?:|//", " ".join(map(str, attrs.values())))
        assert attrs.get("xlink:href", "#").startswith("#")
    assert not [
        word for word in page.words if re.search(r"url\(|@import|https?:", word)
    ]
    assert all(link["href"].startswith("#s") for link in page.named("a"))
    # Before, after, map, triangle, judgements and objective.
    assert len(page.drawn()) == len(page.named("svg")) == 6
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(names) == len(set(names))


def test_the_same_fit_gives_the_same_page(tmp_path):
    frame, model = random_frame(20), fitted(random_memberships(20, 4))
    for name in ("one", "two"):
        report(tmp_path / name, model, frame, [(0, 1, 0.5)])

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_names_and_cells_are_escaped(tmp_path):
    evil = "<script>alert('&')</script>"
    frame = pd.DataFrame({evil: ["a", "b", evil, evil], "x": [1.0, 2.0, 3.0, 4.0]})
    page = report(
        tmp_path / "report.html",
        fitted(random_memberships(4, 2)),
        frame,
        [(0, 1, 0.5), (1, 2, 0.5), (0, 2, -0.5)],
        ids=np.array([evil, "$x$", "農 $", "d" * 99]),
        options={evil: evil},
        truth=np.array([evil, "b", None, "b"], dtype=object),
    )

    assert page.named("script") == [{}]
    text = text_of(page)
    assert text.count(evil) >= 8
    # Beside bars, where a name is a picture's text, it is cut and kept as it is.
    assert {evil[:23] + "…", "$x$", "農 $", "d" * 23 + "…"} <= set(page.words)


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([(0, 2, 0.5)], "The one judgement is satisfied."),
        ([(0, 2, -0.5)], "The one judgement is violated."),
        ([(0, 2, 0.5), (0, 1, -0.5)], "All 2 judgements are satisfied."),
    ],
)
def test_few_judgements_have_sentences_of_their_own(tmp_path, pairs, says):
    page = report(
        tmp_path / "page", fitted(np.eye(2)[[0, 1, 0]]), random_frame(3), pairs
    )

    assert says in text_of(page)


def test_long_fits_are_told_in_whole_seconds(tmp_path):
    model = fitted(np.eye(2)[[0, 1, 0]])
    page = report(tmp_path / "page", model, random_frame(3), seconds=1234.5)

    assert "The fit took 1,234 seconds." in text_of(page)


def test_an_empty_cluster_and_a_vanished_one_are_named(tmp_path):
    model = fitted([[0.6, 0.4], [0.7, 0.3], [0.8, 0.2]], n_clusters=5)
    page = report(tmp_path / "page", model, random_frame(3))

    words = text_of(page)
    assert "The 2 clusters (at most 5 were asked for) have 3 and 0 rows." in words
    assert "0 rows, 0.0 %; no row has it as its strongest." in words


def test_doubts_are_said(tmp_path):
    flat = np.full((6, 3), 1 / 3) + np.tile([0.001, 0, -0.001], (6, 1))
    page = report(tmp_path / "page", fitted(flat, converged_=False), random_frame(6))

    words = text_of(page)
    assert "belong to all clusters equally" in words
    assert "had not converged" in words


def test_clear_rows_are_not_called_mixed(tmp_path):
    page = report(tmp_path / "page", fitted(np.eye(3)[[0, 1, 2, 0]]), random_frame(4))

    assert "No row is mixed" in text_of(page)


def test_a_truth_may_be_missing_everywhere(tmp_path):
    truth = np.array([None, np.nan, None], dtype=object)
    page = report(
        tmp_path / "page", fitted(np.eye(2)[[0, 1, 0]]), random_frame(3), truth=truth
    )

    assert "The column of true classes is empty." in text_of(page)


def test_many_rows_are_cut_and_counted(tmp_path):
    n_samples, rng = 10_000, np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_samples, 45)))
    frame.columns = frame.columns.map("c{}".format)
    U = random_memberships(n_samples, 8)
    ends = rng.choice(n_samples, (2000, 2), replace=False)
    triples = [
        (i, j, grade)
        for (i, j), grade in zip(ends, rng.uniform(-1, 1, 2000), strict=True)
    ]

    start = time.process_time()
    page = report(tmp_path / "page", fitted(U), frame, triples)
    seconds = time.process_time() - start

    words = text_of(page)
    assert "2,000 of 10,000 rows, 100 of 2,000 judgements" in words
    ordered = np.sort(U, axis=1)
    n_mixed = (ordered[:, -2] >= ordered[:, -1] / 2).sum()
    assert f"and {n_mixed - 15:,} more" in words
    assert "and 5 more" in words  # of 45 columns
    assert (tmp_path / "page").stat().st_size < 4_000_000
    # About 2 s on one core that has nothing else to do; a test of order, not of speed.
    assert seconds < 15


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", np.ones((3, 2))),
        ("ids", ["a"]),
        ("truth", [0, 1]),
        ("table", pd.DataFrame()),
    ],
)
def test_lengths_must_agree(tmp_path, name, value):
    given = {name: value}
    with pytest.raises(ValueError, match=f"{name} has .* rows but the model .* to 4"):
        report(
            tmp_path / "page", fitted(np.eye(2)[[0, 1, 0, 1]]), random_frame(4), **given
        )
    assert list(tmp_path.iterdir()) == []


def test_models_without_memberships_are_refused(tmp_path):
    model = fitted(np.eye(2)[[0, 1, 0]])
    del model.memberships_

    with pytest.raises(TypeError, match="FDC, which has no memberships_"):
        report(tmp_path / "page", model, random_frame(3))
