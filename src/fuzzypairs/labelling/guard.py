"""Who may ask the page for what: hosts, a launch token, a cookie, origins, limits."""

import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "Limits", "Secrets", "host_names"]

SAFE = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
LOCAL = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Limits:
    """What one browser may send.

    Attributes
    ----------
    body : int
        Bytes of a request.
    address : int
        Bytes of a path with its query.
    rate : float
        Writing requests a second, on average.
    burst : int
        Writing requests at once.
    """

    body: int = 16 * 1024
    address: int = 4096
    rate: float = 100.0
    burst: int = 300


@dataclass(frozen=True)
class Secrets:
    """What a browser must know; new at each start.

    Attributes
    ----------
    token : str
        256 bits in the first address.
    cookie : str
        256 bits that the browser gets in exchange.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))


def host_names(port: int, others: Iterable[str] = ()) -> frozenset[str]:
    """Return the values of the header Host that are answered.

    Parameters
    ----------
    port : int
    others : iterable of str, default=()
        Names or addresses beside those of this machine itself.
    """
    names = [*LOCAL, *others]
    return frozenset(f"{name.lower()}:{port}" for name in names)


class Guard:
    """Let a request pass to the application, or answer it with an error.

    The checks come in this order: Host, so that a page of another name that resolves
    to this machine gets nothing; the size; the token or the cookie; where the request
    comes from, and the type of what it sends; the rate.

    Parameters
    ----------
    app : ASGI application
    hosts : frozenset of str
        See `host_names`.
    secrets : Secrets
    cookie_name : str
    limits : Limits
    clock : callable
        Seconds, for the rate.
    known : callable
        Takes the address and the port of a browser that may pass.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str],
        secrets: Secrets,
        cookie_name: str,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        known: Callable[[Any], object] = lambda client: None,
    ) -> None:
        self.app, self.hosts, self.secrets = app, hosts, secrets
        self.cookie_name, self.limits, self.clock = cookie_name, limits, clock
        self.known = known
        self._left, self._at = float(limits.burst), clock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # web sockets are closed without an answer

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        self.known(scope.get("client"))
        try:
            await self.app(scope, self._counted(receive), guarded)
        except _TooLargeError:
            await PlainTextResponse("too large", 413)(scope, receive, guarded)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that must not pass, None to one that may."""
        headers = Headers(scope=scope)
        if [h.lower() for h in headers.getlist("host")] not in [
            [h] for h in self.hosts
        ]:
            return PlainTextResponse("this host is not served here", 403)
        query = scope["query_string"]
        if len(scope["raw_path"] or b"") + len(query) > self.limits.address:
            return PlainTextResponse("the address is too long", 414)
        if scope["path"] == "/" and scope["method"] == "GET" and b"token=" in query:
            return self._exchange(query)
        if not self._is_known(headers):
            return PlainTextResponse(
                "Open the address that `fuzzypairs label` printed: it holds the key to "
                "this page, and is new at each start.",
                403,
            )
        site = headers.get("sec-fetch-site", "same-origin")
        if scope["method"] in SAFE:
            foreign = site not in ("same-origin", "none")
            return PlainTextResponse("from another site", 403) if foreign else None
        return self._refuse_write(headers, site)

    def _exchange(self, query: bytes) -> Response:
        """Turn the launch token into a cookie, and take it from the address."""
        given = parse_qs(query.decode("latin-1")).get("token", [""])
        if len(given) != 1 or not _same(given[0], self.secrets.token):
            return PlainTextResponse("this address is of an earlier start", 403)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            self.cookie_name, self.secrets.cookie, httponly=True, samesite="strict"
        )
        return response

    def _is_known(self, headers: Headers) -> bool:
        pieces = ";".join(headers.getlist("cookie")).split(";")
        found = [
            value.strip()
            for name, equals, value in (piece.partition("=") for piece in pieces)
            if equals and name.strip() == self.cookie_name
        ]
        return len(found) == 1 and _same(found[0], self.secrets.cookie)

    def _refuse_write(self, headers: Headers, site: str) -> Response | None:
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if origins != [f"http://{headers['host'].lower()}"] or site != "same-origin":
            return PlainTextResponse("from another site", 403)
        if headers.getlist("content-type") != ["application/json"]:
            return PlainTextResponse("expected application/json", 415)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return PlainTextResponse("content-length is no number", 400)
        if int(length) > self.limits.body:
            return PlainTextResponse("too large", 413)
        now = self.clock()
        refill = (now - self._at) * self.limits.rate
        self._left, self._at = min(self._left + refill, self.limits.burst), now
        if self._left < 1:
            return PlainTextResponse("too many requests", 429)
        self._left -= 1
        return None

    def _counted(self, receive: Receive) -> Receive:
        """Stop a body that grows beyond the limit, whatever its head said."""
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self.limits.body:
                raise _TooLargeError
            return message

        return counted


class _TooLargeError(Exception):
    """A body beyond the limit."""


def _same(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on the text."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
