"""A node whose answers to some questions are wrong: in front of a real one, or of none."""

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Part of the node's URL. Nobody but the node may see any part of it.
KEY = "s3cr3tKEY/of-this+account"

# Without a real node: what Ape asks while it connects, and a block.
BLOCK = {"number": "0x5", "hash": "0x" + "55" * 32, "parentHash": "0x" + "44" * 32, "timestamp": "0x1"}
USUAL = {
    "web3_clientVersion": "wrong/1",
    "eth_chainId": "0x7a69",
    "eth_getBlockByNumber": BLOCK | {"baseFeePerGas": "0x7"},
}


@dataclass
class Answer:
    """An HTTP answer. The body may be pieces, which are sent one after another."""

    body: bytes | object = b""
    status: int = 200
    headers: dict = field(default_factory=dict)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        answer = self.server.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        with suppress(OSError):  # the client has closed it
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in [answer.body] if isinstance(answer.body, bytes) else answer.body:
                self.wfile.write(piece)

    def log_message(self, *_):
        """Keep the test's output clean."""


class WrongNode(ThreadingHTTPServer):
    """
    `wrong` has a result or an HTTP answer for a method, or for "*", which is every other one; or a function that
    returns one of these, of the parameters and of a function that asks the real node for the true result. `after` has
    what happens after the first true answer to a method. It notes what it was asked, and what it has sent.
    """

    def __init__(self, real=None, wrong=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.real, self.wrong, self.after = real, dict(wrong), {}
        self.asked, self.sent = [], []
        self.url = f"http://127.0.0.1:{self.server_port}/v3/{KEY}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, request):
        method, reply = request["method"], {"jsonrpc": "2.0", "id": request["id"]}
        self.asked.append(method)

        def ask():
            if self.real is None:
                return USUAL.get(method)
            reply.update(self.real.post(request))
            result = reply.get("result")
            if result and method == "eth_sendRawTransaction":
                self.sent.append(result)
            if result and method in self.after:
                self.after.pop(method)(result)
            return result

        wrong = self.wrong.get(method, self.wrong.get("*", lambda _params, ask: ask()))
        try:
            result = wrong(request["params"], ask) if callable(wrong) else wrong
        except OSError:
            return Answer(status=502)  # the real one is away
        if isinstance(result, Answer):
            return result
        return Answer(json.dumps(reply if "error" in reply else reply | {"result": result}).encode())

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
