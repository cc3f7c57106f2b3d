"""Run the command line as `python -m fuzzypairs`."""

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
    app(prog_name="fuzzypairs")


if __name__ == "__main__":
    main()
