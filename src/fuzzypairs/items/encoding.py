"""Run an encoder over items, in threads, and keep vectors in a file if asked."""

import hashlib
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from fuzzypairs._typing import Progress
from fuzzypairs.exceptions import ReadingWarning
from fuzzypairs.items import pictures
from fuzzypairs.items.encoders import Encoder
from fuzzypairs.tables.atomic import replacing
from fuzzypairs.threads import Threads

__all__ = ["run_encoder", "with_cache"]

# Items that are read and encoded together, by a thread.
BATCH = 32
# Vectors by number, and why there are none.
Found = tuple[dict[int, Any], dict[int, str]]


def with_cache(
    path: Path | None,
    stamp: str,
    items: Any,
    wanted: Sequence[int],
    run: Callable[[list[int]], Found],
) -> Found:
    """Return vectors of the wanted items: those of a file, and of others by `run`."""
    if path is None:
        return run(list(wanted))
    keys = {n: _key(items[n]) for n in wanted}
    known = _read_cache(path, stamp)
    vectors = {n: known[key] for n, key in keys.items() if key in known}
    new, failed = run([n for n in wanted if n not in vectors])
    if new:
        vectors |= new
        _write_cache(path, stamp, {keys[n]: v for n, v in vectors.items()})
    return vectors, failed


def run_encoder(
    encoder: Encoder,
    items: Any,
    wanted: Sequence[int],
    n_jobs: int | None,
    tell: Progress,
) -> tuple[dict[int, Any], dict[int, str]]:
    """Return vectors of the wanted items, and why some cannot be read."""
    vectors: dict[int, Any] = {}
    failed: dict[int, str] = {}
    lock = Lock()
    step = max(1, len(wanted)) if encoder.at_once else BATCH

    def run(start: int) -> None:
        numbers, inputs = list(wanted[start : start + step]), []
        if encoder.size is None:
            inputs = [items[n] for n in numbers]
        else:
            for n in list(numbers):
                try:
                    inputs.append(pictures.pixels(items[n], *encoder.size))
                except ValueError as error:
                    failed[n] = str(error)
                    numbers.remove(n)
        if numbers:
            batch = np.stack(inputs) if encoder.size else inputs
            made = np.asarray(encoder.encode(batch))
            _check(made, len(numbers), encoder.said)
            vectors.update(zip(numbers, made.astype(np.float32), strict=True))
        with lock:
            tell(len(vectors) + len(failed), len(wanted))

    Threads(n_jobs).map(run, [(start,) for start in range(0, len(wanted), step)])
    return {n: vectors[n] for n in wanted if n in vectors}, failed


def _check(made: Any, n_items: int, said: str) -> None:
    if made.ndim != 2 or len(made) != n_items or made.dtype.kind not in "fiu":
        raise ValueError(
            f"features {said} are an array of {made.dtype} of shape {made.shape}: "
            f"expected numbers, {n_items} rows"
        )
    if not np.isfinite(made).all():
        raise ValueError(f"features {said} are not all finite")


def _key(item: Any) -> str:
    """Return what tells whether an item is the same as before."""
    if isinstance(item, np.ndarray):
        return hashlib.sha256(item.tobytes()).hexdigest()
    try:
        found = os.stat(item)
    except (OSError, ValueError):  # a text, or a file that is gone
        return hashlib.sha256(str(item).encode()).hexdigest()
    return f"{os.path.abspath(item)} {found.st_size} {found.st_mtime_ns}"


def _read_cache(path: Path, stamp: str) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["stamp"]) == stamp:
                return dict(zip(file["keys"].tolist(), file["vectors"], strict=True))
    except FileNotFoundError:
        pass
    except Exception:  # a damaged file is written anew
        warnings.warn(f"{path} is damaged: it is written anew", ReadingWarning, 2)
    return {}


def _write_cache(path: Path, stamp: str, vectors: Mapping[str, Any]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        keys, rows = list(vectors), np.array(list(vectors.values()))
        np.savez(file, stamp=np.array(stamp), keys=np.array(keys), vectors=rows)
