import re
from base64 import b64decode

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs import FDC
from fuzzypairs.items import ItemFeatures, ItemSet
from fuzzypairs.report import shown_items, write_fit_report

TRAINS = ["my train was cancelled", "my train was late again", "a train is late again"]
SOUPS = [
    "the soup tasted of salt",
    "cold soup, too much salt",
    "salt and soup and salt",
]


def report(tmp_path, items, truth_of_two, **options):
    """Return the report of two clusters of items, with two wrong judgements."""
    maker = ItemFeatures(items.kind, "tfidf" if items.kind == "text" else "auto")
    X = maker.fit_transform(items)
    own = np.flatnonzero(truth_of_two)
    others = np.flatnonzero(~truth_of_two)
    pairs = [(own[0], own[1], 1.0), (own[0], others[0], 0.1), (own[2], others[1], -0.4)]
    model = FDC(2, beta=0.01, random_state=0).fit(X, pairs=pairs)
    path = tmp_path / "report.html"
    write_fit_report(
        path, model=model, X=X, table=pd.DataFrame(index=range(len(X))), pairs=pairs,
        ids=items.ids, columns=maker.columns_, options={}, seconds=0.1, items=items,
        **options,
    )  # fmt: skip
    return path.read_text(encoding="utf-8"), model


@pytest.fixture
def folder(tmp_path):
    """30 squares, red and to the left or blue and to the right."""
    rng = np.random.default_rng(0)
    for n in range(30):
        values = rng.integers(0, 30, (90, 120, 3), dtype=np.uint8)
        left = 10 if n % 2 else 75
        values[30:60, left : left + 30, 0 if n % 2 else 2] = 250
        (tmp_path / "photos").mkdir(exist_ok=True)
        Image.fromarray(values).save(tmp_path / "photos" / f"{n:02} <b>.png")
    return tmp_path / "photos"


def test_clusters_of_pictures_are_shown(folder, tmp_path):
    names = ["left & red", "right & blue"]
    page, model = report(
        tmp_path, ItemSet.from_folder(folder), np.arange(30) % 2 == 1,
        cluster_names=names,
    )  # fmt: skip

    assert "30 pictures in 2 clusters" in page
    assert "left &amp; red (cluster 0)" in page
    assert page.index("Most typical") < page.index(">Map</h2>")
    mosaic = re.search(r'<ul class="mosaic">.*?</ul>', page, re.DOTALL)[0]
    data = re.findall(r'src="data:image/(\w+);base64,([^"]+)" alt="([^"]+)"', mosaic)
    assert all(b64decode(code) for _, code, _ in data)
    assert {name.split()[1] for *_, name in data} == {"&lt;b&gt;.png"}
    shown = {int(name.split()[0]) for *_, name in data}
    assert len(set(model.labels_[list(shown)])) == 1
    rows = page[page.index('<details class="rows">') :]
    assert rows.count("<img ") == 30 + 6  # rows, and both items of three judgements
    assert "left &amp; red</td>" in rows
    assert not re.search(r"\b(pc|e|picture )\d+\b", page.replace("00ff", ""))


def test_violated_judgements_show_both_items(folder, tmp_path):
    page, _ = report(tmp_path, ItemSet.from_folder(folder), np.arange(30) % 2 == 1)

    table = page[page.index("Violated judgements") :]
    row = table[table.index("<tbody>") : table.index("</tr>", table.index("<tbody>"))]
    assert row.count("<img ") == 2


def test_clusters_of_texts_have_words_and_examples(tmp_path):
    texts = [f"{text} {n}" for n in range(20) for text in (*TRAINS, *SOUPS)]
    texts[0] = "<script>alert(1)</script> the train to Basel"
    page, _ = report(
        tmp_path, ItemSet.from_texts(texts), np.arange(120) % 6 < 3, source="messages"
    )

    assert "messages: 120 texts in 2 clusters" in page
    words = re.findall(r"Words that set it apart: ([^<]*)\.", page)
    assert {"train", "soup"} <= {
        w for said in words for w in re.findall(r"[a-z]+", said)
    }
    assert "<script>alert" not in page
    assert '<span class="said" dir="auto">my train was cancelled' in page
    assert "log-odds ratios with a prior" in page


def test_thumbnails_stay_within_a_limit(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(shown_items, "MOST_IN_TABLE", 10)
    page, _ = report(tmp_path, ItemSet.from_folder(folder), np.arange(30) % 2 == 1)

    assert "The table shows 10 of 30 pictures: the file would be too large" in page
    monkeypatch.setattr(shown_items, "IN_TABLE", 0)
    page, _ = report(tmp_path, ItemSet.from_folder(folder), np.arange(30) % 2 == 1)
    assert "The table shows 0 of 30 pictures" in page


def test_embeddings_show_the_columns_beside_them(tmp_path):
    rng = np.random.default_rng(0)
    values = np.repeat(np.eye(3)[:2], 15, axis=0) + 0.1 * rng.random((30, 3))
    frame = pd.DataFrame({"title": [f"title {n}" for n in range(30)]})
    items = ItemSet("embedding", values, shown=frame)
    page, _ = report(tmp_path, items, np.arange(30) < 15)

    assert "30 rows in 2 clusters" in page
    assert re.search(r'<span class="said" dir="auto">title: title \d+</span>', page)
