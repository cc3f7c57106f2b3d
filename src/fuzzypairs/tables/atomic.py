"""Files and folders that appear whole or not at all."""

import glob
import hashlib
import os
import platform
import secrets
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and move the file there on success.

    Of a link the file that it points to is replaced. Devices and pipes are refused:
    moving would put a file in their place.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory: name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"path {path}: the folder {path.parent} does not exist: create it"
        )
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is a device or pipe: name a file")
    target = Path(os.path.realpath(path))
    temporary = _temporary_name(target)
    try:
        with _named(path):
            yield temporary
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, and move its files to `folder` on success.

    A new folder appears in one step. In an existing one the new files replace those of
    the same names one by one, which only SIGKILL interrupts, and all others stay.
    """
    given, folder = folder, Path(os.path.realpath(folder))
    with _named(given):
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
def _named(path: Path) -> Iterator[None]:
    """Let errors of the system name `path`, not a temporary name or nothing."""
    try:
        yield
    except OSError as error:
        named = error.filename
        if error.errno and (named is None or ".tmp" in str(named)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


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
    """Return an unused hidden name in the folder of `path`; remove what was left there.

    `tempfile` would keep the file closed to other users, whatever the umask allows. The
    name tells which process of which machine it is of, so that a later one knows what
    a killed one has left.
    """
    host = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    for left in path.parent.glob(f".{glob.escape(path.name)}.{host}-*.tmp"):
        number = left.name.split("-")[-2]
        if number.isdigit() and not _is_running(int(number)):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                with suppress(OSError):  # of another user
                    left.unlink()
    token = f"{host}-{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{path.name}.{token}.tmp")


def _is_running(process: int) -> bool:
    """Tell whether there is such a process; where that cannot be asked, say yes."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, PermissionError):
        return True
    return True
