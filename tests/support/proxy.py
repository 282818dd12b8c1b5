"""A node that misbehaves: a proxy in front of a real one, which answers as a test wishes."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Real = Callable[[], dict[str, Any]]  # asks the real node

# Returns the whole answer: an object, or raw bytes.
Behaviour = Callable[[Request, Real], Any]


class Proxy:
    def __init__(self, url: str, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                request = json.loads(body)

                def real() -> dict[str, Any]:
                    ask = urllib.request.Request(url, body, {"content-type": "application/json"})  # noqa: S310
                    with urllib.request.urlopen(ask, timeout=30) as answer:  # noqa: S310
                        reply: dict[str, Any] = json.load(answer)
                        return reply

                try:
                    reply = proxy.behaviour(request, real)
                except (urllib.error.URLError, ConnectionError):
                    self.send_error(502)
                    return
                raw = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None:
                """Keep the test's output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def result(request: Request, value: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request["id"], "result": value}


def error(request: Request, message: str, code: int = -32005) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}
