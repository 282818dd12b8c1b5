"""An HTTP server that answers as a test wishes, down to single bytes."""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass
class Answer:
    """An HTTP answer. The pieces of the headers and of the body are sent one after another."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces_of_headers: Iterable[bytes] = ()


class Server:
    """Listens on a free port. `answer` gets a request's method, path and JSON, and returns what is sent back."""

    def __init__(self, answer: Callable[[str, str, Any], Answer]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                size = int(self.headers.get("content-length", 0))
                content = json.loads(self.rfile.read(size)) if size else None
                try:
                    self._send(answer(self.command, self.path, content))
                except OSError:
                    self.close_connection = True  # the client has closed it

            def do_POST(self) -> None:
                self.do_GET()

            def _send(self, answer: Answer) -> None:
                for piece in answer.pieces_of_headers:
                    self.wfile.write(piece)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if isinstance(answer.body, bytes):
                    self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                for piece in [answer.body] if isinstance(answer.body, bytes) else answer.body:
                    self.wfile.write(piece)

            def log_message(self, *_: Any) -> None:
                """Keep the test's output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
