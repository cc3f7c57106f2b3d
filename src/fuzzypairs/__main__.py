"""Run the command line as `python -m fuzzypairs`."""

import gc
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Start the command line, or say which extra it needs."""
    try:
        from fuzzypairs.cli import app
    except ModuleNotFoundError as error:
        sys.exit(
            f"the command fuzzypairs needs {error.name}: pip install 'fuzzypairs[cli]'"
        )
    # Importing makes a million objects that stay: looking for garbage after each 700 of
    # them takes a sixth of the time of a small fit.
    gc.set_threshold(100_000)
    # A polite kill ends like Ctrl-C: what was begun under temporary names is removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    app(prog_name="fuzzypairs")


if __name__ == "__main__":
    main()
