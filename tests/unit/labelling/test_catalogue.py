"""Items as people see them, and tables that changed."""

import os

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from fuzzypairs.exceptions import PairsError, ReadingWarning
from fuzzypairs.labelling.catalogue import (
    as_judged,
    compare_texts,
    data_changes,
    grey_png,
    open_catalogue,
)
from fuzzypairs.labelling.media import media_features
from fuzzypairs.labelling.store import Event, Store
from fuzzypairs.tables.table_files import read_items


def test_differences_are_marked(catalogue):
    shown = catalogue.pair(0, 1)

    assert (shown["left"]["name"], shown["right"]["name"]) == ("W00", "W01")
    assert [(c["column"], c["differs"]) for c in shown["cells"]] == [
        ("acid", 2),
        ("soil", 2),
    ]
    same = catalogue.pair(0, 2)["cells"]
    assert [cell["differs"] for cell in same] == [1, 0]
    assert shown["texts"]["left"] == [
        ("a ", False),
        ("clay", True),
        (" wine no 0", False),
    ]
    assert list(catalogue.items.features) == ["acid", "soil"]


def test_texts_in_pieces_are_the_texts():
    left, right = "The quick, brown fox.", "A quick red  fox!"
    pieces = compare_texts(left, right)

    assert "".join(text for text, _ in pieces["left"]) == left
    assert "".join(text for text, _ in pieces["right"]) == right
    assert compare_texts("", "") == {"left": [], "right": []}


@pytest.fixture
def judged(tmp_path, catalogue):
    with Store(tmp_path / "a.db") as store:
        store.set_facts(catalogue.facts())
        store.append(
            Event("graded", "W00", "W01", "Ann", grade=0.5),
            [catalogue.item(0), catalogue.item(1)],
        )
        yield store


def reread(table, change):
    frame = pd.read_csv(table)
    change(frame).to_csv(table, index=False)
    return open_catalogue(read_items(table, id_column="name"), text="notes")[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame, []),
        (
            lambda frame: frame.drop(index=0),
            ["it had 40 rows and has now 39", "1 judged items are gone: 'W00'"],
        ),
        (
            lambda frame: frame.assign(acid=[5.0, *frame.acid[1:]]),
            ["1 judged items have other cells: 'W00'"],
        ),
        (
            lambda frame: frame.rename(columns={"soil": "ground"}),
            ["columns are gone: 'soil'", "columns are new: 'ground'"],
        ),
        (
            lambda frame: frame.assign(acid=[*frame.acid[:39], 5.0]),
            ["items that were not judged have changed"],
        ),
    ],
)
def test_a_changed_table_is_described(table, judged, change, said):
    assert data_changes(judged, reread(table, change)) == said


def test_facts_that_others_changed_are_answered_by_a_sentence(judged, catalogue):
    judged.set_facts({**catalogue.facts(), "columns": "5", "digest": ""})
    with pytest.raises(PairsError, match="does not say which columns were judged"):
        as_judged(judged, catalogue)


def test_an_integer_column_that_gets_a_gap_is_the_same_elsewhere(table, judged):
    whole = reread(table, lambda frame: frame.assign(acid=range(40)))
    judged.set_facts(whole.facts())
    gap = reread(table, lambda frame: frame.assign(acid=[*range(39), None]))

    assert whole.digests[:39] == gap.digests[:39]
    assert whole.digests[39] != gap.digests[39]


def pictures(tmp_path, names):
    table = tmp_path / "pictures.csv"
    lines = [f'"{name}",{row % 2}' for row, name in enumerate(names)]
    table.write_text("\n".join(["file,x", *lines]) + "\n", encoding="utf-8")
    return open_catalogue(read_items(table, text=["file"]), image="file")[0]


def test_pictures_come_from_inside_the_root_only(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    Image.new("RGB", (3, 2)).save(root / "a.png")
    Image.new("RGB", (3, 2)).save(tmp_path / "secret.png")
    (root / "b.svg").write_text("<svg/>")
    (root / "c.png").write_text("no picture")
    (root / "d.txt").write_text("text")
    Image.new("RGB", (3, 2)).save(root / "e.png", format="EPS")
    Image.new("1", (8000, 8000)).save(root / "huge.png")
    os.symlink(tmp_path / "secret.png", root / "link.png")
    secret = str(tmp_path / "secret.png")
    names = ["a.png", "../secret.png", secret, "link.png", "b.svg", "c.png", "d.txt"]
    names += ["huge.png", "none.png", ".", "a.png/../../secret.png", "e.png"]
    catalogue = pictures(root, names)

    data, kind = catalogue.picture(0)
    assert kind == "image/png"
    assert data == (root / "a.png").read_bytes()
    assert [catalogue.picture(row) for row in range(1, len(names))] == [None] * 11


def test_pictures_of_other_formats_and_damaged_ones_do_not_end_the_start(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"{n}.png" for n in range(4)]
    for name in names:
        grey = rng.integers(0, 255, (40, 40), dtype=np.uint8)
        Image.fromarray(grey).save(tmp_path / name)
    Image.new("RGB", (3, 2)).save(tmp_path / "0.png", format="EPS")
    whole = (tmp_path / "1.png").read_bytes()
    (tmp_path / "1.png").write_bytes(whole[: len(whole) // 2])
    with pytest.warns(ReadingWarning) as told:
        features = media_features(pictures(tmp_path, names))

    assert len(features) == 4
    said = " ".join(str(warning.message) for warning in told)
    assert said.startswith("2 pictures cannot be read and count as black: '0.png (no")
    assert "'1.png (image file is truncated" in said


def test_grey_pictures_are_png_files(tmp_path):
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    (tmp_path / "g.png").write_bytes(grey_png(grey))

    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "g.png")), grey)


def test_an_unknown_column_is_named(table):
    with pytest.raises(ValueError, match="no column 'photo'"):
        open_catalogue(read_items(table), image="photo")
