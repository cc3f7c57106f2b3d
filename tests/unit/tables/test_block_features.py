"""The preparation of columns in one pass over blocks."""

import numpy as np
import pandas as pd
import pytest

from fuzzypairs.blocks.maps import LocalMap
from fuzzypairs.spaces.moments import Moments
from fuzzypairs.tables import file_blocks
from fuzzypairs.tables.column_features import moments_of
from fuzzypairs.tables.features import Preparation

pytest.importorskip("dask")
block_features = pytest.importorskip("fuzzypairs.tables.block_features")


def prepared(path, **options):
    blocks = file_blocks.list_blocks([path])
    return blocks, block_features.prepare_blocks(blocks, LocalMap(1), **options)


def test_moments_by_hand():
    one = moments_of(pd.Series([0.0, 2.0, np.nan]))
    assert one == (2, 1.0, 2.0)
    assert one.joined(Moments(1, 4.0, 0.0)) == (3, 2.0, 8.0)
    assert one.joined(Moments(0, 0.0, 0.0)) == one


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 3000)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(3.0, 2.0, size=(900, 2)), columns=["a", "b"])
    frame["n"] = np.arange(900)
    frame["word"] = rng.choice(["p", "q", "r"], 900)
    frame.loc[::9, "b"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet", index=False, row_group_size=100)
    return tmp_path / "t.parquet", frame


def test_it_is_the_preparation_of_the_whole_table(table):
    path, frame = table
    blocks, profile = prepared(path)
    assert len(blocks) > 2
    whole = Preparation().fit(frame)
    X = np.concatenate([profile.features.block(block).X for block in blocks])
    np.testing.assert_allclose(X, whole.transform(frame), atol=1e-12)
    assert sorted(profile.features.preparation.columns_, key=lambda c: c.name) == (
        sorted(whole.columns_, key=lambda c: c.name)
    )
    known = [profile.features.rows(block)[2] for block in blocks]
    assert sum((~rows.all(axis=1)).sum() for rows in known) == 100


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_without_a_table(table, dtype):
    path, frame = table
    frame = frame[["a", "b"]].astype(dtype)
    frame.to_parquet(path, index=False, row_group_size=100)
    blocks, profile = prepared(path)
    parts = [profile.features.rows(block) for block in blocks]
    X = np.concatenate([part[0] for part in parts])
    assert X.dtype == dtype
    expected = Preparation().fit(frame).transform(frame)
    np.testing.assert_allclose(X, expected, atol=1e-6)
    assert sum((~part[2]).sum() for part in parts) == 100


def test_a_sample_decides_and_all_rows_give_means(table, monkeypatch):
    path, frame = table
    monkeypatch.setattr(block_features, "SAMPLE", 200)
    monkeypatch.setattr(block_features, "N_HEAD", 50)
    _, profile = prepared(path)
    scaling = profile.features.preparation.encoders_["a"]
    assert scaling.mean == pytest.approx(frame["a"].mean(), rel=1e-12)
    assert scaling.deviation == pytest.approx(frame["a"].std(ddof=0), rel=1e-12)
    assert scaling.median != frame["a"].median()
    told = {c.name: c for c in profile.features.preparation.columns_}
    assert told["b"].n_missing == 100
    assert told["n"].treatment == "left out, it numbers the rows"


def test_words_among_numbers_of_new_blocks_count_as_missing(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 1.0, 9.0]})
    preparation = Preparation().fit(frame)
    features = block_features.BlockFeatures(preparation)
    new = pd.DataFrame({"a": ["1", "k.A.", "4"], "b": frame["b"]})
    new.to_parquet(tmp_path / "t.parquet", index=False)
    [block] = file_blocks.list_blocks([tmp_path / "t.parquet"])

    X, _, known = features.rows(block)

    frame.loc[1, "a"] = np.nan
    np.testing.assert_allclose(X, preparation.transform(frame))
    assert known[:, 0].tolist() == [True, False, True]


def test_words_among_numbers_of_some_blocks_count_as_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(file_blocks, "BLOCK_BYTES", 300)
    words = [f"{k % 17},{k % 5}" for k in range(400)]
    words[200:230] = ["k.A.,2"] * 30
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b", *words]) + "\n")

    blocks, profile = prepared(path)

    frame = pd.read_csv(path)
    X = np.concatenate([profile.features.block(block).X for block in blocks])
    assert X.shape == (400, 2)
    np.testing.assert_allclose(X, Preparation().fit(frame).transform(frame))
