"""A server for the page on this machine."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from fuzzypairs.labelling.guard import Limits, Secrets, host_names
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.web import build_app

__all__ = ["serve"]

WILDCARDS = ("0.0.0.0", "::")
# Connections of one address that have not shown the cookie, and for how long.
MOST_UNKNOWN, UNKNOWN_SECONDS = 20, 10.0
# An address and a port.
Client = tuple[str, int]


class Unknown:
    """Connections that have not shown the cookie: few of one address, not for long.

    The oldest is closed for a new one, so that idle ones lock nobody out.
    """

    def __init__(self) -> None:
        self._open: dict[Client, tuple[asyncio.BaseTransport, asyncio.TimerHandle]] = {}

    def add(self, client: Client, transport: asyncio.Transport) -> None:
        """Take a new connection."""
        same = [other for other in self._open if other[0] == client[0]]
        for other in same[: len(same) + 1 - MOST_UNKNOWN]:
            self._close(other)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(UNKNOWN_SECONDS, self._close, client)
        self._open[client] = transport, timer

    def remove(self, client: Client) -> asyncio.BaseTransport | None:
        """Forget a connection that showed the cookie or is closed."""
        transport, timer = self._open.pop(client, (None, None))
        if timer is not None:
            timer.cancel()
        return transport

    def _close(self, client: Client) -> None:
        transport = self.remove(client)
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def protocol_of(unknown: Unknown) -> type[H11Protocol]:
    """Return the protocol of connections that are unknown at first."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                unknown.add(self.client, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client is not None:
                unknown.remove(self.client)
            super().connection_lost(exc)

    return Protocol


class _Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(
    service: Service,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    annotator: str = "",
    ready: Callable[[str], None],
    limits: Limits | None = None,
) -> None:
    """Answer requests until the process is interrupted.

    Parameters
    ----------
    service : Service
    host : str, default="127.0.0.1"
        The address to listen on.
    port : int, default=0
        0 for any free one.
    annotator : str, default=""
        The name that the page proposes.
    ready : callable
        Takes the address of the page, with its token, as soon as it answers.
    limits : Limits, default=None
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small replies at once (TCP_NODELAY);
    # otherwise each waits 40 ms for the acknowledgement of its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise OSError(f"--host {host} --port {port}: {error.strerror}") from None
        port = listener.getsockname()[1]
        names = [] if host in WILDCARDS else [f"[{host}]" if ":" in host else host]
        if host in WILDCARDS:
            names = [socket.gethostname(), socket.getfqdn()]
        secrets, unknown = Secrets(), Unknown()
        app = build_app(
            service,
            host_names(port, names),
            secrets,
            # Cookies are shared by all ports of a host.
            cookie_name=f"fuzzypairs-{port}",
            limits=limits,
            annotator=annotator,
            known=unknown.remove,
        )
        shown = "127.0.0.1" if host in WILDCARDS else (names or [host])[0]
        address = f"http://{shown}:{port}/?token={secrets.token}"
        # No access log: it would hold the token.
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="critical",
            timeout_graceful_shutdown=1,
            http=protocol_of(unknown),
            h11_max_incomplete_event_size=16 * 1024,
            limit_concurrency=500,
            server_header=False,
            proxy_headers=False,
        )
        _Server(config, lambda: ready(address)).run(sockets=[listener])
