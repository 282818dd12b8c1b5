"""A node without a chain: an HTTP server that answers as a test wishes, down to single bytes."""

import gzip
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]

# What ape asks while it connects, and a block.
HASH = "0x" + "55" * 32
BLOCK = {"number": "0x5", "hash": HASH, "parentHash": "0x" + "44" * 32, "timestamp": "0x1", "baseFeePerGas": "0x7"}
USUAL = {"web3_clientVersion": "fake/1", "eth_chainId": "0x7a69", "eth_getBlockByNumber": BLOCK}


@dataclass
class Answer:
    """An HTTP answer. The pieces of the body, and of the headers if `slow`, are sent one after another."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces_of_headers: Iterable[bytes] = ()


def result(value: object) -> Answer:
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "result": value}).encode())


def error(message: str) -> Answer:
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": message}}).encode())


def zipped(size: int) -> Answer:
    """So many bytes, a thousandth as many on the way."""
    return Answer(gzip.compress(bytes(size)), headers={"content-encoding": "gzip"})


class FakeNode:
    """`answers` gives the answer to a request; None for the usual one."""

    def __init__(self, answers: Callable[[Request], Answer | None]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                answer = answers(request) or result(USUAL.get(request["method"]))
                try:
                    self._send(answer)
                except OSError:
                    self.close_connection = True  # the other side has had enough

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

    def __enter__(self) -> "FakeNode":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
