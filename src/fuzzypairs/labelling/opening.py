"""From rows to a service: what the page, the terminal and notebooks begin with."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from fuzzypairs import GuidedFDC
from fuzzypairs.analysis.analyse import analyse_rows
from fuzzypairs.analysis.analysis_result import Result
from fuzzypairs.analysis.fit_rows import TRIED
from fuzzypairs.analysis.rows import Rows
from fuzzypairs.labelling.catalogue import Catalogue, as_judged, described_columns
from fuzzypairs.labelling.exchange import import_judgements
from fuzzypairs.labelling.fitting import FitTask
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.store import Store
from fuzzypairs.labelling.stored_judgements import Judged

__all__ = ["Labelling", "numbers_for"]


def numbers_for(n_clusters: int | None, n_rows: int) -> tuple[int, ...]:
    """Return the numbers of clusters to choose from: the one given, or 2 to 8."""
    numbers = TRIED if n_clusters is None else (min(n_clusters, n_rows),)
    return tuple(k for k in numbers if k <= n_rows) or (n_rows,)


@dataclass(frozen=True, eq=False)
class Labelling:
    """Rows to be judged, and where the judgements go.

    Attributes
    ----------
    rows : Rows
    n_clusters : tuple of int
        Numbers of clusters to choose from.
    database : Path
    """

    rows: Rows
    n_clusters: tuple[int, ...]
    database: Path

    def open(
        self,
        stack: ExitStack,
        imported: Path | None,
        who: str,
        tell: Callable[[Sequence[str]], object],
        *,
        out: Path | None = None,
        fits: bool = True,
    ) -> Service:
        """Open the store and the service; `stack` closes them, `tell` takes notes."""
        store = stack.enter_context(Store(self.database))
        catalogue, changes = as_judged(store, Catalogue.of_rows(self.rows))
        tell(self.rows.notes)
        if changes:
            tell([f"the data are not those that were judged: {'; '.join(changes)}"])
        if imported is not None:
            n = import_judgements(store, imported, catalogue, who)
            tell([f"{n} judgements of {imported} are stored"])
        rows = self.rows
        task = FitTask(
            rows.X.to_numpy(),
            *described_columns(rows),
            self.n_clusters,
            texts=catalogue.texts,
        )
        folder = out or self.database.with_name(f"{self.database.stem}-report")

        def finish(judged: Judged, n_clusters: tuple[int, ...]) -> Path:
            self.result(judged, n_clusters).save(folder)
            return folder

        service = Service(
            catalogue, store, task if fits else None, finish=finish, changes=changes
        )
        stack.callback(service.close)
        return service

    def result(self, judged: Judged, n_clusters: tuple[int, ...]) -> Result:
        """Fit the model of the page to all judgements, as `fuzzypairs fit` does."""
        model = GuidedFDC(random_state=0, n_jobs=-1)
        rows = replace(self.rows, pairs=judged.pairs, named=judged.named)
        return analyse_rows(rows, n_clusters or self.n_clusters, model)
