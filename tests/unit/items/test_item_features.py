import sys
import types
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from fuzzypairs import FDC, load, save
from fuzzypairs.exceptions import ReadingWarning, VersionMismatchWarning
from fuzzypairs.items import ItemFeatures, ItemSet, encoders
from fuzzypairs.items.item_features import Encoded
from fuzzypairs.tables.features import Preparation

TEXTS = [
    "the train to Basel was late again",
    "my train was cancelled this morning",
    "no seat in a crowded railway carriage",
    "the soup was cold and far too salty",
    "our waiter forgot the dessert twice",
    "delicious bread and a friendly kitchen",
]
needs_wordllama = pytest.mark.skipif(
    encoders.find_spec("wordllama") is None, reason="wordllama is not installed"
)


@pytest.fixture
def pictures(tmp_path):
    """40 squares in two colours and two places, as files."""
    rng = np.random.default_rng(0)
    paths = []
    for n in range(40):
        values = rng.integers(0, 30, (30, 40, 3), dtype=np.uint8)
        left = 3 if n % 2 else 25
        values[10:20, left : left + 10, 0 if n < 20 else 2] = 250
        paths.append(str(tmp_path / f"{n:02}.png"))
        Image.fromarray(values).save(paths[-1])
    return paths


def far_apart(X, labels):
    """Whether all rows are nearer to the mean of their group than to the other's."""
    means = [X[own].mean(axis=0) for own in (labels, ~labels)]
    near = [np.linalg.norm(X - mean, axis=1) for mean in means]
    return ((near[0] < near[1]) == labels).all()


@pytest.mark.parametrize("features", ["gradients", "pixels"])
def test_pictures_become_features(pictures, features):
    model = ItemFeatures("picture", features)
    X = model.fit_transform(pictures)

    assert len(X) == 40
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-6)
    assert far_apart(X, np.arange(40) % 2 == 0)
    assert len(model.get_feature_names_out()) == X.shape[1] == model.n_features_out_
    np.testing.assert_allclose(model.transform(pictures[3:5]), X[3:5], atol=1e-5)


def test_gradients_keep_colours(pictures):
    assert far_apart(
        ItemFeatures("picture").fit_transform(pictures), np.arange(40) < 20
    )


def test_threads_change_nothing(pictures):
    one, four = (
        ItemFeatures("picture", n_jobs=n).encode(pictures).vectors for n in (1, 4)
    )

    np.testing.assert_array_equal(one, four)


def test_progress_is_told(pictures):
    told = []
    ItemFeatures("picture").encode(pictures, tell=lambda *done: told.append(done))

    assert told[-1] == (40, 40)
    assert told == sorted(told)


@needs_wordllama
def test_texts_are_compared_by_meaning():
    model = ItemFeatures("text").fit(TEXTS)

    assert model.features_ == "wordllama"
    assert model.package_.startswith("wordllama ")
    X = model.transform(["a railway station", "a plate of pasta"])
    near = np.linalg.norm(X[:, None] - model.transform(TEXTS), axis=2)
    assert near[0, :3].mean() < near[0, 3:].mean()
    assert near[1, :3].mean() > near[1, 3:].mean()


@needs_wordllama
def test_texts_of_all_kinds():
    texts = ["", "  ", "😀😀", "مرحبا بالعالم", "word " * 200_000, "\0", *TEXTS]

    model = ItemFeatures("text").fit(TEXTS)
    with pytest.warns(ReadingWarning, match="3 texts cannot be read and count as the"):
        X = model.transform(texts)
    assert np.isfinite(X).all()
    assert not X[[0, 1, 5]].any()
    assert X[[2, 3, 4, *range(6, len(texts))]].any(axis=1).all()


def test_without_wordllama_texts_are_compared_by_words(monkeypatch):
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)

    with pytest.warns(ReadingWarning, match=r"pip install 'fuzzypairs\[text\]'"):
        model = ItemFeatures("text").fit(TEXTS)
    assert model.features_ == "tfidf"


def test_parts_of_words():
    X = ItemFeatures("text", "tfidf").fit_transform(
        ["train", "trains", "soup", "soups"]
    )

    assert far_apart(X, np.array([True, True, False, False]))


def test_embeddings_are_used_as_they_are():
    rows = np.array([[1.0, 10.0], [3.0, 30.0]], dtype=np.float32)
    model = ItemFeatures("embedding").fit(rows)

    np.testing.assert_allclose(model.transform(rows), [[-1, -10], [1, 10]])
    with pytest.raises(ValueError, match="3 numbers each, but 2 in the fit"):
        model.transform(np.ones((1, 3)))


def test_items_that_cannot_be_read_are_named(pictures, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"no")
    items = [*pictures, str(tmp_path / "broken.png"), ""]
    model = ItemFeatures("picture")
    encoded = model.encode(items)

    assert encoded.problems.keys() == {40, 41}
    assert not encoded.readable[40:].any()
    X = model.fit(encoded).transform(encoded)
    assert not X[40:].any()
    whole = ItemFeatures("picture").fit_transform(pictures)
    np.testing.assert_allclose(X[:40], whole, atol=1e-6)
    with pytest.warns(ReadingWarning, match=r"2 pictures .* row 40 \(it is none of"):
        model.transform(items)
    with pytest.raises(ValueError, match=r"^2 pictures cannot be read: row 40"):
        model.encode(items, strict=True)


def test_files_of_a_folder_that_cannot_be_read_are_no_rows(pictures, tmp_path):
    (tmp_path / "05a.png").write_bytes(b"no")
    (tmp_path / "out.png").symlink_to("/etc/hostname")
    read = ItemFeatures("picture").encode(ItemSet.from_folder(tmp_path))

    assert len(read.vectors) == read.items.n_rows == 40
    assert read.items.ids.tolist() == [f"{n:02}.png" for n in range(40)]
    assert read.problems == {}
    (note,) = read.notes
    assert note == (
        "2 pictures cannot be read and are left out: out.png (it is outside of the "
        "folder), 05a.png (it is none of PNG, JPEG, GIF, WEBP, BMP, TIFF)"
    )


def test_columns_beside_the_items_count_as_much_as_they(tmp_path):
    table = pd.DataFrame({"sum": [0.0, 500.0] * 3})
    items = replace(ItemSet.from_texts(TEXTS), columns=table)
    model = ItemFeatures("text", "tfidf", columns=Preparation(), column="message")
    X = model.fit_transform(items)

    texts, column = X[:, : model.n_item_features_], X[:, model.n_item_features_ :]
    assert column.shape == (6, 1)
    assert texts.var(axis=0).sum() == pytest.approx(column.var(axis=0).sum())
    np.testing.assert_allclose(model.transform(items), X, atol=1e-12)
    assert [c.name for c in model.columns_] == ["message", "sum"]
    assert model.columns_[1].first_feature == model.n_item_features_
    assert model.get_feature_names_out()[-1] == "sum"
    save(make_pipeline(model, FDC(2).fit(X)), tmp_path / "model.skops")
    np.testing.assert_array_equal(
        load(tmp_path / "model.skops")[0].transform(items), model.transform(items)
    )


def test_nothing_to_cluster_by():
    with pytest.raises(ValueError, match="none of 2 pictures can be read: it "):
        ItemFeatures("picture").fit(["none.png", ""])
    with pytest.raises(ValueError, match="all 3 texts have the same features"):
        ItemFeatures("text", "tfidf").fit(["same text"] * 3)
    with pytest.raises(ValueError, match="none of 2 texts can be read: it is empty"):
        ItemFeatures("text", "tfidf").fit(["", ""])


@pytest.mark.parametrize(
    ("kind", "features", "options", "reason"),
    [
        ("picture", "wordllama", None, "no features 'wordllama' of pictures: expected"),
        ("text", "onnx:a.onnx", None, "no features 'onnx:a.onnx' of texts"),
        ("text", "tfidf", {"size": 3}, "'tfidf' have no options: got size"),
        ("embedding", "tfidf", None, "embeddings are used as they are"),
        ("sound", "auto", None, "kind is 'sound': expected"),
        ("picture", "python:no.module", None, "python:no.module was not found"),
        ("picture", "onnx:none.onnx", None, "none.onnx does not exist"),
        ("picture", "onnx:none.onnx", {"sides": 3}, "onnx has no option 'sides'"),
    ],
)
def test_features_that_there_are_not(kind, features, options, reason):
    with pytest.raises((ValueError, FileNotFoundError), match=reason):
        ItemFeatures(kind, features, options).fit(["a", "b"])


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(encoders.PACKAGES, "wordllama", ("no-such", "fuzzypairs[text]"))

    with pytest.raises(ImportError, match=r"need no-such: pip install 'fuzzypairs"):
        ItemFeatures("text", "wordllama").fit(TEXTS)


def test_a_model_file_keeps_features(pictures, tmp_path):
    model = make_pipeline(ItemFeatures("picture"), FDC(2, random_state=0)).fit(pictures)
    save(model, tmp_path / "model.skops")

    again = load(tmp_path / "model.skops")

    np.testing.assert_array_equal(
        again.predict_proba(pictures), model.predict_proba(pictures)
    )


@needs_wordllama
def test_a_model_file_names_the_package_it_needs(tmp_path, monkeypatch):
    model = make_pipeline(ItemFeatures("text"), FDC(2, random_state=0)).fit(TEXTS)
    save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(
        load(tmp_path / "model.skops").predict_proba(TEXTS), model.predict_proba(TEXTS)
    )

    monkeypatch.setattr(encoders, "version", lambda name: "99")
    with pytest.warns(VersionMismatchWarning, match="made by wordllama 99 now"):
        load(tmp_path / "model.skops")
    monkeypatch.setitem(encoders.PACKAGES, "wordllama", ("no-such", "fuzzypairs[text]"))
    monkeypatch.undo()
    monkeypatch.setitem(encoders.PACKAGES, "wordllama", ("no-such", "fuzzypairs[text]"))
    with pytest.raises(ImportError, match=r"pip install 'fuzzypairs\[text\]'"):
        load(tmp_path / "model.skops")


def test_a_function_of_ones_own(tmp_path, monkeypatch):
    own = types.ModuleType("own_features")
    own.lengths = lambda items: np.array([[len(item), 1.0] for item in items])
    own.wrong = lambda items: np.zeros((1, 2))
    own.infinite = lambda items: np.full((len(items), 2), np.inf)
    own.number = 3
    monkeypatch.setitem(sys.modules, "own_features", own)
    model = ItemFeatures("text", "python:own_features.lengths").fit(["a", "bbb"])
    np.testing.assert_allclose(model.transform(["bb"]), 0)
    for name, reason in {
        "wrong": r"shape \(1, 2\): expected numbers, 2 rows",
        "infinite": "not all finite",
        "number": "is a int, no function",
    }.items():
        with pytest.raises((ValueError, TypeError), match=reason):
            clone(model).set_params(features=f"python:own_features.{name}").fit(
                ["a", "b"]
            )

    # A model file does not run it unasked.
    save(make_pipeline(model, FDC(2).fit(np.eye(2))), tmp_path / "model.skops")
    own.lengths = None
    again = load(tmp_path / "model.skops")[0]
    with pytest.raises(ValueError, match="which would be run: give --features python:"):
        again.transform(["a"])
    own.lengths = lambda items: np.array([[len(item), 1.0] for item in items])
    with pytest.raises(ValueError, match="not 'python:own"):
        again.confirm("python:own_features.wrong")
    again.confirm("auto")
    with pytest.raises(ValueError, match="which would be run"):
        again.transform(["a"])
    again.confirm("python:own_features.lengths")
    np.testing.assert_allclose(again.transform(["bb"]), 0)


def test_vectors_are_kept_if_asked(pictures, tmp_path, monkeypatch):
    cache = tmp_path / "features.npz"
    model = ItemFeatures("picture")
    first = model.encode(pictures, cache=cache).vectors
    read = []
    original = encoders.pictures.open_picture
    monkeypatch.setattr(
        encoders.pictures,
        "open_picture",
        lambda p, side=None: read.append(p) or original(p, side),
    )

    np.testing.assert_array_equal(model.encode(pictures, cache=cache).vectors, first)
    assert read == []
    Image.new("L", (9, 9)).save(pictures[3])
    second = model.encode(pictures, cache=cache).vectors
    assert read == [pictures[3]]
    assert (second[3] != first[3]).any()
    # Other features are not those.
    other = ItemFeatures("picture", "pixels").encode(pictures, cache=cache)
    assert other.vectors.shape == (40, 256)
    cache.write_bytes(b"PK damaged")
    with pytest.warns(ReadingWarning, match="is damaged: it is written anew"):
        again = model.encode(pictures, cache=cache)
    np.testing.assert_array_equal(again.vectors, second)


def test_vectors_of_texts_are_kept_by_content(tmp_path):
    own = types.ModuleType("counted")
    calls = []
    own.lengths = lambda items: calls.append(items) or np.ones((len(items), 2))
    sys.modules["counted"] = own
    try:
        model, cache = (
            ItemFeatures("text", "python:counted.lengths"),
            tmp_path / "c.npz",
        )
        model.encode(["a", "b"], cache=cache)
        model.encode(["b", "c"], cache=cache)
    finally:
        del sys.modules["counted"]

    assert calls == [["a", "b"], ["c"]]


def test_many_directions_are_not_asked_of_few_items(pictures):
    assert ItemFeatures("picture").fit_transform(pictures[:5]).shape == (5, 560)


def test_of_many_numbers_the_leading_directions_are_features():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 90)) * np.linspace(3, 0.01, 90)
    model = ItemFeatures("embedding")
    X = model.fit_transform(vectors)

    assert X.shape == (200, 80)
    assert model.columns_[0].treatment == "centred, 80 leading directions of 90 numbers"
    # They keep their scale, and so distances.
    centred = vectors - vectors.mean(axis=0)
    np.testing.assert_allclose((X**2).sum(1), (centred**2).sum(1), rtol=0.02)
    np.testing.assert_allclose(model.transform(vectors), X, atol=1e-9)


def test_embeddings_of_16_bits_are_centred_as_exactly_as_others():
    vectors = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float16)
    found = ItemFeatures("embedding").fit_transform(vectors)

    np.testing.assert_allclose(found, vectors - vectors.mean(0, np.float64), atol=1e-6)


def test_encoded_items_can_be_given():
    encoded = Encoded(ItemSet.from_embeddings(np.eye(3)), np.eye(3), "given")
    model = ItemFeatures("embedding")

    np.testing.assert_array_equal(
        model.fit_transform(encoded), model.fit_transform(np.eye(3))
    )


def test_sentence_transformers(tmp_path):
    name = "sentence_transformers"
    if encoders.find_spec(name) is None:
        with pytest.raises(ImportError, match="pip install 'sentence-transformers'"):
            ItemFeatures("text", "sentence-transformers:some/model").fit(TEXTS)
        pytest.skip("sentence-transformers is not installed")
    models = pytest.importorskip(f"{name}.models")
    from sentence_transformers import SentenceTransformer

    words = models.BoW(vocab=["train", "soup", "railway", "salty"])
    SentenceTransformer(modules=[words]).save(str(tmp_path / "bag"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = ItemFeatures("text", f"sentence-transformers:{tmp_path / 'bag'}")
        assert X.fit_transform(TEXTS).shape == (6, 4)
