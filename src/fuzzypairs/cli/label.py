"""`fuzzypairs label`: a page on this machine that asks for judgements."""

import getpass
import tempfile
import webbrowser
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fuzzypairs.cli import options, screen

if TYPE_CHECKING:
    from fuzzypairs.labelling.opening import Labelling
    from fuzzypairs.labelling.service import Service

__all__ = ["label"]

OptionalData = Annotated[
    Path | None,
    typer.Argument(
        help="A folder of pictures or texts; a table (CSV, TSV, Excel, Parquet or JSON "
        "lines), one row per item; or embeddings (.npy, .npz).",
        metavar="DATA",
        show_default=False,
    ),
]
Clusters = Annotated[
    int | None,
    options.of_model(
        "--clusters",
        min=2,
        help="The largest number of clusters; 2 to 8 are compared if left out.",
    ),
]
Database = Annotated[
    Path | None,
    options.of_results(
        "--db",
        help="The file of the judgements; DATA with the ending .db if left out.",
        metavar="FILE",
    ),
]
Annotator = Annotated[
    str | None,
    options.of_data(
        help="Who is grading; your login name if left out.", metavar="NAME"
    ),
]
Question = Annotated[
    str | None,
    options.of_data(
        help="What is asked of each pair; whether the two belong together if left out.",
        metavar="TEXT",
    ),
]
Imported = Annotated[
    Path | None,
    options.of_data(
        "--import", help="A table of judgements to begin with.", metavar="FILE"
    ),
]


@options.unfold
def label(
    data: OptionalData = None,
    *,
    reading: options.ReadingOptions,
    demo: Annotated[
        bool, typer.Option("--demo", help="Grade pictures of digits; no data needed.")
    ] = False,
    imported: Imported = None,
    annotator: Annotator = None,
    question: Question = None,
    n_clusters: Clusters = None,
    database: Database = None,
    out: Annotated[
        Path | None,
        options.of_results(
            help="The folder of the report; beside the judgements if left out.",
            metavar="DIR",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="The port; 0 for any free one.",
            rich_help_panel="Page",
        ),
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            help="Listen on this address. Unless it is 127.0.0.1, everyone who can "
            "reach this machine and has the link can grade; the connection is not "
            "encrypted.",
            rich_help_panel="Page",
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser", help="Only print the address.", rich_help_panel="Page"
        ),
    ] = False,
) -> None:
    """Grade pairs of your data on a page in the browser.

    Shows two rows of a table, pictures of a folder, or texts of a column at a time.
    Prints one line, the address of the page, as soon as the page is ready. Each answer
    is saved at once; Ctrl-C ends the program, and the same command continues later.

    Examples: fuzzypairs label photos/
    fuzzypairs label messages.csv --text message
    fuzzypairs label wine.csv --id bottle
    """
    terminal = screen.new_terminal(stderr=True)
    if (data is None) == (not demo):
        screen.fail("name a DATA file, or try --demo", code=2)
    with ExitStack() as stack, screen.plain_errors(code=2):
        if demo:
            labelling = _demo_labelling(database, n_clusters, stack)
        else:
            assert data is not None
            labelling = read_labelling(
                data, reading, n_clusters=n_clusters, database=database
            )
        who = annotator or login()
        service = labelling.open(
            stack, imported, who, partial(screen.print_notes, terminal), out=out
        )
        if question is not None:
            service.set_question(question)
        _serve(service, host, port, who, no_browser)
        terminal.print(f"\nAll judgements are in {labelling.database}")


def _serve(
    service: "Service", host: str, port: int, who: str, no_browser: bool
) -> None:
    from fuzzypairs.labelling.serving import serve

    def ready(address: str) -> None:
        typer.echo(address)
        if not no_browser:
            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # how the program is meant to end
        serve(service, host=host, port=port, annotator=who, ready=ready)


def login() -> str:
    """Return the name of the user of this machine."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "me"


def read_labelling(
    data: Path,
    reading: options.ReadingOptions,
    *,
    n_clusters: int | None,
    database: Path | None,
) -> "Labelling":
    """Read a user's data, and make features of them."""
    with screen.progress(percent=True) as show:
        show("starting", 0, 1)  # the libraries take longest
        from fuzzypairs.analysis.row_reader import RowReader
        from fuzzypairs.labelling.opening import Labelling, numbers_for

        rows = RowReader(**reading.arguments(data), progress=show).read(data)
    path = data.resolve()
    database = database or path.with_name(f"{path.name.split('.')[0] or 'data'}.db")
    tried = numbers_for(n_clusters, rows.n_rows)
    return Labelling(rows, tried, database)


def _demo_labelling(
    database: Path | None, n_clusters: int | None, stack: ExitStack
) -> "Labelling":
    """Return the digits of scikit-learn, with an empty store if none is named."""
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_digits

    from fuzzypairs.analysis.rows import Rows
    from fuzzypairs.items import ItemSet
    from fuzzypairs.labelling.opening import Labelling
    from fuzzypairs.tables.table_files import Items

    digits = load_digits()
    ids = np.array([f"digit {row}" for row in range(len(digits.images))], dtype=object)
    grey = np.minimum(16 * digits.images, 255).astype(np.uint8)
    pictures = ItemSet("picture", list(255 - grey), ids)
    source = Items(Path("digits"), pd.DataFrame(index=range(len(ids))), ids)
    rows = Rows.of_items(pictures, source, features="pixels")
    if database is None:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        database = Path(folder) / "digits.db"
    return Labelling(rows, (n_clusters or 10,), database)
