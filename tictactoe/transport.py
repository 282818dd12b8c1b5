"""
HTTP to a node, with limits for each answer.

web3's own transport reads an answer of any length, waits as long as a byte comes now and then, and quotes the URL,
which often holds a key, in its errors. Importing this module loads web3 and requests.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from http.client import responses
from typing import TYPE_CHECKING, Any

import ape_ethereum.provider
import requests
import urllib3.exceptions
from pydantic_core import from_json
from web3 import HTTPProvider

from tictactoe.errors import TRY_AGAIN, NodeError, NodeRefused, NodeUnreachable
from tictactoe.formatting import possible_keys
from tictactoe.node import TICK, Node

if TYPE_CHECKING:
    from ape_ethereum.provider import Web3Provider
    from web3.types import RPCEndpoint, RPCResponse

SECONDS = 20.0  # from the question to the end of the answer's body; each read of its headers may take as long
MAX_BYTES = 10_000_000


class Transport(HTTPProvider):
    """web3's HTTP provider, with limits. Its errors are ours, and do not have the URL."""

    session = requests.Session()  # keeps connections open

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        question = self.encode_rpc_request(method, params)
        body = self._post(question) if Node.idle is None else _in_background(partial(self._post, question), Node.idle)
        try:
            # Not with Python's parser: libraries of Ape's raise its limit of nesting to 100,000 when they are imported,
            # early or late. A deeply nested answer then overflows its stack, and the process ends with SIGSEGV.
            answer: RPCResponse = from_json(body)
            if "error" in answer:
                words = json.dumps(answer["error"])
                for key in possible_keys(str(self.endpoint_uri)):
                    words = words.replace(key, "[hidden]")
                answer["error"] = json.loads(words)
            elif "result" not in answer:
                raise ValueError("neither a result nor an error")
        except (ValueError, TypeError) as err:
            raise NodeError("The node returned something that is not JSON-RPC.") from err
        return answer

    def _post(self, question: bytes) -> bytes:
        deadline, body = time.monotonic() + SECONDS, bytearray()
        url, headers = str(self.endpoint_uri), self.get_request_kwargs()["headers"]
        try:
            # No redirects: another address is not the one that was chosen.
            with self.session.post(
                url, question, headers=headers, timeout=SECONDS, stream=True, allow_redirects=False
            ) as response:
                _check_status(response.status_code)
                while chunk := response.raw.read1(65536, decode_content=True):
                    body += chunk
                    if len(body) > MAX_BYTES:
                        problem = f"The node's answer is longer than {MAX_BYTES // 10**6} MB, so it was not read."
                        raise NodeError(problem, too_much=True)
                    if time.monotonic() > deadline:
                        raise requests.Timeout
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            raise NodeUnreachable(f"The node did not complete its answer within {SECONDS:.0f} s.") from None
        except urllib3.exceptions.DecodeError:
            raise NodeError("The node returned something that cannot be decompressed.") from None
        except (OSError, urllib3.exceptions.HTTPError):
            # Their text quotes the URL.
            raise NodeUnreachable() from None
        return bytes(body)


def _in_background(ask: Callable[[], bytes], idle: Callable[[float], object]) -> bytes:
    """In another thread, so that this one can draw and read keys meanwhile."""
    answer: Future[bytes] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - `result` raises it
            answer.set_exception(error)

    idle(0.0)  # a fast node may have many answers, and this may be the last moment before something is sent
    start = time.monotonic()
    threading.Thread(target=run, daemon=True).start()
    while not wait([answer], TICK).done:
        idle(time.monotonic() - start)
    return answer.result()


def _check_status(status: int) -> None:
    named = f"{status} {responses.get(status, 'an unknown status')}"
    if status >= 500:
        raise NodeUnreachable(f"The node's web server failed: {named}.")
    if status != 200:
        advice = TRY_AGAIN if status == 429 else "Check the address and the key in --network, or use another node."
        raise NodeRefused(f"The node's web server refused the request: {named}.", advice, too_much=status in (400, 413))


def install() -> None:
    """
    Let Ape make its connections with a `Transport`, so that even connecting has limits.

    For programs of our own, where nothing else uses Ape. Ape has no setting for it: its provider makes web3's
    `HTTPProvider` from this name.
    """
    vars(ape_ethereum.provider)["HTTPProvider"] = Transport


def guard(provider: Web3Provider) -> None:
    """Put a `Transport` under a connection that Ape has made without one."""
    # Ape gives web3 an AutoProvider, which has no public name for the provider that it has found.
    found = getattr(provider.web3.provider, "_active_provider", None) or provider.web3.provider
    if isinstance(found, HTTPProvider) and not isinstance(found, Transport):
        provider.web3.provider = Transport(found.endpoint_uri, found.get_request_kwargs())
