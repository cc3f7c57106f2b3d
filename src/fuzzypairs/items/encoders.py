"""Vectors of items by name: wordllama, gradients, a network in a file, a function."""

import hashlib
import importlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzypairs.items import pictures
from fuzzypairs.items.files import Kind

__all__ = ["DEFAULTS", "Encoder", "default_of", "make_encoder", "package_of"]

Vectors = NDArray[np.float32]

DEFAULTS: dict[Kind, str] = {
    "text": "wordllama",
    "picture": "gradients",
    "embedding": "given",
}
NAMES: dict[Kind, tuple[str, ...]] = {
    "text": ("wordllama", "tfidf", "sentence-transformers:NAME"),
    "picture": ("gradients", "pixels", "onnx:FILE"),
    "embedding": ("given",),
}
# Packages of features, and the extra that installs them.
PACKAGES = {
    "wordllama": ("wordllama", "fuzzypairs[text]"),
    "onnx": ("onnxruntime", "fuzzypairs[onnx]"),
    "sentence-transformers": ("sentence-transformers", "sentence-transformers"),
}
# Of a text so many characters are read: about 5000 words.
LONGEST_TEXT = 20_000
# What most networks of pictures were trained with.
USUAL = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225), "size": 224}


@dataclass(frozen=True)
class Encoder:
    """What turns items into vectors.

    Attributes
    ----------
    encode : callable
        From texts, paths, or pictures of one size (uint8, (n, height, width, 3)) to an
        array of shape (n_items, n_numbers).
    size : (int, int) or None
        Height and width of pictures; None takes items as they are.
    at_once : bool
        Whether all items are given in one call.
    digest : str
        Of the file of a network.
    said : str
        What it does, for people.
    """

    encode: Callable[[Any], Any]
    size: tuple[int, int] | None = None
    at_once: bool = False
    digest: str = ""
    said: str = ""


def default_of(kind: Kind) -> tuple[str, str]:
    """Return the features of a kind of items, and what is worth knowing of them."""
    if kind != "text" or find_spec("wordllama") is not None:
        return DEFAULTS[kind], ""
    return "tfidf", (
        "wordllama is not installed: texts are compared by their words (tf-idf), not "
        "by meaning, which finds clusters less well; pip install 'fuzzypairs[text]'"
    )


def package_of(features: str) -> str:
    """Return name and version of the package that features need; "" if none.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    package, extra = PACKAGES.get(features.partition(":")[0], ("", ""))
    if not package:
        return ""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        raise ImportError(
            f"features {features!r} need {package}: pip install '{extra}'"
        ) from None


def make_encoder(
    kind: Kind, features: str, options: Mapping[str, Any], *, is_known: bool = False
) -> Encoder:
    """Return the encoder of a name.

    Parameters
    ----------
    kind : {"picture", "text"}
    features : str
    options : mapping
        Of ``onnx:FILE``: `size`, `mean`, `std`, `output`.
    is_known : bool, default=False
        Whether the name comes from a model file: nothing is downloaded then.
    """
    name, _, rest = features.partition(":")
    package_of(features)
    if options and name != "onnx":
        raise ValueError(
            f"features {features!r} have no options: got {', '.join(options)}"
        )
    if name == "python" and rest:
        return Encoder(_function(rest), at_once=True, said=f"by {rest}")
    if kind == "text" and name == "wordllama":
        return Encoder(_wordllama(), said="by meaning (wordllama)")
    if kind == "text" and name == "sentence-transformers" and rest:
        return Encoder(_sentences(rest, is_known), said=f"by meaning ({rest})")
    if kind == "picture" and name == "gradients":
        side = pictures.SIDE
        said = "by directions of gradients and by colours"
        return Encoder(pictures.gradients, (side, side), said=said)
    if kind == "picture" and name == "pixels":
        side = pictures.FEW
        said = f"by their brightness at {side} x {side} pixels"
        return Encoder(pictures.grey, (side, side), said=said)
    if kind == "picture" and name == "onnx" and rest:
        return _network(Path(rest), options)
    raise ValueError(
        f"there are no features {features!r} of {kind}s: expected "
        f"{', '.join(NAMES[kind])}, or python:MODULE.FUNCTION"
    )


def _wordllama() -> Callable[[Sequence[str]], Vectors]:
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    from wordllama import WordLlama

    # Weights and tokenizer are in the package; elsewhere it would look on a network.
    folder = Path(spec.submodule_search_locations[0])
    model = WordLlama.load(cache_dir=folder, disable_download=True)
    lock = threading.Lock()

    def encode(texts: Sequence[str]) -> Vectors:
        # A batch takes the memory of its longest text times its number of texts.
        order = np.argsort([len(text) for text in texts], kind="stable")
        sorted_texts = [texts[n][:LONGEST_TEXT] for n in order]
        found = np.empty((len(texts), model.embedding.shape[1]), dtype=np.float32)
        with lock:
            found[order] = model.embed(sorted_texts, batch_size=16)
        length = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.where(length > 0, length, 1)
        return found

    return encode


def _sentences(name: str, is_known: bool) -> Callable[[Sequence[str]], Any]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(name, local_files_only=is_known)
    return lambda texts: model.encode(
        [text[:LONGEST_TEXT] for text in texts], show_progress_bar=False
    )


def _function(name: str) -> Callable[[Any], Any]:
    module, _, function = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"python:{name} was not found ({error}): expected MODULE.FUNCTION, where "
            "the module can be imported"
        ) from error
    if not callable(found):
        raise TypeError(f"python:{name} is a {type(found).__name__}, no function")
    return found  # type: ignore[no-any-return]


def _network(path: Path, options: Mapping[str, Any]) -> Encoder:
    """Return an encoder of pictures by a network in a file, run by onnxruntime.

    What the file, options and preprocessor_config.json say of sizes and colours holds
    in this order: options, the file, the one beside it.
    """
    if unknown := set(options) - {"size", "mean", "std", "output"}:
        raise ValueError(
            f"onnx has no option {unknown.pop()!r}: expected size, mean, std, output"
        )
    import onnxruntime

    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist: expected onnx:FILE")
    data = path.read_bytes()
    try:
        # By name: weights may be in a file beside it.
        session = onnxruntime.InferenceSession(
            str(path), providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ValueError(f"{path} is no network that can be run: {error}") from None
    given = session.get_inputs()[0]
    shape = list(given.shape)
    if len(shape) != 4 or 3 not in (shape[1], shape[3]):
        raise ValueError(
            f"{path} takes an array of shape {shape}: expected pictures, as (n, 3, "
            "height, width) or (n, height, width, 3)"
        )
    is_last = shape[1] != 3
    told = _beside(path) | session.get_modelmeta().custom_metadata_map | dict(options)
    is_told = "mean" in told
    told = USUAL | told
    height, width = shape[1:3] if is_last else shape[2:4]
    if not (isinstance(height, int) and isinstance(width, int)):
        height = width = int(_numbers(told["size"])[0])
    mean, std = (np.array(_numbers(told[n]), np.float32) for n in ("mean", "std"))
    kind = {"tensor(uint8)": np.uint8, "tensor(float16)": np.float16}.get(
        given.type, np.float32
    )
    outputs = {out.name: out for out in session.get_outputs()}
    flat = [name for name, out in outputs.items() if len(out.shape or ()) == 2]
    chosen = str(told.get("output") or (flat or list(outputs))[0])
    if chosen not in outputs:
        raise ValueError(f"{path} has no output {chosen!r}: it has {list(outputs)}")
    # Some networks take one picture at a time.
    step = shape[0] if isinstance(shape[0], int) and shape[0] > 0 else 0

    def encode(batch: NDArray[np.uint8]) -> Any:
        values: Any = batch
        if kind is not np.uint8:
            values = ((batch / np.float32(255) - mean) / std).astype(kind)
        if not is_last:
            values = np.ascontiguousarray(values.transpose(0, 3, 1, 2))
        size = step or len(values)
        found = []
        for start in range(0, len(values), size):
            part = values[start : start + size]
            full = np.resize(part, (size, *part.shape[1:]))  # repeats to fill it
            found.append(session.run([chosen], {given.name: full})[0][: len(part)])
        vectors = np.concatenate(found)
        if vectors.ndim == 4:  # (n, channels, height, width)
            return vectors.mean(axis=(2, 3))
        return vectors.mean(axis=1) if vectors.ndim == 3 else vectors

    how = "" if kind is np.uint8 else f", mean {mean.tolist()}, std {std.tolist()}"
    usual = "" if is_told or kind is np.uint8 else " (usual ones: the file says none)"
    return Encoder(
        encode,
        (int(height), int(width)),
        digest=hashlib.sha256(data).hexdigest(),
        said=f"by {path.name} at {height} x {width} pixels{how}{usual}, {chosen}",
    )


def _beside(path: Path) -> dict[str, Any]:
    """Return what preprocessor_config.json beside a network, or above it, says."""
    for folder in (path.parent, path.parent.parent):
        try:
            told = json.loads((folder / "preprocessor_config.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        size = told.get("crop_size") or told.get("size") or {}
        if isinstance(size, dict):
            size = size.get("height") or size.get("shortest_edge")
        found = {
            "mean": told.get("image_mean"), "std": told.get("image_std"), "size": size,
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}
    return {}


def _numbers(value: Any) -> list[float]:
    """Return numbers given as 0.5, "0.5" or "0.4,0.5,0.6"."""
    if isinstance(value, str):
        value = value.strip("[]() ").split(",")
    try:
        return [float(v) for v in np.atleast_1d(value)]
    except ValueError:
        raise ValueError(f"{value!r} is not a number, or numbers by commas") from None
