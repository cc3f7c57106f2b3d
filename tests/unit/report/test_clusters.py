import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from fit_pages import fitted, random_frame, random_memberships, report, text_of
from fuzzypairs import FDC
from fuzzypairs.criteria import certainty
from fuzzypairs.tables.features import Preparation

TRAITS = ("sets it apart", "here", "elsewhere", "difference")


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
            f"mean certainty {100 * sure:.1f} %."
        ) in words
        found = re.findall(
            rf"Cluster {cluster} .*?Most typical: (.*?)\. Most mixed: (.*?)\. sets",
            words,
        )
        typical, mixed = (re.findall(r"w\d+", part) for part in found[0])
        assert len(typical) == 5
        assert not set(typical) & set(mixed)


def test_prototypes_are_means_in_the_units_of_the_table(wine):
    page, model, _, data = wine

    rows = page.table("column", "cluster 0", "cluster 1", "cluster 2")
    assert {row[0] for row in rows} == set(data.data)
    for name, *cells in rows:
        means = model.memberships_.T @ data.data[name] / model.memberships_.sum(axis=0)
        shown = [float(cell.replace(",", "")) for cell in cells]
        np.testing.assert_allclose(shown, means, atol=0.01 * data.data[name].std())


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
        "left out, all values are the same",
    ]


def test_typical_rows_are_near_the_mean_and_clear_rows_are_not_mixed(tmp_path):
    # Row 3 is the one at the mean of cluster 0; rows 0 to 4 belong to it alone.
    frame = pd.DataFrame({"x": [0.0, 2.0, 4.0, 6.0, 18.0, 100.0, 101.0]})
    U = [[1, 0]] * 5 + [[0, 1], [0.4, 0.6]]
    words = text_of(report(tmp_path / "page", fitted(U), frame))

    assert "Most typical: 3, 2, 1, 0, 4. sets it apart" in words
    assert "Most typical: 5. Most mixed: 6 (60 %, cluster 0 40 %)." in words


def test_columns_count_by_their_weight_in_the_fit(tmp_path):
    # x parts the clusters most, but the fit hardly looks at it.
    frame = pd.DataFrame(
        {"x": [0.0, 0.1, 5.0, 5.1], "w": list("abab"), "y": [0.0, 2.0, 3.0, 4.0]}
    )
    weights = np.array([0.005, 0.9, 0.05, 0.045])  # x, y, w = a, w = b
    model = fitted(np.eye(2)[[0, 0, 1, 1]], feature_weights_=weights)
    page = report(tmp_path / "page", model, frame, [(0, 2, -1.0)])

    assert "They differ most in “y”." in text_of(page)
    card = page.table(*TRAITS, "weight")
    # Both clusters have as many of each w, which therefore sets none apart.
    assert [[row[0], row[4]] for row in card] == [["y", "90 %"], ["x", "0 %"]]


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
    # With judgements also the maps before and after.
    assert len(page.drawn()) == (3 if n_clusters == 1 else 6)


def test_kernels_have_no_prototypes_but_a_report(tmp_path):
    X, _ = make_blobs(30, 3, centers=2, random_state=0)
    frame = pd.DataFrame(X, columns=list("xyz"))
    prepared = Preparation().fit_transform(frame)
    model = FDC(n_clusters=2, metric="rbf", random_state=0).fit(prepared)
    assert not hasattr(model, "cluster_centers_")

    page = report(tmp_path / "page", model, frame)

    assert len(page.table("column", "cluster 0", "cluster 1")) == 3
