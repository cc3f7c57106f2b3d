"""Networks in files: small ones, made here."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from fuzzypairs import FDC, load, save
from fuzzypairs.items import ItemFeatures
from fuzzypairs.items.encoders import USUAL, make_encoder

onnx = pytest.importorskip("onnx", reason="onnx makes the networks of these tests")
pytest.importorskip("onnxruntime", reason="onnxruntime runs the networks")
from onnx import TensorProto, helper  # noqa: E402


def write_network(path, *, shape=("n", 3, 8, 8), kind=TensorProto.FLOAT, told=None):
    """Write a network that returns the mean of each colour, and all pixels."""
    axes = [2, 3] if shape[1] == 3 else [1, 2]
    nodes, name = [], "pixels"
    if kind != TensorProto.FLOAT:
        nodes.append(helper.make_node("Cast", ["pixels"], ["floats"], to=1))
        name = "floats"
    nodes.append(helper.make_node("Identity", [name], ["all"]))
    nodes.append(helper.make_node("ReduceMean", [name, "axes"], ["means"], keepdims=0))
    graph = helper.make_graph(
        nodes,
        "means",
        [helper.make_tensor_value_info("pixels", kind, shape)],
        [
            helper.make_tensor_value_info("all", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("means", TensorProto.FLOAT, [shape[0], 3]),
        ],
        [helper.make_tensor("axes", TensorProto.INT64, [2], axes)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    helper.set_model_props(model, told or {})
    onnx.save(model, path)
    return f"onnx:{path}"


RED = np.zeros((4, 4, 3), dtype=np.uint8)
RED[..., 0] = 255


def vectors(features, **options):
    return ItemFeatures("picture", features, options).encode([RED, 0 * RED]).vectors


def test_means_of_colours(tmp_path):
    features = write_network(tmp_path / "a.onnx")

    np.testing.assert_allclose(
        vectors(features, mean=0, std=1), [[1, 0, 0], [0, 0, 0]], atol=1e-6
    )
    wanted = (np.array([[1, 0, 0], [0, 0, 0]]) - USUAL["mean"]) / USUAL["std"]
    np.testing.assert_allclose(vectors(features), wanted, atol=1e-5)
    said = make_encoder("picture", features, {}).said
    assert "at 8 x 8 pixels" in said
    assert "usual ones: the file says none" in said


def test_the_file_says_how_colours_are_scaled(tmp_path):
    told = {"mean": "0.5,0.5,0.5", "std": "0.5"}
    features = write_network(tmp_path / "a.onnx", told=told)
    np.testing.assert_allclose(vectors(features)[0], [1, -1, -1], atol=1e-6)

    features = write_network(tmp_path / "b.onnx", shape=("n", 3, "h", "w"))
    config = {"image_mean": [0, 0, 0], "image_std": [0.5] * 3, "size": {"height": 6}}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config))
    np.testing.assert_allclose(vectors(features)[0], [2, 0, 0], atol=1e-6)
    assert make_encoder("picture", features, {}).size == (6, 6)
    assert make_encoder("picture", features, {"size": "12"}).size == (12, 12)


def test_colours_last_and_bytes(tmp_path):
    features = write_network(
        tmp_path / "a.onnx", shape=(1, 8, 8, 3), kind=TensorProto.UINT8
    )

    np.testing.assert_allclose(vectors(features), [[255, 0, 0], [0, 0, 0]])


def test_another_output(tmp_path):
    features = write_network(tmp_path / "a.onnx")

    found = vectors(features, mean=0, std=1, output="all")
    np.testing.assert_allclose(found[0], [1, 0, 0], atol=1e-6)  # means over places
    with pytest.raises(ValueError, match="has no output 'none': it has"):
        vectors(features, output="none")


def test_what_is_no_network_of_pictures(tmp_path):
    (tmp_path / "a.onnx").write_bytes(b"no")
    with pytest.raises(ValueError, match="is no network that can be run"):
        vectors(f"onnx:{tmp_path / 'a.onnx'}")
    features = write_network(tmp_path / "b.onnx", shape=("n", 3, 4, 4, 4))
    with pytest.raises(ValueError, match="expected pictures, as"):
        vectors(features)
    features = write_network(tmp_path / "c.onnx")
    with pytest.raises(ValueError, match="is not a number, or numbers"):
        vectors(features, mean="wide")


def test_a_network_that_has_changed_is_not_used(tmp_path):
    features = write_network(tmp_path / "a.onnx")
    rng = np.random.default_rng(0)
    pictures = list(rng.integers(0, 256, (9, 8, 8, 3), dtype=np.uint8))
    model = make_pipeline(ItemFeatures("picture", features), FDC(2, random_state=0))
    save(model.fit(pictures), tmp_path / "model.skops")

    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(pictures), model.predict(pictures))
    write_network(tmp_path / "a.onnx", told={"mean": "0"})
    with pytest.raises(ValueError, match="has changed since the fit: fit again"):
        again.predict(pictures)
