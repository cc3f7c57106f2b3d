import re
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine, make_blobs

from fuzzypairs import FDC, PairSet
from fuzzypairs.criteria import certainty, nmi, normalized_ari, pairs_held
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.io.features import Preparation
from fuzzypairs.report import write_fit_report
from fuzzypairs.report.judgements import pair_influence
from pages import Page

JUDGED = ("row", "row", "grade", "shared", "influence", "of total influence")
TRAITS = ("sets it apart", "here", "elsewhere", "difference")


def fitted(memberships, **attributes):
    """A model with these memberships."""
    U = np.asarray(memberships, dtype=float)
    model = FDC(n_clusters=U.shape[1])
    given = {
        "memberships_": U,
        "labels_": U.argmax(axis=1),
        "n_clusters_": U.shape[1],
        "alpha_": 0.0,
        "beta_": 2.0,
        "objective_": 1.0,
        "objective_history_": np.array([3.0, 1.0]),
        "n_iter_": 2,
        "converged_": True,
    }
    model.__dict__.update(given | attributes)
    return model


def report(path, model, frame, pairs=(), **options):
    preparation = Preparation().fit(frame)
    given = {
        "model": model,
        "X": preparation.transform(frame),
        "table": frame,
        "pairs": PairSet.from_triples(list(pairs), n_samples=len(frame)),
        "ids": None,
        "columns": preparation.columns_,
        "options": {},
        "seconds": 0.125,
    }
    write_fit_report(path, **given | options)
    return Page.read(path)


def text_of(page):
    return " ".join(word for word in page.words if word)


def random_memberships(n_samples, n_clusters, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_clusters), size=n_samples)


def random_frame(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n_samples, 3)), columns=list("xyz"))


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    """The page of a fit with judgements and truth, and what went into it."""
    data = load_wine(as_frame=True)
    preparation = Preparation().fit(data.data)
    X = preparation.transform(data.data)
    drawn = simulate_pairs(X, data.target, "iv", random_state=2)
    # Rows of different cultivars that a hurried person found a little alike.
    pairs = drawn + PairSet.from_triples([(0, 170, 0.1), (5, 150, 0.2)], len(X))
    model = FDC(n_clusters=3, beta=0.3, random_state=0).fit(X, pairs=pairs)
    page = report(
        tmp_path_factory.mktemp("wine") / "report.html",
        model,
        data.data,
        pairs,
        ids=np.array([f"w{row}" for row in range(len(X))]),
        options={"clusters": 3, "metric": "euclidean"},
        truth=data.target.to_numpy(),
    )
    return page, model, pairs, data


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
    assert f"Of {len(pairs)} judgements {n_held} are held and {n_broken} broken" in lead
    ari = 100 * normalized_ari(data.target, model.labels_)
    information = 100 * nmi(data.target, model.labels_)
    assert f"ARI is {ari:.1f} % and the NMI {information:.1f} %" in lead


def test_cards_hold_sizes_traits_and_rows(wine):
    page, model, _, data = wine

    U, labels = model.memberships_, model.labels_
    cards = [rows[1:] for rows in page.tables if rows[0] == list(TRAITS)]
    assert len(cards) == len(page.named("article")) == 3
    for cluster, rows in enumerate(cards):
        u = U[:, cluster]
        gaps = {}
        for name, column in data.data.items():
            here = np.average(column, weights=u)
            elsewhere = np.average(column, weights=1 - u)
            gaps[name] = (here - elsewhere) / np.std(column)
        top = sorted(gaps, key=lambda name: -abs(gaps[name]))[:5]
        assert [[row[0], row[3]] for row in rows] == [
            [name, f"{gaps[name]:+.2f}"] for name in top
        ]
        mine = labels == cluster
        sure = certainty(U)[mine].mean()
        words = text_of(page)
        assert (
            f"Cluster {cluster} {mine.sum()} rows, {100 * mine.mean():.1f} %; "
            f"mean certainty {sure:.2f}."
        ) in words
        best = np.argmax(np.where(mine, u, 0))
        assert f"Most typical: w{best} ({u[best]:.2f})," in words


def test_prototypes_are_means_in_the_units_of_the_table(wine):
    page, model, _, data = wine

    rows = page.table("column", "cluster 0", "cluster 1", "cluster 2")
    assert {row[0] for row in rows} == set(data.data)
    for name, *cells in rows:
        means = model.memberships_.T @ data.data[name] / model.memberships_.sum(axis=0)
        shown = [float(cell.replace(",", "")) for cell in cells]
        np.testing.assert_allclose(shown, means, atol=0.01 * data.data[name].std())


def test_held_and_broken_judgements_are_ordered_by_influence(wine):
    page, model, pairs, _ = wine

    broken, held = (rows[1:] for rows in page.tables if rows[0] == list(JUDGED))
    is_held = pairs_held(pairs, model.labels_)
    influence = pair_influence(pairs, model.memberships_, model.beta_)
    for rows, kept in ((broken, ~is_held), (held, is_held)):
        order = [at for at in np.argsort(-influence) if kept[at]][:15]
        assert [[row[0], row[1], row[2], row[4]] for row in rows] == [
            [
                f"w{pairs.i[at]}",
                f"w{pairs.j[at]}",
                f"{pairs.grade[at]:.2f}",
                f"{influence[at]:.3g}",
            ]
            for at in order
        ]
        shared = [
            np.minimum(*model.memberships_[[pairs.i[at], pairs.j[at]]]).sum()
            for at in order
        ]
        assert [row[3] for row in rows] == [f"{value:.2f}" for value in shared]


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


def test_the_page_needs_no_network_and_runs_nothing(wine):
    page, *_ = wine

    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"script", "link", "iframe", "img", "a", "object", "embed", "foreignobject"}
    )
    for _, attrs in page.tags:
        assert not [name for name in attrs if name.startswith("on")]
        assert not re.search(r"https?:|//", " ".join(map(str, attrs.values())))
        assert attrs.get("xlink:href", "#").startswith("#")
    assert not [
        word for word in page.words if re.search(r"url\(|@import|https?:", word)
    ]
    # Map, triangle, judgements and objective.
    assert len(page.drawn()) == len(page.named("svg")) == 4
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

    assert page.named("script") == []
    text = text_of(page)
    assert text.count(evil) >= 8
    # Beside bars, where a name is a picture's text, it is cut and kept as it is.
    assert {evil[:23] + "…", "$x$", "農 $", "d" * 23 + "…"} <= set(page.words)


def test_words_dates_and_gaps_are_described(tmp_path):
    frame = pd.DataFrame(
        {
            "soil": ["clay", "clay", None, "sand"],
            "day": pd.to_datetime(["2020-01-01", None, "2020-01-11", "2020-02-01"]),
            "acid": [1.0, 2.0, None, 9.0],
            "note": ["same"] * 4,
        }
    )
    page = report(tmp_path / "page", fitted([[1, 0], [1, 0], [0, 1], [0, 1]]), frame)

    prototypes = {
        row[0]: row[1:] for row in page.table("column", "cluster 0", "cluster 1")
    }
    assert prototypes == {
        "soil": ["clay (100 %)", "sand (100 %)"],
        "day": ["2020-01-01", "2020-01-21"],
        "acid": ["1.50", "9.00"],
    }
    columns = page.table("column", "kind", "missing", "features", "what was done")
    assert columns[-1] == [
        "note",
        "category",
        "0",
        "0",
        "dropped, all values are the same",
    ]


def test_contradictions_are_listed(tmp_path):
    pairs = [
        *[(0, 1, 0.9), (1, 2, 0.8), (0, 2, -0.7)],
        *[(3, 4, 0.5), (4, 5, 0.5), (5, 6, 0.5), (3, 6, -0.5), (7, 8, 0)],
    ]
    page = report(
        tmp_path / "page", fitted(random_memberships(9, 3)), random_frame(9), pairs
    )

    assert page.table("a", "b", "c", "a, b", "b, c", "a, c") == [
        ["0", "1", "2", "0.90", "0.80", "-0.70"]
    ]
    words = text_of(page)
    assert "1 triple of judgements cannot all hold." in words
    assert "1 judgement of unlike is between rows that a chain" in words
    assert "1 judgement was 0, can't say" in words


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 4, 20])
def test_any_number_of_clusters_can_be_shown(tmp_path, n_clusters):
    page = report(
        tmp_path / "page",
        fitted(random_memberships(60, n_clusters)),
        random_frame(60),
        [(0, 1, -0.5), (2, 3, -0.5)],
    )

    assert len(page.named("article")) == n_clusters
    # Tables of many clusters are cut into parts that fit on paper.
    heads = [rows[0] for rows in page.tables if rows[0][:1] == ["column"]][:-1]
    assert [head for rows in heads for head in rows[1:]] == [
        f"cluster {cluster}" for cluster in range(n_clusters)
    ]
    assert len(page.drawn()) == (3 if n_clusters == 1 else 4)


@pytest.mark.parametrize("pairs", [[], [(0, 1, 0.0)]])
def test_without_judgements_it_says_so(tmp_path, pairs):
    page = report(
        tmp_path / "page", fitted(random_memberships(9, 2)), random_frame(9), pairs
    )

    assert "There were no judgements" in text_of(page)
    assert list(JUDGED) not in [rows[0] for rows in page.tables]
    assert len(page.drawn()) == 3


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([(0, 2, 0.5)], "The one judgement is held."),
        ([(0, 2, -0.5)], "The one judgement is broken."),
        ([(0, 2, 0.5), (0, 1, -0.5)], "All 2 judgements are held."),
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


def test_kernels_have_no_prototypes_but_a_report(tmp_path):
    X, _ = make_blobs(30, 3, centers=2, random_state=0)
    frame = pd.DataFrame(X, columns=list("xyz"))
    prepared = Preparation().fit_transform(frame)
    model = FDC(n_clusters=2, metric="rbf", random_state=0).fit(prepared)
    assert not hasattr(model, "cluster_centers_")

    page = report(tmp_path / "page", model, frame)

    assert len(page.table("column", "cluster 0", "cluster 1")) == 3


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
    assert (tmp_path / "page").stat().st_size < 1_500_000
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
