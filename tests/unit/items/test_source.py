"""What a user names as data, as rows."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.items.source import ItemOptions, holds_items, open_source
from fuzzypairs.tables.model_files import load, save

SUBJECTS = ("the train was late again", "the soup was cold and thin")


def write_pictures(folder, n=12):
    folder.mkdir(exist_ok=True)
    for number in range(n):
        color = ("red", "blue")[number % 2]
        Image.new("RGB", (40, 30), color).save(folder / f"{number:02}.png")
    return folder


@pytest.fixture
def messages(tmp_path):
    path = tmp_path / "messages.csv"
    frame = pd.DataFrame(
        {
            "nr": [f"{n:03}" for n in range(40)],
            "text": [f"{SUBJECTS[n % 2]}, no. {n}" for n in range(40)],
            "stars": np.arange(40) % 5,
            "shop": ["north", "south"] * 20,
        }
    )
    frame.to_csv(path, index=False)
    return path


def test_a_folder_of_pictures(tmp_path):
    folder = write_pictures(tmp_path / "photos")
    (folder / "broken.png").write_bytes(b"no picture")
    source = open_source(folder)
    with pytest.warns(ReadingWarning, match=r"broken\.png"):
        made = source.prepare()

    assert source.n_rows == 13
    assert (made.source.n_rows, len(made.X)) == (12, 12)
    assert made.source.table.ids.tolist() == made.source.items.ids.tolist()
    assert made.source.table.id_column == "file"
    assert not made.gappy.any()
    assert made.kept.tolist() == list(range(12))
    again = open_source(folder, preparation=made.preparation)
    with pytest.warns(ReadingWarning, match=r"broken\.png"):
        X = again.transform(made.preparation).X
    np.testing.assert_allclose(X, made.X, atol=1e-6)


def test_texts_with_columns_beside_them_and_shown_ones(messages, tmp_path):
    options = ItemOptions(text="text", beside=("stars",))
    source = open_source(messages, id_column="nr", options=options)

    assert source.items.kind == "text"
    assert list(source.shown) == ["stars", "shop"]
    assert source.table.ids[7] == "007"
    made = source.prepare()
    assert made.preparation.get_feature_names_out()[-1] == "stars"
    save(made.preparation, tmp_path / "a.skops")
    loaded = load(tmp_path / "a.skops")
    again = open_source(messages, id_column="nr", preparation=loaded)
    np.testing.assert_allclose(again.transform(loaded).X, made.X, atol=1e-6)


def test_a_column_is_taken_for_texts_if_nothing_else_is_left(messages):
    with pytest.warns(ReadingWarning, match="rows are texts: column text holds them"):
        source = open_source(messages, id_column="nr", drop=["stars", "shop"])
    assert source.items.n_rows == 40
    # Numbers and categories are clustered by, if there are any.
    assert open_source(messages, id_column="nr").items is None


def test_a_column_of_a_table_is_shown_only(messages):
    source = open_source(messages, options=ItemOptions(show=("text",)))

    assert list(source.table.features) == ["nr", "stars", "shop"]
    assert list(source.shown) == ["nr", "stars", "shop", "text"]


def test_embeddings_beside_a_table_follow_its_ids(messages, tmp_path):
    path = tmp_path / "vectors.npz"
    values = np.arange(80.0).reshape(40, 2)
    ids = [f"{n:03}" for n in reversed(range(40))]
    np.savez(path, embeddings=values, ids=ids)
    options = ItemOptions(embeddings=path)
    source = open_source(messages, id_column="nr", options=options)

    np.testing.assert_array_equal(source.items.values, values[::-1])
    assert list(source.shown) == ["text", "stars", "shop"]
    with pytest.raises(ValueError, match=r"names its rows, .* does not: name the"):
        open_source(messages, options=options)


def test_embeddings_of_a_file_and_of_a_column_of_lists(tmp_path):
    values = np.random.default_rng(0).normal(size=(30, 8)).astype(np.float32)
    np.save(tmp_path / "e.npy", values)
    frame = pd.DataFrame({"name": [f"a{n}" for n in range(30)], "e": list(values)})
    frame.to_parquet(tmp_path / "e.parquet")
    frame.to_json(tmp_path / "e.jsonl", orient="records", lines=True)

    assert holds_items(tmp_path / "e.npy")
    X = open_source(tmp_path / "e.npy").prepare().X
    np.testing.assert_allclose(X, values - values.mean(axis=0), atol=1e-6)
    for name in ("e.parquet", "e.jsonl"):
        options = ItemOptions(embedding="e")
        source = open_source(tmp_path / name, id_column="name", options=options)
        np.testing.assert_allclose(source.prepare().X, X, atol=1e-6)
    with pytest.warns(ReadingWarning, match="rows are embeddings"):
        open_source(tmp_path / "e.parquet")


def test_pictures_named_in_a_table(tmp_path):
    folder = write_pictures(tmp_path / "photos")
    table = tmp_path / "photos.csv"
    names = [f"{n:02}.png" for n in range(12)]
    pd.DataFrame({"file": [*names, "gone.png"], "year": 2001}).to_csv(table)
    options = ItemOptions(image="file", images=folder)
    source = open_source(table, id_column="file", options=options)
    with pytest.warns(ReadingWarning, match=r"counts as the mean: gone\.png"):
        made = source.prepare()

    # A row of a table stays, also without its picture.
    assert len(made.X) == 13
    assert made.gappy.tolist() == [False] * 12 + [True]
    assert made.source.items.problems.keys() == {12}


def test_what_holds_items(tmp_path):
    assert holds_items(write_pictures(tmp_path / "photos"))
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.csv").write_text("a\n1\n")
    assert not holds_items(tmp_path / "parts")
    assert not holds_items(tmp_path / "none.npy")
    assert not holds_items(tmp_path / "parts" / "a.csv")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"options": ItemOptions(text="txt")}, r"no column 'txt'.*\(--text\)"),
        ({"options": ItemOptions(text="text", image="text")}, "both given"),
        ({"options": ItemOptions(images=".")}, "without --image"),
        ({"options": ItemOptions(text="text", beside=("text",))}, "holds the items"),
        ({"options": ItemOptions(beside=("stars",))}, "--with stars is for columns"),
        ({"options": ItemOptions(text="text", beside=("stars",), show=("stars",))},
         "both --with and --show"),
        ({"options": ItemOptions(show=("nr", "text", "stars", "shop"))},
         "no column left"),
        ({"options": ItemOptions(image="text", images="none")}, "is no folder"),
        ({"options": ItemOptions(image="text")}, "none of 40 pictures"),
        ({"options": ItemOptions(embedding="text")}, "expected a list of numbers"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_are_answered_by_a_sentence(messages, asked, said):
    with pytest.raises(ValueError, match=said):
        open_source(messages, **asked)


def test_a_folder_has_no_columns(tmp_path):
    folder = write_pictures(tmp_path / "photos")
    with pytest.raises(ValueError, match="is a folder, which has no columns: leave"):
        open_source(folder, id_column="nr")


def test_a_column_that_is_shown_cannot_be_a_category(messages):
    source = open_source(messages, options=ItemOptions(text="text"))
    with pytest.raises(ValueError, match="add --with shop"):
        source.prepare(category=["shop"])


def test_a_model_of_texts_refuses_a_folder_of_pictures(messages, tmp_path):
    made = open_source(messages, options=ItemOptions(text="text")).prepare()
    folder = open_source(write_pictures(tmp_path / "photos"))
    with pytest.raises(ValueError, match="pictures: expected texts"):
        folder.transform(made.preparation)
