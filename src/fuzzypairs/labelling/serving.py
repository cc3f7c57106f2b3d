"""A server for the page on this machine."""

import socket
from collections.abc import Callable

import uvicorn

from fuzzypairs.labelling.guard import Limits, Secrets, host_names
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.web import build_app

__all__ = ["serve"]

WILDCARDS = ("0.0.0.0", "::")


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
        secrets = Secrets()
        app = build_app(
            service,
            host_names(port, names),
            secrets,
            # Cookies are shared by all ports of a host.
            cookie_name=f"fuzzypairs-{port}",
            limits=limits,
            annotator=annotator,
        )
        shown = "127.0.0.1" if host in WILDCARDS else (names or [host])[0]
        address = f"http://{shown}:{port}/?token={secrets.token}"
        # No access log: it would hold the token.
        config = uvicorn.Config(
            app,
            access_log=False,
            log_level="critical",
            timeout_graceful_shutdown=1,
            http="h11",
            h11_max_incomplete_event_size=16 * 1024,
            limit_concurrency=500,
            server_header=False,
            proxy_headers=False,
        )
        _Server(config, lambda: ready(address)).run(sockets=[listener])
