"""Pictures, texts and embeddings as they should not be: one sentence, nothing lost."""

import io
import json
import os
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from commands import run

N = 12
SAID = ("the train was late again", "the soup was cold and thin")


def picture(row, size=(40, 30)):
    """Return a picture that differs from row to row: red or blue, with a bar."""
    pixels = np.zeros((size[1], size[0], 3), dtype=np.uint8)
    pixels[..., 2 * (row % 2)] = 200
    pixels[:, row % size[0] : row % size[0] + 6] = 255
    return Image.fromarray(pixels)


def folder_with(path, name, write):
    """Write twelve good pictures, and another one by `write`."""
    (path / "data").mkdir()
    for row in range(N):
        picture(row).save(path / "data" / f"{row:02}.png")
    write(path / "data" / name)
    return [path / "data"]


def truncate(path):
    file = io.BytesIO()
    noise = np.random.default_rng(0).integers(0, 255, (80, 80, 3), dtype=np.uint8)
    Image.fromarray(noise).save(file, "PNG")
    path.write_bytes(file.getvalue()[: len(file.getvalue()) // 2])


def link_outside(path):
    outside = path.parent.parent / "secret.png"
    picture(0).save(outside)
    os.symlink(outside, path)


def turn(path):
    exif = Image.Exif()
    exif[0x0112] = 6  # a camera that was turned
    picture(3).rotate(90, expand=True).save(path, exif=exif)


def animate(path):
    picture(3).save(path, save_all=True, append_images=[picture(4), picture(5)])


def sixteen_bits(path):
    Image.fromarray(np.arange(1200, dtype=np.uint16).reshape(30, 40) * 50).save(path)


# What is written beside twelve good pictures, and how many rows there are then; what
# is said of the file that is left out.
PICTURES = [
    ("no.png", lambda path: path.write_text("no picture"), "it is none of PNG"),
    ("eps.png", lambda path: picture(1).save(path, "EPS"), "it is none of PNG"),
    ("cut.png", truncate, "it is no picture that can be read"),
    ("huge.png", lambda path: Image.new("1", (9000, 8000)).save(path), "pixels, more"),
    ("link.png", link_outside, "it is outside of the folder"),
    ("empty.png", lambda path: path.touch(), "it is none of PNG"),
    ("moving.gif", animate, ""),
    ("print.jpg", lambda path: picture(3).convert("CMYK").save(path), ""),
    ("deep.png", sixteen_bits, ""),
    ("turned.jpg", turn, ""),
    ("dot.png", lambda path: Image.new("L", (1, 1), 9).save(path), ""),
    ("wide.png", lambda path: Image.new("RGB", (5000, 2)).save(path), ""),
]


@pytest.mark.parametrize(("name", "write", "said"), PICTURES, ids=lambda value: "")
def test_a_picture_that_is_odd_or_cannot_be_read(tmp_path, name, write, said):
    data = folder_with(tmp_path, name, write)
    told = fitted(*data, "--out", tmp_path / "out")

    assert told["rows"] == N + (not said)
    notes = [note for note in told["notes"] if name in note]
    assert len(notes) == bool(said)
    assert all(said in note and "left out" in note for note in notes)
    rows = pd.read_csv(tmp_path / "out" / "memberships.csv")
    assert (name in set(rows["id"])) == (not said)
    if said:
        stopped = run("fit", *data, "--strict", "--out", tmp_path / "strict")
        assert_one_sentence(stopped, name)


def test_a_picture_that_was_turned_is_seen_upright(tmp_path):
    data = folder_with(tmp_path, "turned.jpg", turn)
    picture(3).save(tmp_path / "data" / "upright.jpg")
    fitted(*data, "--out", tmp_path / "out")
    rows = pd.read_csv(tmp_path / "out" / "memberships.csv").set_index("id")

    shares = rows.filter(like="cluster_")
    np.testing.assert_allclose(
        shares.loc["turned.jpg"], shares.loc["upright.jpg"], atol=0.02
    )


def texts(path, column):
    pd.DataFrame({"nr": range(len(column)), "said": column}).to_csv(
        path / "said.csv", index=False
    )
    return [path / "said.csv", "--text", "said", "--id", "nr", "--features", "tfidf"]


GOOD = [f"{SAID[row % 2]}, no. {row}" for row in range(N)]


@pytest.mark.parametrize(
    ("more", "n_notes"),
    [
        ([None, " "], 1),
        (["x" * 2**20 + " late train"], 0),
        (["😀 😀 👩‍👩‍👧"], 0),
        (["كان القطار متأخرا", "החיים קצרים"], 0),
        (["\x07 late \u202e train"], 0),
        (["\"=1+1\", said the soup; 'cold'\n\n<b>thin</b>"], 0),
    ],
    ids=["empty", "long", "emoji", "right to left", "control", "quotes"],
)
def test_texts_as_they_come(tmp_path, more, n_notes):
    told = fitted(*texts(tmp_path, GOOD + more), "--out", tmp_path / "out")

    assert told["rows"] == N + len(more)
    notes = [note for note in told["notes"] if "cannot be read" in note]
    assert len(notes) == n_notes
    assert (tmp_path / "out" / "report.html").stat().st_size < 2_000_000
    rows = pd.read_csv(tmp_path / "out" / "memberships.csv")
    assert len(rows) == N + len(more)
    assert rows.filter(like="cluster_").sum(axis=1).between(1 - 1e-5, 1 + 1e-5).all()


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["one text"] * N, "have the same features: there is nothing to cluster by"),
        ([" "] * N, "none of 12 texts can be read: it is empty"),
    ],
)
def test_texts_without_a_difference_are_answered_by_a_sentence(tmp_path, column, said):
    result = run("fit", *texts(tmp_path, column), "--out", tmp_path / "out")

    assert_one_sentence(result, said)


def vectors(path, change):
    """Write a table, and embeddings of its rows that `change` returns."""
    values = np.random.default_rng(0).normal(size=(N, 5))
    ids = [f"a{row}" for row in range(N)]
    pd.DataFrame({"nr": ids, "x": range(N)}).to_csv(path / "a.csv", index=False)
    np.savez(path / "e.npz", **change(values, ids))
    return [path / "a.csv", "--id", "nr", "--embeddings", path / "e.npz"]


def with_nan(values, ids):
    values[3, 2] = np.nan
    return {"embeddings": values}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (with_nan, r"holds nan in row 3 \(from 0\)"),
        (lambda v, ids: {"e": v[:-2]}, "10 .*embeddings but .* 12"),
        (lambda v, ids: {"e": v[:, 0]}, r"of shape \(12,\): expected numbers"),
        (lambda v, ids: {"e": v[:-1], "ids": ids[:-1]}, "no embedding of 'a11'"),
        (lambda v, ids: {"e": v[:-1], "ids": ids}, "11 embeddings but 12 ids"),
        (lambda v, ids: {"e": v, "ids": ["a1"] * N}, "holds the id 'a1' twice"),
        (lambda v, ids: {"e": np.array([{}] * N)}, "it is a pickle, which can run"),
        (lambda v, ids: {"e": v, "f": v}, "expected one, or one called 'embeddings'"),
    ],
)  # fmt: skip
def test_embeddings_that_do_not_fit_are_answered_by_a_sentence(tmp_path, change, said):
    result = run("fit", *vectors(tmp_path, change), "--out", tmp_path / "out")

    assert_one_sentence(result, said)


def test_embeddings_in_another_order_than_the_table_follow_its_ids(tmp_path):
    orders = (slice(None), slice(None, None, -1))
    found = []
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        folder.mkdir()
        data = vectors(
            folder, lambda v, ids, order=order: {"e": v[order], "ids": ids[order]}
        )
        fitted(*data, "--out", folder / "out")
        found.append(pd.read_csv(folder / "out" / "memberships.csv"))

    pd.testing.assert_frame_equal(*found)


def test_lists_of_other_lengths_are_answered_by_a_sentence(tmp_path):
    rows = [{"e": [0.1, 0.2, row]} for row in range(N - 1)] + [{"e": [0.5]}]
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ["fit", tmp_path / "e.jsonl", "--embedding", "e"]
    result = run(*command, "--out", tmp_path / "out")

    assert_one_sentence(result, r"holds 1 numbers in row 11 \(from 0\), and 3 in the")


@pytest.mark.parametrize("n", [0, 1])
def test_a_folder_with_nothing_to_compare(tmp_path, n):
    (tmp_path / "data").mkdir()
    for row in range(n):
        picture(row).save(tmp_path / "data" / f"{row}.png")
    (tmp_path / "data" / "notes.pdf").touch()
    result = run("fit", tmp_path / "data", "--out", tmp_path / "out")

    assert_one_sentence(result, "holds no item that can be read|fewer clusters")


def fitted(*command):
    """Run a fit, and return its summary."""
    result = run("fit", *command, "--clusters", 2, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


def assert_one_sentence(result, said):
    """Whether a command ended on one sentence of the user's language."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    [line] = result.stderr.strip().splitlines()
    assert line.startswith("fuzzypairs: ")
    assert re.search(said, line), line
