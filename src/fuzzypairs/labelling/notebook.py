"""Grading in a notebook: the page as a widget, without a server."""

import asyncio
import json
import tempfile
import threading
from contextlib import ExitStack
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from fuzzypairs.analysis.analysis_result import Result
from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.labelling.opening import Labelling, numbers_for
from fuzzypairs.pairs import PairSet

__all__ = ["Grader"]


class Grader:
    """Grade pairs of data in a notebook, on the page of `fuzzypairs label`.

    The last line of a cell that is a grader shows it. It needs the extra `notebook`,
    opens no port, and asks while no other cell runs.

    Parameters
    ----------
    data : path, DataFrame, array of shape (n_rows, n_features) or list of str
        As in `fuzzypairs.analyse`.
    id : str, default=None
        The column that names the rows.
    text, image, embedding : str, default=None
        The column of texts, of names of pictures, or of lists of numbers.
    n_clusters : int, default=None
        The largest number of clusters; 2 to 8 are compared if None.
    store : path, default=None
        The file of the judgements, which is continued if it exists. None keeps them
        until the grader is closed.
    annotator : str, default="me"
        Who is grading.
    question : str, default=None
        What is asked of each pair.
    **reading
        As in `fuzzypairs.analyse`.

    Attributes
    ----------
    service : Service
        What the page asks.

    Examples
    --------
    >>> import pandas as pd
    >>> from fuzzypairs import Grader
    >>> wines = pd.DataFrame({"acid": [1.0, 1.2, 6.0, 6.3]}, index=list("abcd"))
    >>> with Grader(wines, n_clusters=2) as grader:
    ...     asked = grader.service.next("me")[0]  # or by keys, where it is shown
    ...     _ = grader.service.answer("me", asked.left, asked.right, grade=1.0)
    ...     grader.pairs
    PairSet(1 pairs on 4 samples: 1 alike, 0 unlike, 0 can't say)
    """

    def __init__(
        self,
        data: Any,
        *,
        id: str | None = None,
        text: str | None = None,
        image: str | None = None,
        embedding: str | None = None,
        n_clusters: int | None = None,
        store: str | PathLike[str] | None = None,
        annotator: str = "me",
        question: str | None = None,
        **reading: Any,
    ) -> None:
        reader = RowReader(
            id=id, text=text, image=image, embedding=embedding, **reading
        )
        rows = reader.read(data)
        self._annotator = annotator
        self._stack = ExitStack()
        self._widget: Any = None
        with ExitStack() as opened:  # closed by an error
            if store is None:
                folder = opened.enter_context(tempfile.TemporaryDirectory())
                store = Path(folder) / "judgements.db"
            numbers = numbers_for(n_clusters, rows.n_rows)
            self._labelling = Labelling(rows, numbers, Path(store))
            self.notes: list[str] = []
            self.service = self._labelling.open(
                opened, None, annotator, self.notes.extend
            )
            if question is not None:
                self.service.set_question(question)
            self._stack = opened.pop_all()

    @property
    def pairs(self) -> PairSet:
        """The judgements so far."""
        return self.service.pairs()

    @property
    def result(self) -> Result:
        """Clusters by all judgements so far, as `fuzzypairs.analyse` gives them."""
        return self._labelling.result(self.service.stored(), self.service.model.numbers)

    @property
    def widget(self) -> Any:
        """The widget that shows the page."""
        if self._widget is None:
            self._widget = make_widget(self)
            self._stack.callback(self._widget.close)
        return self._widget

    def close(self) -> None:
        """End the fits, and close the file of the judgements."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Return what is graded, and how many judgements there are."""
        return f"<Grader: {self._labelling.rows!r}; {len(self.pairs)} judgements>"

    def _repr_mimebundle_(self, **given: Any) -> Any:
        return self.widget._repr_mimebundle_(**given)


def make_widget(grader: Grader) -> Any:
    """Return a widget that shows the page of a grader and answers its requests."""
    try:
        import anywidget
        import traitlets
        from starlette.applications import Starlette

        from fuzzypairs.labelling.web import SERVICE_ERRORS, build_routes
    except ImportError as error:
        raise ImportError(
            f"a Grader needs {error.name}: pip install 'fuzzypairs[notebook]'"
        ) from error

    texts = read_files()
    app = Starlette(
        routes=build_routes(grader.service, grader._annotator),
        exception_handlers=SERVICE_ERRORS,
    )

    class GraderWidget(anywidget.AnyWidget):
        """The page, with its files."""

        _esm = texts.pop("notebook.js")
        _files = traitlets.Dict(texts).tag(sync=True)

    widget = GraderWidget()
    # Requests are answered in a thread of their own: some wait for the disk.
    loop = asyncio.new_event_loop()
    thread = threading.Thread(
        target=loop.run_forever, name="fuzzypairs-notebook", daemon=True
    )
    thread.start()

    async def answer(message: dict[str, Any]) -> None:
        status, kind, data = await request(app, message["path"], message.get("body"))
        head = {"id": message["id"], "status": status, "type": kind}
        widget.send(head, buffers=[data])

    def take(_: Any, message: dict[str, Any], __: Any) -> None:
        asyncio.run_coroutine_threadsafe(answer(message), loop)

    def stop() -> None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    widget.on_msg(take)
    unlisten = grader.service.model.listen(lambda: widget.send({"changed": True}))
    grader._stack.callback(stop)
    grader._stack.callback(unlisten)
    return widget


def read_files() -> dict[str, str]:
    """Return the files of the page by name, of the document only what is shown."""
    folder = files("fuzzypairs.labelling") / "static"
    texts = {
        file.name: file.read_text("utf-8")
        for file in folder.iterdir()
        if file.name.endswith((".js", ".css", ".html"))
    }
    shown = texts.pop("index.html").partition("<body>")[2].partition("<noscript>")[0]
    return texts | {"page.html": shown}


async def request(app: Any, path: str, body: Any) -> tuple[int, str, bytes]:
    """Ask an ASGI application; return the status, the type and the content.

    Parameters
    ----------
    app : ASGI application
    path : str
        With its query.
    body : object or None
        Sent as JSON by POST; None asks by GET.
    """
    parts = urlsplit(path)
    head = [(b"host", b"notebook"), (b"content-type", b"application/json")]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET" if body is None else "POST",
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "headers": head,
        "server": ("notebook", 80),
        "client": None,
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        content = b"" if body is None else json.dumps(body).encode()
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    kind = dict(sent[0].get("headers", [])).get(b"content-type", b"").decode()
    return sent[0]["status"], kind, b"".join(part.get("body", b"") for part in sent)
