"""A browser of the labelling page, as far as requests go."""

import http.client
import json
import re
from typing import Any


class Client:
    """One browser on one connection, which knows the address that was printed."""

    def __init__(self, address: str) -> None:
        found = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/\?token=\S+)", address)
        assert found, f"the page printed {address!r}"
        self.connection = http.client.HTTPConnection(found[1], timeout=600)
        self._headers = {"origin": f"http://{found[1]}"}
        self.connection.request("GET", found[2], headers=self._headers)
        reply = self.connection.getresponse()
        reply.read()
        self._headers["cookie"] = str(reply.getheader("set-cookie")).partition(";")[0]

    def open(self, path: str) -> http.client.HTTPResponse:
        """Ask for a path, and return the reply before it is read."""
        self.connection.request("GET", path, headers=self._headers)
        return self.connection.getresponse()

    def get(self, path: str) -> bytes:
        return self._read(self.open(path))

    def post(self, path: str, **body: Any) -> Any:
        headers = self._headers | {"content-type": "application/json"}
        self.connection.request("POST", path, json.dumps(body), headers)
        return json.loads(self._read(self.connection.getresponse()))

    def close(self) -> None:
        self.connection.close()

    @staticmethod
    def _read(reply: http.client.HTTPResponse) -> bytes:
        text = reply.read()
        assert reply.status == 200, text
        return text
