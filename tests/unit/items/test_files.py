import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs.items.files import (
    MOST_TEXT,
    embedding_column,
    find_items,
    read_embeddings,
    read_texts,
)


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (4, 4)).save(path, "PNG")


def test_pictures_are_found_in_folders_too(tmp_path):
    for name in ("b.png", "sub/a.JPG", "sub/deep/c.tiff", ".hidden.png", ".git/d.png"):
        picture(tmp_path / name)
    (tmp_path / "notes.txt").write_text("not an item")

    names = ["b.png", "sub/a.JPG", "sub/deep/c.tiff"]
    assert find_items(tmp_path) == ("picture", names, {})


def test_a_folder_of_texts(tmp_path):
    for name in ("b.txt", "a.md"):
        (tmp_path / name).write_text("words")
    picture(tmp_path / "one.png")

    assert find_items(str(tmp_path))[1] == ["a.md", "b.txt"]


def test_links_out_of_the_folder_are_refused(tmp_path):
    root = tmp_path / "root"
    picture(root / "a.png")
    picture(tmp_path / "out" / "secret.png")
    (root / "link.png").symlink_to(tmp_path / "out" / "secret.png")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "gone.png").symlink_to(root / "none.png")
    (root / "inside.png").symlink_to(root / "a.png")

    _, names, refused = find_items(root)

    assert names == ["a.png", "inside.png"]
    assert refused == {
        "link.png": "it is outside of the folder",
        "gone.png": "there is no such file",
    }


def test_pictures_of_other_kinds_are_named(tmp_path):
    for name in ("a.png", "b.HEIC", "c.svg", "d.pdf"):
        (tmp_path / name).touch()
    refused = find_items(tmp_path)[2]
    assert list(refused) == ["b.HEIC", "c.svg"]
    assert refused["b.HEIC"] == ".heic is not read: convert it to JPEG or PNG"

    (tmp_path / "a.png").unlink()
    with pytest.raises(ValueError, match=r"no item .* b.HEIC: .heic is not read"):
        find_items(tmp_path)
    for name in ("e.txt", "f.txt"):
        (tmp_path / name).touch()
    assert find_items(tmp_path)[2] == {
        "d.pdf": ".pdf is not read: convert it to plain text"
    }


def test_a_folder_without_items(tmp_path):
    (tmp_path / "a.dat").write_text("")

    with pytest.raises(ValueError, match="holds no item that can be read"):
        find_items(tmp_path)


def test_texts_in_several_encodings(tmp_path):
    paths = []
    for n, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16", "cp1252")):
        paths.append(str(tmp_path / f"{n}.txt"))
        (tmp_path / f"{n}.txt").write_bytes(" Größe\n".encode(encoding))

    assert read_texts(paths) == (["Größe"] * 4, {})


def test_texts_that_cannot_be_read(tmp_path):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    (tmp_path / "long.txt").write_text("é" * MOST_TEXT)

    paths = [tmp_path / n for n in ("empty.txt", "binary.txt", "none.txt", "long.txt")]
    texts, problems = read_texts(list(map(str, paths)))

    assert texts[:3] == [""] * 3
    assert set(texts[3]) == {"é"}
    assert problems == {
        0: "it is empty",
        1: "it is not text",
        2: "it cannot be opened: No such file or directory",
    }


def test_embeddings_of_one_array(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(3, dtype=np.float16))

    values, ids = read_embeddings(tmp_path / "a.npy")

    assert values.shape == (3, 3)
    assert ids is None


def test_embeddings_with_ids(tmp_path):
    np.savez(tmp_path / "a.npz", ids=[7, 8], embeddings=np.eye(2), other=[1])

    assert read_embeddings(tmp_path / "a.npz")[1] == ["7", "8"]


def test_embeddings_of_another_name_if_there_is_one_array(tmp_path):
    np.savez(tmp_path / "a.npz", vectors=np.eye(2))

    assert read_embeddings(tmp_path / "a.npz")[0].shape == (2, 2)


BROKEN = {
    "it is a pickle": {"ids": np.array(["a", None], dtype=object), "X": np.eye(2)},
    "expected numbers, a row for each item": {"X": np.zeros(3)},
    "holds nan in row 1": {"X": np.array([[1.0], [np.nan]])},
    "holds 2 embeddings but 1 ids": {"X": np.eye(2), "ids": ["a"]},
    "holds the id 'a' twice": {"X": np.eye(2), "ids": ["a", "a"]},
    "it holds the arrays 'a', 'b'": {"a": np.eye(2), "b": np.eye(2)},
    "array of <U1": {"X": np.array([["a"]])},
}


@pytest.mark.parametrize("reason", BROKEN)
def test_embeddings_that_cannot_be_used(tmp_path, reason):
    np.savez(tmp_path / "a.npz", **BROKEN[reason])

    with pytest.raises(ValueError, match=reason):
        read_embeddings(tmp_path / "a.npz")


def test_files_that_are_no_embeddings(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_embeddings(tmp_path / "none.npy")
    np.save(tmp_path / "a.npy", np.eye(9))
    data = (tmp_path / "a.npy").read_bytes()
    for name, part in {"cut.npy": data[:200], "no.npz": b"PK", "x.npy": b"a,b"}.items():
        (tmp_path / name).write_bytes(part)
        with pytest.raises(ValueError, match="cannot be read"):
            read_embeddings(tmp_path / name)


@pytest.mark.parametrize("form", [list, np.array, json.dumps])
def test_a_column_of_lists(form):
    column = pd.Series([form([1.0, 2.0]), form([3.0, 4.0])], name="v")

    np.testing.assert_array_equal(embedding_column(column), [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ([1.0], "holds 1 numbers in row 1 .* and 2 in the rows before"),
        (None, "holds None in row 1 .* expected a list of numbers"),
        ("words", "holds 'words' in row 1"),
        ("[1, 2", "in row 1"),
        ([[1.0, 2.0]], "in row 1"),
        ([1.0, float("nan")], "holds nan in row 1"),
        ([1.0, None], "nan in row 1|expected a list"),
    ],
)
def test_a_column_with_a_row_that_is_no_embedding(wrong, reason):
    column = pd.Series([[1.0, 2.0], wrong], name="v")

    with pytest.raises(ValueError, match=f"column 'v' {reason}|column 'v'.*{reason}"):
        embedding_column(column)
