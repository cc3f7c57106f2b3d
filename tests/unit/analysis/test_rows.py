"""Rows of every kind of data, and their judgements."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.exceptions import PairsError
from fuzzypairs.items import ItemFeatures
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.readers import TableFile

TEXTS = [
    "the train to Basel was late again",
    "my train was cancelled this morning",
    "no seat in a crowded railway carriage",
    "the soup was cold and far too salty",
    "our waiter forgot the dessert twice",
    "delicious bread and a friendly kitchen",
]


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def messages(tmp_path):
    """A table of texts with ids, numbers and words beside them."""
    table = pd.DataFrame(
        {"id": list("abcdef"), "said": TEXTS, "age": [3.0, 5, 9, 2, 7, 8],
         "town": list("pqpqpq")}
    )  # fmt: skip
    table.to_csv(tmp_path / "messages.csv", index=False)
    return tmp_path / "messages.csv"


@pytest.fixture
def photos(tmp_path):
    """A folder of eight squares, red ones and blue ones, and a broken file."""
    folder = tmp_path / "photos"
    (folder / "more").mkdir(parents=True)
    for n in range(8):
        values = np.full((20, 30, 3), 20, dtype=np.uint8)
        values[5:15, 5:20, 0 if n % 2 else 2] = 250 - n
        place = folder / "more" if n > 5 else folder
        Image.fromarray(values).save(place / f"{n}.png")
    (folder / "9.png").write_bytes(b"no picture")
    return folder


def test_the_column_of_ids_is_found(tmp_path):
    data = write(tmp_path / "d.csv", "x,name,code\n1,oak,007\n2,ash,7\n3,elm,8\n")
    pairs = write(tmp_path / "p.csv", "a,b,grade\nash,oak,1\nelm,oak,-1\n")
    rows = RowReader().read(data, pairs)
    assert rows.notes[0].startswith("rows are named by the column 'name'")
    assert rows.source.id_column == "name"
    assert list(rows.pairs) == [(0, 1, 1.0), (0, 2, -1.0)]

    pairs = write(tmp_path / "p.csv", "a,b,grade\n7,8,1\n007,8,-1\n")
    rows = RowReader().read(data, pairs)
    assert rows.source.id_column == "code"
    assert list(rows.pairs) == [(0, 2, -1.0), (1, 2, 1.0)]


def test_ids_with_leading_zeros_are_found(tmp_path):
    data = write(tmp_path / "d.csv", "x,code\n1,007\n2,010\n4,008\n")
    pairs = write(tmp_path / "p.csv", "a,b,grade\n007,008,1\n010,008,-1\n")
    rows = RowReader().read(data, pairs)

    assert rows.ids.tolist() == ["007", "010", "008"]
    assert list(rows.pairs) == [(0, 2, 1.0), (1, 2, -1.0)]


def test_ids_are_found_beside_columns_of_lists(tmp_path):
    data = tmp_path / "d.parquet"
    frame = {"tags": [[1], [2, 3]], "name": ["oak", "ash"], "x": [1.0, 2.0]}
    pd.DataFrame(frame).to_parquet(data)
    pairs = write(tmp_path / "p.csv", "a,b,grade\nash,oak,1\n")

    assert RowReader(drop=["tags"]).read(data, pairs).ids.tolist() == ["oak", "ash"]
    with pytest.raises(ValueError, match=r"tags' holds .* row 0 .*; drop the column"):
        RowReader().read(data, pairs)


def test_a_table_in_memory_is_named_by_its_index():
    wines = pd.DataFrame({"acid": [1.0, 2.0, 9.0]}, index=["oak", "ash", "elm"])
    judged = pd.DataFrame({"a": ["elm"], "b": ["oak"], "grade": [-0.5]})
    rows = RowReader().read(wines, judged)

    assert rows.ids.tolist() == ["oak", "ash", "elm"]
    assert list(rows.pairs) == [(0, 2, -0.5)]
    assert isinstance(rows.preparation, Preparation)
    with pytest.raises(ValueError, match="names two rows alike"):
        RowReader().read(wines.set_axis(["oak", "oak", "elm"]))


def test_texts_of_a_column_with_columns_beside_them(messages):
    rows = RowReader(id="id", text="said", with_=["age"], features="tfidf").read(
        messages
    )

    assert rows.items.kind == "text"
    assert rows.ids.tolist() == list("abcdef")
    assert list(rows.table) == ["age", "town"]
    assert [c.name for c in rows.columns] == ["said", "age"]
    assert rows.X.shape == (6, rows.preparation.n_features_out_)
    alone = ItemFeatures("text", "tfidf").fit_transform(TEXTS)
    np.testing.assert_allclose(rows.X.to_numpy()[:, :-1], alone)


@pytest.mark.parametrize("columns", [["said"], ["id", "said"]])
def test_a_table_with_nothing_but_texts_is_taken_so(messages, columns):
    long = pd.read_csv(messages)[columns]
    long["said"] = [
        f"{text}, {n} minutes long, as I said" for n, text in enumerate(TEXTS)
    ]
    path = messages.with_name("texts.csv")
    pd.concat([long] * 4).reset_index(drop=True).assign(
        said=lambda t: t["said"] + " " + t.index.astype(str)
    ).drop(columns="id", errors="ignore").to_csv(path, index=False)
    rows = RowReader(features="tfidf").read(path)

    assert rows.items.kind == "text"
    assert "the texts of column 'said' are clustered" in rows.notes[0]


def test_one_column_may_be_texts_and_their_names(messages):
    rows = RowReader(id="said", text="said", features="tfidf").read(messages)

    assert rows.ids.tolist() == TEXTS
    assert list(rows.table) == ["id", "age", "town"]


def test_a_folder_of_pictures(photos):
    rows = RowReader().read(photos)

    assert rows.ids.tolist() == [
        *(f"{n}.png" for n in range(6)),
        "more/6.png",
        "more/7.png",
    ]
    assert rows.n_rows == rows.source.n_rows == 8
    assert "9.png" in rows.notes[0]
    with pytest.raises(ValueError, match=r"9\.png"):
        RowReader(strict=True).read(photos)
    with pytest.raises(ValueError, match="--truth is about a table"):
        RowReader(truth="kind").read(photos)


def test_names_of_pictures_in_a_table(photos):
    names = ["0.png", "1.png", "more/6.png", "gone.png", "2.png"]
    table = photos.with_name("photos.csv")
    pd.DataFrame({"file": names, "year": [1, 2, 3, 4, 5]}).to_csv(table, index=False)
    rows = RowReader(image="file", id="file", images=photos).read(table)

    assert rows.ids.tolist() == names
    assert rows.flagged["not readable"].tolist() == [False, False, False, True, False]
    U = np.tile([0.9, 0.1], (5, 1))
    found = rows.lower_certainty(None, U)
    np.testing.assert_array_equal(found[3], [0.5, 0.5])
    np.testing.assert_array_equal(np.delete(found, 3, 0), np.delete(U, 3, 0))


def test_embeddings_alone_in_a_column_and_beside_a_table(tmp_path, messages):
    vectors = np.random.default_rng(0).normal(size=(6, 4))
    np.save(tmp_path / "v.npy", vectors)
    ids = np.array(list("fedcba"))
    np.savez(tmp_path / "v.npz", embeddings=vectors[::-1], ids=ids)
    table = pd.read_csv(messages).assign(e=list(vectors))
    table.to_parquet(tmp_path / "e.parquet")
    centred = vectors - vectors.mean(axis=0)
    for rows in (
        RowReader().read(tmp_path / "v.npy"),
        RowReader().read(vectors),
        RowReader(embedding="e").read(tmp_path / "e.parquet"),
        RowReader(embeddings=tmp_path / "v.npy").read(messages),
        RowReader(embeddings=tmp_path / "v.npz", id="id").read(messages),
    ):
        np.testing.assert_allclose(rows.X, centred, atol=1e-12)
        assert rows.items.kind == "embedding"
    np.save(tmp_path / "short.npy", vectors[:5])
    with pytest.raises(ValueError, match="5 embeddings but"):
        RowReader(embeddings=tmp_path / "short.npy").read(messages)


def test_shown_columns_are_not_clustered_by(messages):
    rows = RowReader(id="id", show=["age"], drop=["said"]).read(messages)

    assert [c.name for c in rows.columns] == ["town"]
    assert list(rows.table) == ["town", "age"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "sad"}, r"no column 'sad', did you mean 'said'.*--text"),
        ({"text": "said", "image": "town"}, "name one of --text"),
        ({"with_": ["age"]}, "--with adds columns"),
        ({"text": "said", "with_": ["ages"]}, r"no column 'ages'.*--with"),
        ({"show": ["id", "said", "age", "town"]}, "no column left to cluster by"),
        ({"text": "said", "features": "bag"}, "bag"),
        ({"embedding": "town"}, "expected a list of numbers"),
        ({"grade_scale": "9-1"}, "9-1"),
    ],
    ids=str,
)
def test_what_cannot_be_read(messages, options, message):
    with pytest.raises(ValueError, match=message):
        RowReader(**options).read(messages)


def test_judgements_of_other_rows_are_refused(messages):
    pairs = write(messages.with_name("p.csv"), "a,b,grade\na,z,1\n")
    with pytest.raises(PairsError, match="no id of the data"):
        RowReader(id="id").read(messages, pairs)


def test_a_table_is_parsed_once(messages, monkeypatch):
    read, parsed = TableFile.read, []

    def counted(self, text=()):
        parsed.append(self.path)
        return read(self, text)

    monkeypatch.setattr(TableFile, "read", counted)
    pairs = write(messages.with_name("p.csv"), "a,b,grade\na,b,1\nc,d,-1\n")
    RowReader(id="id", truth="town").read(messages, pairs)

    assert sorted(parsed) == [messages, pairs]


def test_alike_columns_have_one_note():
    table = pd.DataFrame({f"c{n}": [1.0, 1.0, 1.0, 1.0] for n in range(9)})
    rows = RowReader().read(table.assign(x=[1.0, 2.0, 3.5, 9.0]))

    assert rows.notes == [
        "columns c0, c1, c2, c3, c4 and 4 more: left out, all values are the same"
    ]


def test_a_column_of_texts_that_is_left_out_is_named_with_its_option():
    said = [f"{TEXTS[n % 6]}, {n}" for n in range(60)]
    rows = RowReader().read(
        pd.DataFrame({"said": said, "age": [n % 7 for n in range(60)]})
    )

    assert rows.notes == [
        "column said: left out, it is free text; --text said clusters by it"
    ]
