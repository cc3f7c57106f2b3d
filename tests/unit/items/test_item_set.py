import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs.items import ItemSet
from fuzzypairs.items.item_set import guess_column


def write_picture(path, color="red"):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (200, 100), color).save(path)


def test_a_folder_of_pictures(tmp_path):
    write_picture(tmp_path / "b.png")
    write_picture(tmp_path / "sub" / "a.jpg")
    items = ItemSet.from_folder(tmp_path)

    assert (items.kind, items.n_rows, items.is_folder) == ("picture", 2, True)
    assert items.ids.tolist() == ["b.png", "sub/a.jpg"]
    shown = items.show(1, side=50)
    assert (shown.name, shown.text, shown.media_type) == ("sub/a.jpg", "", "image/jpeg")
    assert shown.picture[:2] == b"\xff\xd8"
    assert items.picture(0) == ((tmp_path / "b.png").read_bytes(), "image/png")


def test_a_folder_of_texts_leaves_out_empty_ones(tmp_path):
    for name, text in {"a": "first", "b": " ", "c": "third"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    items = ItemSet.from_folder(tmp_path)

    assert items.values == ["first", "third"]
    assert items.ids.tolist() == ["a.txt", "c.txt"]
    assert items.refused == {"b.txt": "it is empty"}
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "c.txt").write_text("")
    with pytest.raises(
        ValueError, match=r"holds no text that can be read: a\.txt \(it"
    ):
        ItemSet.from_folder(tmp_path)


def test_texts_of_a_column():
    column = pd.Series(["one  word\nmore", None, "x" * 500, "مرحبا 😀"])
    items = ItemSet.from_texts(column, ids=[7, 8, 9, 10])

    assert items.problems == {1: "it is empty"}
    assert items.show(0).text == "one word more"
    assert items.show(2).text == "x" * 239 + "…"
    assert items.show(3).text == "مرحبا 😀"
    assert [items.name(n) for n in range(4)] == ["7", "8", "9", "10"]


def test_pictures_of_a_column(tmp_path):
    root = tmp_path / "root"
    write_picture(root / "a.png")
    write_picture(tmp_path / "secret.png")
    column = ["a.png", None, "../secret.png", "gone.png"]
    items = ItemSet.from_pictures(column, root)

    assert items.problems == {
        1: "there is no name of a file",
        2: "../secret.png: it is outside of the folder",
        3: "gone.png: there is no such file",
    }
    assert items.show(0).picture
    assert items.show(2).picture is None
    assert items.name(2) == "row 2"
    with pytest.raises(ValueError, match="outside of the folder"):
        items.picture(2)
    with pytest.raises(ValueError, match=r"none of 2 pictures is in .* by --images"):
        ItemSet.from_pictures(["x.png", "y.png"], root)


def test_a_file_that_became_unreadable_is_shown_by_its_name(tmp_path):
    write_picture(tmp_path / "a.png")
    items = ItemSet.from_folder(tmp_path)
    (tmp_path / "a.png").write_bytes(b"gone")

    assert items.show(0).name == "a.png"
    assert items.show(0).picture is None


def test_embeddings_in_the_order_of_the_table(tmp_path):
    path = tmp_path / "e.npz"
    np.savez(path, embeddings=np.diag([1.0, 2.0, 3.0]), ids=["c", "a", "b"])
    items = ItemSet.from_embeddings(path, ids=["a", "b", "c"])

    np.testing.assert_array_equal(items.values.max(axis=1), [2, 3, 1])
    assert ItemSet.from_embeddings(path).ids.tolist() == ["c", "a", "b"]
    with pytest.raises(ValueError, match=r"e\.npz has no embedding of 'd'"):
        ItemSet.from_embeddings(path, ids=["a", "d"])
    np.save(tmp_path / "e.npy", np.eye(3))
    with pytest.raises(ValueError, match="holds 3 embeddings but the table has 2 rows"):
        ItemSet.from_embeddings(tmp_path / "e.npy", ids=["a", "b"])
    with pytest.raises(ValueError, match=r"holds nan in row 1 \(from 0\)"):
        ItemSet.from_embeddings(pd.Series([[1.0, 2.0], [np.nan, 1.0]], name="e"))


def test_rows_are_taken_with_all_that_belongs_to_them():
    table = pd.DataFrame({"year": [1, 2, 3]})
    items = ItemSet(
        "text", ["a", "", "c"], np.array(["x", "y", "z"]), {1: "empty"}, shown=table
    )
    some = items.take([2, 1])

    assert (some.values, some.ids.tolist()) == (["c", ""], ["z", "y"])
    assert some.problems == {1: "empty"}
    assert some.show(0).cells == {"year": "3"}


TEXTS = [f"the message number {n} of many" for n in range(30)]
NAMES = [f"{n}.jpg" for n in range(30)]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"t": TEXTS}, ("text", "t")),
        ({"id": range(30), "t": TEXTS, "longer": [2 * t for t in TEXTS]},
         ("text", "longer")),
        ({"t": TEXTS, "file": NAMES}, ("picture", "file")),
        ({"t": TEXTS, "e": [[1.0, 2.0]] * 30}, ("embedding", "e")),
        ({"t": TEXTS, "class": ["a", "b"] * 15}, None),
        ({"t": TEXTS, "x": np.random.default_rng(0).random(30)}, None),
        ({"word": [f"w{n}" for n in range(30)]}, ("text", "word")),
        ({"word": [f"w{n}" for n in range(30)], "id": range(30)}, None),
        ({"nothing": [None] * 30}, None),
    ],
)  # fmt: skip
def test_the_column_that_holds_items(columns, found):
    assert guess_column(pd.DataFrame(columns)) == found
