"""`fuzzypairs label`: a page on this machine that asks for judgements."""

import getpass
import tempfile
import webbrowser
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from fuzzypairs.cli import options, screen

if TYPE_CHECKING:
    from fuzzypairs.analysis.rows import Rows
    from fuzzypairs.labelling.catalogue import Catalogue
    from fuzzypairs.labelling.service import Service
    from fuzzypairs.labelling.stored_judgements import Judged

__all__ = ["Labelling", "label"]

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
        service = labelling.open(stack, imported, who, terminal, out=out)
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


@dataclass(frozen=True, eq=False)
class Labelling:
    """Rows to be judged, as they are shown and as they are clustered."""

    rows: "Rows"
    catalogue: "Catalogue"
    n_clusters: tuple[int, ...]  # to choose from
    database: Path

    def open(
        self,
        stack: ExitStack,
        imported: Path | None,
        who: str,
        terminal: Console,
        *,
        out: Path | None = None,
        fits: bool = True,
    ) -> "Service":
        """Open the store and the service; `stack` closes them."""
        from fuzzypairs.labelling.catalogue import as_judged, described_columns
        from fuzzypairs.labelling.exchange import import_judgements
        from fuzzypairs.labelling.fitting import FitTask
        from fuzzypairs.labelling.service import Service
        from fuzzypairs.labelling.store import Store

        store: Store = stack.enter_context(Store(self.database))
        catalogue, changes = as_judged(store, self.catalogue)
        screen.print_notes(terminal, self.rows.notes)
        if changes:
            note = f"the data are not those that were judged: {'; '.join(changes)}"
            screen.print_notes(terminal, [note])
        if imported is not None:
            n = import_judgements(store, imported, catalogue, who)
            screen.print_notes(terminal, [f"{n} judgements of {imported} are stored"])
        rows = self.rows
        task = FitTask(
            rows.X.to_numpy(),
            *described_columns(rows),
            self.n_clusters,
            texts=catalogue.texts,
        )
        folder = out or self.database.with_name(f"{self.database.stem}-report")
        service = Service(
            catalogue,
            store,
            task if fits else None,
            finish=lambda *judged: self.write_report(folder, *judged),
            changes=changes,
        )
        stack.callback(service.close)
        return service

    def write_report(
        self, folder: Path, judged: "Judged", n_clusters: tuple[int, ...]
    ) -> Path:
        """Fit the model of the page, and write what `fuzzypairs fit` writes."""
        from fuzzypairs import GuidedFDC
        from fuzzypairs.analysis.analyse import analyse_rows
        from fuzzypairs.labelling.stored_judgements import cluster_names

        model = GuidedFDC(robust=judged.is_noisy, random_state=0, n_jobs=-1)
        rows = replace(self.rows, pairs=judged.pairs, are_answers=True)
        result = analyse_rows(rows, n_clusters or self.n_clusters, model)
        k = result.model.n_clusters_
        named = cluster_names(result.model.labels_, judged.named, k)
        if any(named):
            called = [name or f"cluster {number}" for number, name in enumerate(named)]
            result = replace(result, cluster_names=called)
        result.save(folder)
        return folder


def read_labelling(
    data: Path,
    reading: options.ReadingOptions,
    *,
    n_clusters: int | None,
    database: Path | None,
) -> Labelling:
    """Read a user's data, and make features of them."""
    from fuzzypairs.analysis.fit_rows import TRIED
    from fuzzypairs.analysis.row_reader import RowReader
    from fuzzypairs.labelling.catalogue import Catalogue

    with screen.progress(percent=True) as show:
        rows = RowReader(**reading.arguments(data), progress=show).read(data)
    path = data.resolve()
    database = database or path.with_name(f"{path.name.split('.')[0] or 'data'}.db")
    numbers = TRIED if n_clusters is None else (min(n_clusters, rows.n_rows),)
    tried = tuple(k for k in numbers if k <= rows.n_rows) or (rows.n_rows,)
    return Labelling(rows, Catalogue.of_rows(rows), tried, database)


def _demo_labelling(
    database: Path | None, n_clusters: int | None, stack: ExitStack
) -> Labelling:
    """Return the digits of scikit-learn, with an empty store if none is named."""
    import numpy as np
    import pandas as pd
    from sklearn.datasets import load_digits

    from fuzzypairs.analysis.rows import Rows
    from fuzzypairs.items import ItemSet
    from fuzzypairs.labelling.catalogue import Catalogue
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
    return Labelling(rows, Catalogue.of_rows(rows), (n_clusters or 10,), database)
