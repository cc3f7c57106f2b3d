"""Large files in blocks of rows."""

import numpy as np
import pandas as pd
import pytest

from fuzzypairs.tables import file_blocks
from fuzzypairs.tables.file_blocks import find_files, is_large, list_blocks


def test_by_hand(tmp_path, monkeypatch):
    # Blocks end after lines, and not within quotes.
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 3)
    path = tmp_path / "a.csv"
    path.write_text('x,y\n1,"p\nq"\n2,r\n3,s\n')
    blocks = list_blocks([path])
    frames = [block.read(text=["y"]) for block in blocks]
    assert [frame["x"].tolist() for frame in frames] == [[1], [2], [3]]
    assert frames[0]["y"].tolist() == ["p\nq"]


def test_empty_rows_on_top_are_no_names(tmp_path, monkeypatch):
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 3)
    path = tmp_path / "a.csv"
    path.write_text(";;\n\n;;\nx;y;z\n1;2;3\n4;5;6\n")

    frames = [block.read() for block in list_blocks([path])]
    assert [frame["y"].tolist() for frame in frames] == [[2], [5]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npy"])
@pytest.mark.parametrize("size", [1, 300, 10**9])
def test_blocks_are_the_file(tmp_path, monkeypatch, ending, size):
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", size)
    X = np.random.default_rng(0).normal(size=(50, 3)).round(6)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        frame.to_parquet(path, row_group_size=7)
    elif ending == "npy":
        np.save(path, X)
    else:
        frame.to_csv(path, sep="\t" if ending == "tsv" else ",", index=False)
    blocks = list_blocks([path])
    whole = pd.concat([block.read() for block in blocks], ignore_index=True)
    pd.testing.assert_frame_equal(whole, frame)
    assert (len(blocks) == 1) == (size == 10**9)
    for block in blocks:
        assert block.n_rows in (None, len(block.read()))
    assert list(blocks[0].read(["x2"])) == ["x2"]


def test_which_files_are_large(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n")
    assert not is_large(path)
    assert is_large(tmp_path)
    assert is_large(f"{tmp_path}/*.csv")
    assert find_files(tmp_path) == find_files(f"{tmp_path}/*.csv") == [path]
    monkeypatch.setattr(file_blocks, "LARGE_SHARE", 0.0)
    assert is_large(path)
    assert not is_large(tmp_path / "missing.csv")


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing.csv does not exist"):
        list_blocks([tmp_path / "missing.csv"])
    (tmp_path / "a.jsonl").write_text("{}")
    with pytest.raises(
        ValueError, match=r"cannot be read in blocks: expected .parquet"
    ):
        list_blocks([tmp_path / "a.jsonl"])
    (tmp_path / "a.parquet").write_text("no table")
    with pytest.raises(ValueError, match=r"a.parquet cannot be read"):
        list_blocks([tmp_path / "a.parquet"])
    np.save(tmp_path / "a.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"of shape \(3,\), expected numbers in rows"):
        list_blocks([tmp_path / "a.npy"])
    (tmp_path / "a.csv").write_text("x\n")
    with pytest.raises(ValueError, match="have no rows"):
        list_blocks([tmp_path / "a.csv"])


def test_blocks_of_a_file_are_read_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 20)
    path = tmp_path / "d.csv"
    lines = ["# by Ann", "", "name;price", *["oak;1,5"] * 5, *["ash;1.234"] * 5]
    path.write_text("\n".join(lines) + "\n")

    blocks = list_blocks([path])

    prices = np.concatenate([block.read(["price"])["price"] for block in blocks])
    assert len(blocks) > 3
    assert prices.tolist() == [1.5] * 5 + [1234.0] * 5
