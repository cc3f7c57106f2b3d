"""Items as people see them, and tables that changed."""

import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from catalogues import open_catalogue
from fuzzypairs.exceptions import PairsError
from fuzzypairs.items import ItemSet
from fuzzypairs.labelling.catalogue import (
    Catalogue,
    as_judged,
    compare_texts,
    data_changes,
)
from fuzzypairs.labelling.store import Event, Store
from fuzzypairs.tables.table_files import Items, read_items


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


def test_texts_in_pieces_are_the_texts():
    left, right = "The quick, brown fox.", "A quick red  fox!"
    pieces = compare_texts(left, right)

    assert "".join(text for text, _ in pieces["left"]) == left
    assert "".join(text for text, _ in pieces["right"]) == right
    empty = {"left": [], "right": [], "marked": "different"}
    assert compare_texts("", "") == empty


def test_shared_words_are_marked_where_nearly_all_differs():
    pieces = compare_texts("The engine of my car.", "No car has such an ENGINE as it")

    assert pieces["marked"] == "shared"
    assert [text for text, marked in pieces["left"] if marked] == ["engine"]
    assert [text for text, marked in pieces["right"] if marked] == ["ENGINE"]


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
    return open_catalogue(read_items(table, id_column="name"), text="notes")


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


def pictures(folder, names, column="file"):
    frame = pd.DataFrame({column: names, "year": range(len(names))})
    items = Items(folder / "pictures.csv", frame)
    media = ItemSet.from_pictures(names, folder)
    return Catalogue(items, frame, media, column)


def test_pictures_come_from_inside_the_root_only(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    Image.new("RGB", (3, 2)).save(root / "a.png")
    Image.new("RGB", (3, 2)).save(tmp_path / "secret.png")
    (root / "b.svg").write_text("<svg/>")
    (root / "c.png").write_text("no picture")
    (root / "d.txt").write_text("text")
    Image.new("RGB", (3, 2)).save(root / "e.png", format="EPS")
    Image.new("1", (9000, 8000)).save(root / "huge.png")
    os.symlink(tmp_path / "secret.png", root / "link.png")
    secret = str(tmp_path / "secret.png")
    names = ["a.png", "../secret.png", secret, "link.png", "b.svg", "c.png", "d.txt"]
    names += ["huge.png", "none.png", ".", "a.png/../../secret.png", "e.png"]
    catalogue = pictures(root, names)

    data, kind = catalogue.picture(0)
    assert kind == "image/png"
    assert data == (root / "a.png").read_bytes()
    assert [catalogue.picture(row) for row in range(1, len(names))] == [None] * 11
    pair = catalogue.pair(0, 1)
    assert [cell["column"] for cell in pair["cells"]] == ["year"]
    assert pair["left"]["picture"]
    assert pair["texts"] is None


def test_formats_that_browsers_do_not_show_are_converted(tmp_path):
    Image.new("RGB", (300, 200)).save(tmp_path / "a.tif")
    data, kind = pictures(tmp_path, ["a.tif"]).picture(0)

    assert kind == "image/jpeg"
    assert data[:2] == b"\xff\xd8"


def test_pixels_are_png_files():
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    nothing = pd.DataFrame(index=range(2))
    media = ItemSet("picture", [grey, grey])
    data, kind = Catalogue(Items(Path("grey"), nothing), nothing, media).picture(1)

    assert kind == "image/png"
    shown = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
    np.testing.assert_array_equal(shown, grey)


def embeddings(values, ids=None):
    nothing = pd.DataFrame(index=range(len(values)))
    items = Items(Path("e.npy"), nothing, ids)
    return Catalogue(items, nothing, ItemSet("embedding", values, ids))


def test_embeddings_without_names_are_found_again_by_their_numbers(tmp_path):
    values = np.random.default_rng(0).normal(size=(9, 4))
    first = embeddings(values)
    with Store(tmp_path / "a.db") as store:
        store.set_facts(first.facts())
        ends = [first.item(row) for row in (2, 5)]
        store.append(Event("graded", "2", "5", "Ann", grade=1.0), ends)
        moved, changes = as_judged(store, embeddings(values[::-1]))

        assert [moved.ids.index(name) for name in ("2", "5")] == [6, 3]
        assert "2 judged rows were found elsewhere" in changes[0]
        with pytest.raises(PairsError, match="2 judged rows are not in it"):
            as_judged(store, embeddings(values + 1))


def test_files_of_a_folder_are_found_again_by_their_names(tmp_path):
    for name in "ba":
        Image.new("RGB", (3, 2)).save(tmp_path / f"{name}.png")

    def catalogue():
        media = ItemSet.from_folder(tmp_path)
        nothing = pd.DataFrame(index=range(media.n_rows))
        return Catalogue(Items(tmp_path, nothing, media.ids), nothing, media)

    first = catalogue()
    with Store(tmp_path / "a.db") as store:
        as_judged(store, first)
        ends = [first.item(0), first.item(1)]
        store.append(Event("graded", "a.png", "b.png", "Ann", grade=1.0), ends)
        Image.new("RGB", (3, 2)).save(tmp_path / "a0.png")
        more, changes = as_judged(store, catalogue())

    assert more.ids == ["a.png", "a0.png", "b.png"]
    assert changes == ["it had 2 rows and has now 3"]


def test_cards_of_texts_show_their_beginning(catalogue):
    assert catalogue.card(0)["text"] == "a clay wine no 0"
