"""A server with the chat-completions interface that answers as a test says."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(content, **more):
    """Return the JSON of a reply, as bytes."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    choice["finish_reason"] = "stop"
    return json.dumps({"choices": [choice], **more}).encode()


def http(body, status="200 OK", *headers):
    """Return a whole HTTP reply, as bytes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def endless(chunk=b"x" * 1000, pause=0.0):
    """Yield a reply that never ends."""
    yield b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    while True:
        yield chunk
        time.sleep(pause)


class Server(ThreadingHTTPServer):
    """Leaves behind those who still wait for a reply when it ends."""

    daemon_threads, block_on_close, request_queue_size = True, False, 128


@contextmanager
def serving(reply):
    """Yield the address of a server, and the requests that it was sent.

    `reply` takes the number of a request and its JSON, and returns bytes or an iterable
    of bytes, which are sent as they are.
    """
    requests, lock = [], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            data = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                number = len(requests)
                requests.append((self.path, dict(self.headers), json.loads(data)))
            parts = reply(number, requests[number][2])
            try:
                for part in [parts] if isinstance(parts, bytes) else parts:
                    self.wfile.write(part)
                    self.wfile.flush()
            except OSError:
                pass  # the other side has had enough
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
