import io
import json
import os
import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fuzzypairs import FDC
from fuzzypairs.exceptions import ModelFileError, VersionMismatchWarning
from fuzzypairs.tables import model_files
from fuzzypairs.tables.features import Preparation
from fuzzypairs.tables.model_files import load, save

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0], [6]], 15, axis=0)


class Shift(TransformerMixin, BaseEstimator):
    """A transformer that is nobody's: neither scikit-learn's nor ours."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X) + 1


def fitted(*steps):
    model = FDC(n_clusters=2, random_state=0)
    if not steps:
        return model.fit(X, pairs=[(0, 1, 0.9)])
    return make_pipeline(*steps, model).fit(X, fdc__pairs=[(0, 1, 0.9)])


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


def rewrite(path, change):
    """Write the archive again, with `change(name, data)` in place of each member."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in members.items():
            if (changed := change(name, data)) is not None:
                new.writestr(name, changed)


def test_a_model_comes_back_as_it_was(model, path):
    save(model, path)
    again = load(path)

    assert type(again) is FDC
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.memberships_, model.memberships_)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_pipeline_comes_back_with_its_preparation(path):
    pipeline = fitted(SimpleImputer(), StandardScaler())

    save(pipeline, path)

    np.testing.assert_array_equal(load(path).predict(X), pipeline.predict(X))


def test_numbers_and_words_are_prepared(path):
    rows = np.array([[0, "red"], [1, "red"], [8, "white"], [9, "white"]], dtype=object)
    columns = make_column_transformer(
        (StandardScaler(), [0]), (OneHotEncoder(sparse_output=False), [1])
    )
    pipeline = make_pipeline(columns, FDC(n_clusters=2, random_state=0)).fit(rows)

    save(pipeline, path)

    np.testing.assert_array_equal(load(path).predict(rows), pipeline.predict(rows))


def test_columns_of_a_table_are_prepared(path):
    frame = pd.DataFrame({"x": [0.0, 1, 8, 9], "soil": ["clay", "clay", "sand", None]})
    pipeline = make_pipeline(Preparation(), FDC(n_clusters=2, random_state=0))
    pipeline.fit(frame)

    save(pipeline, path)

    again = load(path)
    np.testing.assert_array_equal(again.predict(frame), pipeline.predict(frame))
    assert again[0].columns_ == pipeline[0].columns_


def test_the_file_holds_no_pickle_and_names_its_version(model, path):
    from fuzzypairs import __version__

    save(model, path)

    with zipfile.ZipFile(path) as members:
        endings = {Path(name).suffix for name in members.namelist()}
        assert endings <= {".npy", ".npz", ".json"}  # sparse matrices are .npz
        stamp = json.loads(members.read("fuzzypairs.json"))
    assert stamp["version"] == __version__
    assert len(stamp["digest"]) == 64
    unknown = skops.io.get_untrusted_types(file=path)
    assert type(skops.io.load(path, trusted=unknown)) is FDC


def test_an_existing_file_is_replaced_and_no_other_is_left(model, path):
    path.write_text("old")

    save(model, str(path))

    assert load(str(path)).n_clusters_ == 2
    assert os.listdir(path.parent) == [path.name]


def test_a_failed_save_leaves_the_old_file(path):
    path.write_text("old")
    model = fitted()
    model.metric_params = {"shape": lambda x: x}

    with pytest.raises(TypeError, match=r"FDC, cannot be saved: it holds .*<lambda>"):
        save(model, path)

    assert path.read_text() == "old"


def test_a_foreign_model_is_not_saved(path):
    with pytest.raises(
        TypeError, match="a StandardScaler, cannot be saved: it holds no fuzzy"
    ):
        save(StandardScaler().fit(X), path)
    assert not path.exists()


def test_the_folder_must_exist(model, tmp_path):
    with pytest.raises(FileNotFoundError, match="absent does not exist: create it"):
        save(model, tmp_path / "absent" / "model.skops")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        save(model, tmp_path)


def test_a_missing_file(path):
    with pytest.raises(FileNotFoundError):
        load(path)


def test_a_directory(tmp_path):
    with pytest.raises(ModelFileError, match="is a directory"):
        load(tmp_path)


def zip_of(name, text):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(name, text)
    return archive.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "not a zip archive"),
        (pickle.dumps({"a": 1}), "is a pickle"),
        (zip_of("readme.txt", "hello"), "not a readable model file"),
        (zip_of("schema.json", "{"), "not a readable model file"),
        (zip_of("schema.json", "[]"), "not a readable model file"),
        (zip_of("schema.json", '{"protocol": 99999}'), "not a readable model file"),
    ],
    ids=["empty", "text", "pickle", "zip", "broken json", "no schema", "protocol"],
)
def test_what_is_not_a_model_file(path, data, message):
    path.write_bytes(data)

    with pytest.raises(ModelFileError, match=message) as error:
        load(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_file(model, path, share):
    save(model, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])

    with pytest.raises(ModelFileError, match="cut short or damaged"):
        load(path)


def test_a_flipped_bit_in_an_array(model, path):
    save(model, path)
    with zipfile.ZipFile(path) as members:
        arrays = [info for info in members.infolist() if info.filename.endswith("npy")]
    largest = max(arrays, key=lambda info: info.compress_size)
    data = bytearray(path.read_bytes())
    data[largest.header_offset + 80 + largest.compress_size // 2] ^= 1
    path.write_bytes(data)

    with pytest.raises(ModelFileError, match="Bad CRC-32"):
        load(path)


def test_a_lost_member(model, path):
    save(model, path)
    rewrite(path, lambda name, data: None if name.endswith("npy") else data)

    with pytest.raises(ModelFileError, match="not a readable model file"):
        load(path)


def test_a_skops_file_without_our_model(path):
    skops.io.dump(StandardScaler().fit(X), path)

    with pytest.raises(ModelFileError, match="without a fuzzypairs model"):
        load(path)


def test_foreign_types_are_refused_by_name_until_trusted(path):
    save(fitted(Shift()), path)
    name = f"{Shift.__module__}.Shift"

    with pytest.raises(ModelFileError, match="types that are not trusted") as error:
        load(path)
    assert name in str(error.value)
    assert load(path, trusted=[name]).predict(X).shape == (30,)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("fuzzypairs.tables.model_files", "zipfile"),
        ("fuzzypairs.tables.model_files", "save"),
        ("fuzzypairs.pairs.pairset", "np"),
        ("fuzzypairs.pairs.pairset", "dataclass"),
        ("fuzzypairs.cluster.nothing", "FDC"),
        ("fuzzypairsish.cluster", "FDC"),
    ],
)
def test_a_forged_type_is_refused(model, path, module, name):
    pipeline = make_pipeline(StandardScaler(), model)
    save(pipeline, path)

    def forge(member, data):
        if member != "schema.json":
            return data
        text = data.decode().replace(
            '"__class__": "StandardScaler"', f'"__class__": "{name}"'
        )
        return text.replace('"sklearn.preprocessing._data"', f'"{module}"')

    rewrite(path, forge)

    with pytest.raises(ModelFileError, match=f"not trusted: {module}.{name}"):
        load(path)


@pytest.mark.parametrize("version", ["0.0.1", None])
def test_another_version_warns(model, path, version):
    save(model, path)
    stamp = version and json.dumps({"version": version})
    rewrite(path, lambda name, data: stamp if name == "fuzzypairs.json" else data)

    with pytest.warns(VersionMismatchWarning, match=version or "of unknown version"):
        again = load(path)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_without_skops_both_ways_say_what_to_install(model, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)

    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[files\]'"):
        save(model, path)
    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[files\]'"):
        load(path)


def exchange(path, change, *, sealed):
    """Change every array of floats in a file; `sealed` makes its digest fit again."""

    def changed(name, data):
        if not name.endswith(".npy"):
            return data
        array = np.load(io.BytesIO(data))
        file = io.BytesIO()
        np.save(file, change(array) if array.dtype == np.float64 else array)
        return file.getvalue()

    rewrite(path, changed)
    if sealed:
        with zipfile.ZipFile(path) as members:
            stamp = json.loads(members.read(model_files.STAMP))
            stamp["digest"] = model_files._digest(members)
        text = json.dumps(stamp)
        rewrite(path, lambda name, data: text if name == model_files.STAMP else data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a[:-1], "has shape"),
        (lambda a: a.reshape(-1), "has shape"),
        (lambda a: a * np.nan, "is not finite"),
        (lambda a: a.astype(str), "is no array of numbers"),
    ],
    ids=["rows", "dimensions", "NaN", "type"],
)
def test_exchanged_arrays_are_refused(model, path, change, said):
    save(model, path)
    exchange(path, change, sealed=False)
    with pytest.raises(ModelFileError, match="was changed after it was saved"):
        load(path)

    save(model, path)
    exchange(path, change, sealed=True)
    with pytest.raises(ModelFileError, match=said):
        load(path)


def test_other_values_are_refused_by_the_digest(model, path):
    save(model, path)
    exchange(path, lambda a: a + 1.0, sealed=False)
    with pytest.raises(ModelFileError, match="was changed after it was saved"):
        load(path)


def test_preparations_of_an_earlier_format_are_refused(tmp_path):
    frame = pd.DataFrame({"x": [0.0, 0.1, 5.0, 5.1]})
    model = make_pipeline(Preparation(), FDC(2, random_state=0)).fit(frame)
    model[0].transformer_ = None
    save(model, tmp_path / "model.skops")

    with pytest.raises(ModelFileError, match=r"an earlier format.*fit and save again"):
        load(tmp_path / "model.skops")
