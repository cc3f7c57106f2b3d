"""Files and folders that appear whole or not at all."""

import os
import secrets
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and move the file there on success."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory: name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist: create it")
    temporary = _temporary_name(path)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, and move its files to `folder` on success.

    A new folder appears in one step. In an existing one the new files replace those of
    the same names one by one, which only SIGKILL interrupts, and all others stay.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary_name(folder / "files" if folder.exists() else folder)
    temporary.mkdir()
    try:
        yield temporary
        with _uninterrupted():
            if folder.exists():
                for file in temporary.iterdir():
                    os.replace(file, folder / file.name)
            else:
                os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Defer SIGINT and SIGTERM, which would leave files of two results."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    waiting: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: waiting.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if waiting:
        signal.raise_signal(waiting[0])


def _temporary_name(path: Path) -> Path:
    """Return an unused hidden name in the folder of `path`.

    `tempfile` would keep the file closed to other users, whatever the umask allows.
    """
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
