"""Model files without pickle: `save` and `load`."""

import hashlib
import importlib
import inspect
import io
import json
import os
import warnings
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from fuzzypairs import __version__
from fuzzypairs.exceptions import ModelFileError, VersionMismatchWarning
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.validation import naming, shown

__all__ = ["load", "save"]

# Our own member of the archive, beside those of skops.
STAMP = "fuzzypairs.json"

# Folders of this package whose classes a model may be made of. They hold numbers and
# touch nothing outside themselves.
MODEL_FOLDERS = (
    "cluster",
    "items",
    "pairs",
    "selection",
    "solvers",
    "spaces",
    "tables",
)

# Plain containers of numbers that skops does not trust by itself: encoders of
# scikit-learn keep a dtype, kernel models of sparse data the rows they need.
HARMLESS = {
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model to one file that holds no pickle.

    The file is written under a temporary name and moved into place, so a reader
    never sees half a model and a failed save leaves the old file alone.

    Parameters
    ----------
    model : estimator
        An estimator of this package, or a scikit-learn estimator that holds one,
        such as a `Pipeline` with the preparation of the columns.
    path : str or path-like
        The file to write, usually `*.skops`. An existing file is replaced.

    Raises
    ------
    TypeError
        If `model` holds no estimator of this package, or something skops cannot
        store, such as a lambda.
    ImportError
        If skops is not installed.

    Notes
    -----
    The file is a zip archive in the format of skops, with the version of
    fuzzypairs and a digest of all other members in the member `fuzzypairs.json`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from fuzzypairs import FDC, load, save
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> model = FDC(n_clusters=2, random_state=0).fit(X, pairs=[(0, 1, 0.9)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "model.skops")
    ...     again = load(Path(folder) / "model.skops")
    >>> bool(np.array_equal(again.predict_proba(X), model.predict_proba(X)))
    True
    """
    with naming("path"):
        path = Path(path)
        os.fsencode(path)  # half of a surrogate pair is no name
    skops_io = _import_skops()
    refused = f"model, a {type(model).__name__}, cannot be saved"
    try:
        data = skops_io.dumps(model, compression=zipfile.ZIP_DEFLATED)
        unknown = skops_io.get_untrusted_types(data=data)
    except Exception as error:
        raise TypeError(f"{refused}: {error}") from error
    # skops writes the names of lambdas, by which they cannot be found again.
    if nameless := [name for name in unknown if "<" in name]:
        raise TypeError(
            f"{refused}: it holds {nameless[0]}; use a function defined at the top of "
            "a module"
        )
    if not any(map(_is_ours, unknown)):
        raise TypeError(
            f"{refused}: it holds no fuzzypairs estimator; save an estimator of this "
            "package or a Pipeline that ends in one"
        )
    archive = io.BytesIO(data)
    with zipfile.ZipFile(archive, "a") as members:
        stamp = {"version": __version__, "digest": _digest(members)}
        members.writestr(STAMP, json.dumps(stamp))
    with replacing(path) as temporary:
        temporary.write_bytes(archive.getvalue())


def load(path: str | os.PathLike[str], *, trusted: Collection[str] = ()) -> Any:
    """Load a model that `save` wrote, without running code from the file.

    The types in the file are checked before anything is built from it. Those of
    numpy, scipy and scikit-learn that skops trusts are accepted, and so are the
    model classes of this package; everything else is refused by name.

    Parameters
    ----------
    path : str or path-like
        The file to read.
    trusted : collection of str, default=()
        Full names of further types to accept, as the refusal lists them. A type
        named here can run its own code, so name only what you know.

    Returns
    -------
    model : estimator
        What was saved.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If the file is damaged, is not a model of fuzzypairs, or holds a type
        that is not trusted.
    ImportError
        If skops is not installed.

    Warns
    -----
    VersionMismatchWarning
        If another version of fuzzypairs wrote the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fuzzypairs import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.skops"
    ...     _ = path.write_bytes(b"")
    ...     load(path)
    Traceback (most recent call last):
        ...
    fuzzypairs.exceptions.ModelFileError: ...model.skops is empty: ...
    """
    skops_io = _import_skops()
    with naming("path"):
        path = Path(path)
        os.fsencode(path)  # half of a surrogate pair is no name
    with naming("trusted"):
        if not all(isinstance(name, str) for name in trusted):
            raise TypeError(f"trusted is {shown(trusted)}, expected names of types")
    # One read serves both the check and the load: a file replaced between the two
    # would otherwise be loaded unchecked.
    data = _read_archive(path)
    try:
        version, is_whole = _read_stamp(data)
        unknown = skops_io.get_untrusted_types(data=data)
    except Exception as error:  # whatever skops raises on hostile bytes
        raise ModelFileError(
            f"{path} is a zip archive but not a readable model file ({error}): "
            "it is damaged, or fuzzypairs.save did not write it"
        ) from error
    if not any(map(_is_ours, unknown)):
        raise ModelFileError(
            f"{path} is a skops file without a fuzzypairs model: read it with skops"
        )
    accepted = HARMLESS.union(filter(_is_ours, unknown), trusted)
    if refused := sorted(set(unknown) - accepted):
        raise ModelFileError(
            f"{path} holds types that are not trusted: {', '.join(refused)}. If you "
            f"know them and who wrote the file, pass trusted={refused}"
        )
    if not is_whole:
        raise ModelFileError(
            f"{path} was changed after it was saved: its parts do not belong together; "
            "copy the file again, or fit and save again"
        )
    if version != __version__:
        warnings.warn(
            f"{path} was written by fuzzypairs {version or 'of unknown version'} and "
            f"is read by {__version__}: fit again if its results seem wrong",
            VersionMismatchWarning,
            stacklevel=2,
        )
    try:
        model = skops_io.loads(data, trusted=sorted(accepted))
    except ImportError:  # of what makes features of items
        raise
    except Exception as error:
        raise ModelFileError(
            f"{path} cannot be rebuilt ({error}): it is damaged, or was written by a "
            "version that this one cannot read; fit and save again"
        ) from error
    for part in _parts(model):
        if wrong := _inconsistency(part):
            raise ModelFileError(
                f"{path} holds a {type(part).__name__} whose {wrong}: it was changed "
                "after it was saved; fit and save again"
            )
    return model


def _import_skops() -> Any:
    """Return `skops.io`, or say how to install it."""
    try:
        return importlib.import_module("skops.io")
    except ImportError as error:
        message = "model files need skops: pip install 'fuzzypairs[files]'"
        raise ImportError(message) from error


def _read_archive(path: Path) -> bytes:
    """Return the bytes of a file that is a complete zip archive."""
    if path.is_dir():
        raise ModelFileError(f"{path} is a directory: name the model file in it")
    try:
        data = path.read_bytes()
    except OSError as error:
        said = f"path cannot be read: {error.strerror}"
        raise type(error)(error.errno, said, str(path)) from None
    if zipfile.is_zipfile(io.BytesIO(data)):
        return data
    if not data:
        reason = "is empty: copy or save the model again"
    elif data.startswith(b"PK"):
        reason = "is cut short or damaged: copy or save the model again"
    elif data.startswith(b"\x80"):  # protocol 2 and later, which joblib writes too
        reason = (
            "is a pickle, which can run code when opened and is never read here: save "
            "the model with fuzzypairs.save"
        )
    else:
        reason = "is not a zip archive: expected a file that fuzzypairs.save wrote"
    raise ModelFileError(f"{path} {reason}")


def _read_stamp(data: bytes) -> tuple[str | None, bool]:
    """Return the version that wrote an archive, or None, and whether it is whole.

    Files of skops itself and of earlier versions have no digest.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as members:
        if STAMP not in members.namelist():
            return None, True
        stamp = json.loads(members.read(STAMP))
        version = str(stamp["version"])
        is_early = version != __version__ and "digest" not in stamp
        return version, is_early or stamp.get("digest") == _digest(members)


def _digest(members: zipfile.ZipFile) -> str:
    """Return the SHA-256 of the names and contents of all members but ours."""
    found = hashlib.sha256()
    for name in sorted(members.namelist()):
        if name != STAMP:
            content = hashlib.sha256(members.read(name)).hexdigest()
            found.update(f"{name}\n{content}\n".encode())
    return found.hexdigest()


def _parts(model: Any) -> list[Any]:
    """Return the estimators of a model: itself, the steps of a pipeline, and theirs."""
    steps = [step for _, step in getattr(model, "steps", [])]
    inner = [
        value
        for name, value in vars(model).items()
        if name in ("best_estimator_", "model_") and hasattr(value, "__dict__")
    ]
    return [model, *(part for one in [*steps, *inner] for part in _parts(one))]


def _inconsistency(model: Any) -> str:
    """Return how the arrays of a fitted clusterer contradict each other, "" if not."""
    state = {name: value for name, value in vars(model).items() if name[-1] == "_"}
    k, n_features = state.get("n_clusters_"), state.get("n_features_in_")
    if k is None:
        return ""
    n_samples = len(state["labels_"]) if "labels_" in state else None
    shapes = {
        "memberships_": (n_samples, k),
        "cluster_centers_": (k, n_features),
        "labels_": (n_samples,),
    }
    for name, shape in shapes.items():
        if name not in state:
            continue
        value = state[name]
        if getattr(value, "dtype", None) is None or value.dtype.kind not in "iuf":
            return f"{name} is no array of numbers"
        if value.shape != shape:
            return f"{name} has shape {value.shape}, expected {shape}"
        if not np.isfinite(value).all():
            return f"{name} is not finite"
    return ""


def _is_ours(name: str) -> bool:
    """Say whether `name` is a model class that this package itself defines.

    A prefix is not enough: it would accept all that our modules define or import.
    """
    module, _, attribute = name.rpartition(".")
    package, _, inside = module.partition(".")
    if package != "fuzzypairs" or inside.split(".")[0] not in MODEL_FOLDERS:
        return False
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    return inspect.isclass(found) and found.__module__ == module
