"""The page over HTTP: a list of routes around the service."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import lru_cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fuzzypairs import __version__
from fuzzypairs.labelling.answer_checks import ServiceError, check_text
from fuzzypairs.labelling.cluster_requests import ask_about, name_cluster
from fuzzypairs.labelling.desk import Asked, AskedSet
from fuzzypairs.labelling.exchange import judgement_text
from fuzzypairs.labelling.guard import Guard, Limits, Secrets
from fuzzypairs.labelling.service import Receipt, Service
from fuzzypairs.labelling.store import StoreError

__all__ = ["build_app", "build_routes"]

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# Files of a report; all but the page are downloads.
REPORT = {
    "report.html": "text/html; charset=utf-8",
    "memberships.csv": "text/csv; charset=utf-8",
    "summary.json": "application/json",
    "model.skops": "application/octet-stream",
}
# A report has styles and drawings inside, and needs nothing else.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEARTBEAT = 15.0  # seconds
# Seconds after which a browser is told that its answer is not stored yet. It sends it
# again, and twice is once.
STORED_WITHIN = 10.0
# Pairs that a browser holds: one on screen, two ahead.
AHEAD, MOST_NEXT = 3, 5
# Pairs that are kept as they are sent; texts take long to compare.
SHOWN = 256
Handler = Callable[[Request], Awaitable[Response]]


def build_app(
    service: Service,
    hosts: frozenset[str],
    secrets: Secrets,
    *,
    cookie_name: str = "fuzzypairs",
    limits: Limits | None = None,
    annotator: str = "",
    known: Callable[[Any], object] = lambda client: None,
) -> Starlette:
    """Return the guarded application.

    Parameters
    ----------
    service : Service
    hosts : frozenset of str
        See `fuzzypairs.labelling.guard.host_names`.
    secrets : Secrets
    cookie_name : str, default="fuzzypairs"
    limits : Limits, default=None
    annotator : str, default=""
        The name that the page proposes.
    known : callable
        Takes the address and the port of a browser that showed the cookie.
    """
    guard = Middleware(
        Guard,
        hosts=hosts,
        secrets=secrets,
        cookie_name=cookie_name,
        limits=limits or Limits(),
        known=known,
    )
    app = Starlette(
        routes=build_routes(service, annotator, secrets.token),
        middleware=[guard],
        exception_handlers=SERVICE_ERRORS,
    )
    app.router.redirect_slashes = False
    return app


async def _explain(request: Request, error: Exception) -> Response:
    """Answer a request that the service does not understand."""
    status = 400 if isinstance(error, ServiceError) else 500
    return JSONResponse({"error": str(error)}, status)


SERVICE_ERRORS: dict[Any, Any] = {ServiceError: _explain, StoreError: _explain}


def build_routes(service: Service, annotator: str = "", token: str = "") -> list[Route]:
    """Return every route of the page.

    Parameters
    ----------
    service : Service
    annotator : str, default=""
    token : str, default=""
        Opens the page in another browser.
    """
    static = _read_static()

    # A pair is sent several times: ahead, and when its turn comes.
    @lru_cache(maxsize=SHOWN)
    def shown(asked: Asked) -> dict[str, Any]:
        pair = service.catalogue.pair(asked.left, asked.right)
        return pair | {"reason": asked.reason, "strategy": asked.strategy}

    def upcoming(who: str, n: int = AHEAD) -> list[dict[str, Any]]:
        return [shown(asked) for asked in service.next(who, n)]

    def items(asked: AskedSet | None) -> dict[str, Any]:
        rows = [] if asked is None else asked.rows
        found = [service.catalogue.whole(row) for row in rows]
        return {"items": found, "reason": asked.reason if asked else ""}

    async def index(request: Request) -> Response:
        return Response(static["index.html"], media_type=TYPES["html"])

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            raise HTTPException(404)
        return Response(static[name], media_type=TYPES[name.rpartition(".")[2]])

    async def picture(request: Request) -> Response:
        row = request.path_params["row"]
        if not 0 <= row < len(service.catalogue):
            raise HTTPException(404)
        found = await run_in_threadpool(service.catalogue.picture, row)
        if found is None:
            raise HTTPException(404)
        headers = {"cache-control": "private, max-age=3600"}
        return Response(found[0], media_type=found[1], headers=headers)

    async def about(request: Request) -> Response:
        return JSONResponse(
            {
                "version": __version__,
                "data": service.catalogue.items.path.name,
                "n_rows": len(service.catalogue),
                "store": service.store.path.name,
                "question": service.question,
                "changes": service.changes,
                "annotator": annotator,
            }
        )

    async def following(request: Request) -> Response:
        who = _annotator(request)
        n = request.query_params.get("n", str(AHEAD))
        if not (n.isascii() and n.isdigit() and 1 <= int(n) <= MOST_NEXT):
            raise ServiceError(f"n is {n[:20]!r}, expected 1 to {MOST_NEXT}")
        return JSONResponse({"next": await run_in_threadpool(upcoming, who, int(n))})

    async def committed(stored: "Future[Receipt]") -> Receipt:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(stored), STORED_WITHIN)
        except TimeoutError:
            said = service.store.problem or f"{service.store.path} is slow"
            raise StoreError(said) from None

    async def following_set(request: Request) -> Response:
        found = await run_in_threadpool(service.next_set, _annotator(request))
        return JSONResponse(items(found))

    async def sort(request: Request) -> Response:
        body = await _body(request)
        who = _text(body, "annotator")
        stored = service.sort(
            who,
            body.get("piles"),
            input=body.get("input", ""),
            seconds=body.get("seconds"),
            key=body.get("key"),
        )
        if stored is not None:
            await committed(stored)
        return JSONResponse(items(await run_in_threadpool(service.next_set, who)))

    async def answer(request: Request) -> Response:
        body = await _body(request)
        who = body.get("annotator")
        stored = service.submit(
            who,
            body.get("left"),
            body.get("right"),
            kind=body.get("kind", "graded"),
            grade=body.get("grade"),
            input=body.get("input", ""),
            seconds=body.get("seconds"),
            key=body.get("key"),
        )
        receipt = await committed(stored)
        # A question is found in microseconds: no thread is worth it.
        following = upcoming(who)
        return JSONResponse(
            {"event": receipt.event, "same": receipt.same, "next": following}
        )

    async def undo(request: Request) -> Response:
        who = _text(await _body(request), "annotator")
        asked = await run_in_threadpool(service.undo, who)
        following = await run_in_threadpool(upcoming, who)
        pair = shown(asked) if isinstance(asked, Asked) else None
        piles = items(asked) if isinstance(asked, AskedSet) else None
        return JSONResponse({"pair": pair, "set": piles, "next": following})

    async def edit(request: Request) -> Response:
        body = await _body(request)
        number = body.get("event")
        if not isinstance(number, int) or not 0 < number < 2**63:
            raise ServiceError(f"event is {number!r}, expected a number")
        who = _text(body, "annotator")
        await run_in_threadpool(service.edit, who, number, body.get("grade"))
        return JSONResponse({})

    async def clusters(request: Request) -> Response:
        body = await _body(request)
        n = body.get("n")
        await run_in_threadpool(service.set_clusters, _text(body, "annotator"), n)
        return JSONResponse({})

    async def name(request: Request) -> Response:
        body = await _body(request)
        given = body.get("row"), _text(body, "name")
        await run_in_threadpool(name_cluster, service, *given)
        return JSONResponse({})

    async def about_clusters(request: Request) -> Response:
        body = await _body(request)
        given = _text(body, "annotator"), body.get("rows")
        asked = await run_in_threadpool(ask_about, service, *given)
        return JSONResponse(items(asked))

    async def again(request: Request) -> Response:
        body = await _body(request)
        who = _text(body, "annotator")
        service.ask_again(who, body.get("left"), body.get("right"))
        return JSONResponse({"next": await run_in_threadpool(upcoming, who)})

    def telling(tell: Callable[[str], Any]) -> Handler:
        async def handler(request: Request) -> Response:
            return JSONResponse(await run_in_threadpool(tell, _annotator(request)))

        return handler

    async def agreement(request: Request) -> Response:
        found = await run_in_threadpool(service.agreement, _annotator(request))
        return JSONResponse(found | {"token": token})

    async def changes(request: Request) -> Response:
        return StreamingResponse(changes_of(service), media_type="text/event-stream")

    async def export(request: Request) -> Response:
        text = await run_in_threadpool(judgement_text, service.store)
        head = {"content-disposition": 'attachment; filename="judgements.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=head)

    async def write_report(request: Request) -> Response:
        await _body(request)
        try:
            folder = await run_in_threadpool(service.model.write_report)
        except (ValueError, OSError) as error:
            raise ServiceError(str(error)) from error
        return JSONResponse({"folder": str(folder)})

    async def report(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in REPORT or service.model.report is None:
            raise HTTPException(404)
        path = service.model.report / name
        if not path.is_file():
            raise HTTPException(404)
        headers = {"content-security-policy": REPORT_POLICY}
        if name != "report.html":
            headers["content-disposition"] = f'attachment; filename="{name}"'
        data = await run_in_threadpool(path.read_bytes)
        return Response(data, media_type=REPORT[name], headers=headers)

    return [
        Route("/", index),
        Route("/static/{name}", file),
        Route("/picture/{row:int}", picture),
        Route("/report/{name}", report),
        Route("/api/about", about),
        Route("/api/next", following),
        Route("/api/set", following_set),
        Route("/api/state", telling(service.state)),
        Route("/api/history", telling(service.history)),
        Route("/api/agreement", agreement),
        Route("/api/changes", changes),
        Route("/api/export", export),
        Route("/api/answer", answer, methods=["POST"]),
        Route("/api/sort", sort, methods=["POST"]),
        Route("/api/undo", undo, methods=["POST"]),
        Route("/api/edit", edit, methods=["POST"]),
        Route("/api/clusters", clusters, methods=["POST"]),
        Route("/api/name", name, methods=["POST"]),
        Route("/api/sort-clusters", about_clusters, methods=["POST"]),
        Route("/api/again", again, methods=["POST"]),
        Route("/api/report", write_report, methods=["POST"]),
    ]


def _read_static() -> dict[str, bytes]:
    """Return the files of the page by name: nothing else is ever served."""
    folder = files("fuzzypairs.labelling") / "static"
    return {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if file.name.rpartition(".")[2] in TYPES
    }


async def changes_of(service: Service) -> AsyncIterator[str]:
    """Yield a server-sent event whenever a fit or a report is done."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        loop.call_soon_threadsafe(changed.set)

    stop = service.model.listen(tell)
    changed.set()  # a new listener wants to know where things are
    try:
        while True:
            try:
                await asyncio.wait_for(changed.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            changed.clear()
            yield f"event: change\ndata: {service.model.version}\n\n"
    finally:
        stop()


async def _body(request: Request) -> Any:
    """Return the JSON object of a request."""
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise ServiceError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise ServiceError("the request is no JSON object")
    return body


def _text(body: Mapping[str, Any], name: str) -> str:
    return check_text(name, body.get(name))


def _annotator(request: Request) -> str:
    return _text(request.query_params, "annotator")
