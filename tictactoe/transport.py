"""
HTTP to a node, with limits.

web3.py reads an answer of any length, waits as long as a byte comes now and then, retries by itself, and quotes the
URL, which often holds a key, in its errors. Deeply nested JSON even ends the process: libraries of ape's raise Python's
recursion limit to 100,000, so the C parser runs out of stack. Importing this module loads web3 and requests.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import ape_ethereum.provider
import requests
import urllib3.exceptions
from web3 import HTTPProvider

from tictactoe import errors
from tictactoe.formatting import possible_keys

if TYPE_CHECKING:
    from ape_ethereum.provider import Web3Provider
    from web3.types import RPCEndpoint, RPCResponse

# For a whole answer, from resolving the name to the last byte.
SECONDS = 20.0
# Of an answer after decompression.
MAX_ANSWER_BYTES = 10_000_000
# Arrays and objects within one another. An answer about a block, a receipt or logs has four levels.
DEEPEST = 50

# Matches strings, so that brackets inside them do not count, and runs of brackets. The quantifiers are possessive, so
# that even a hostile answer is read only once.
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]++|[\]}]++', re.DOTALL)


class Transport(HTTPProvider):
    """web3's HTTP provider, but with limits for each answer. Its failures are those of `errors`."""

    def __init__(self, endpoint_uri: str | None = None, request_kwargs: Any = None, **kwargs: Any) -> None:
        super().__init__(endpoint_uri, request_kwargs, **kwargs)
        self._session = requests.Session()
        self._keys = possible_keys(str(self.endpoint_uri))

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        body = self._post(self.encode_rpc_request(method, params))
        check_depth(body)
        try:
            answer = self.decode_rpc_response(body)
            _check(method, answer)
        except ValueError as err:
            raise errors.MalformedAnswer("something that is not JSON-RPC") from err
        if "error" in answer:
            answer["error"] = json.loads(self._without_keys(json.dumps(answer["error"])))
        return answer

    def _post(self, question: bytes) -> bytes:
        try:
            headers = self.get_request_kwargs()["headers"]
            uri = str(self.endpoint_uri)
            return exchange(self._session, "POST", uri, _check_status, data=question, headers=headers)[1]
        except TimeoutError:
            raise errors.NodeTooSlow(SECONDS) from None
        except urllib3.exceptions.DecodeError:
            raise errors.MalformedAnswer("something that cannot be decompressed") from None
        except (OSError, urllib3.exceptions.HTTPError):
            # Their text quotes the URL or its path.
            raise errors.NodeUnreachable() from None

    def _without_keys(self, text: str) -> str:
        for key in self._keys:
            text = text.replace(key, "[hidden]")
        return text


def exchange(
    session: requests.Session, method: str, url: str, check: Callable[[int], None] | None = None, **request: Any
) -> tuple[int, bytes]:
    """
    Send a request, and return the status and the body of the answer. `check` may refuse the status before the body.

    It runs in a thread. Nothing else limits the time for the name, the connection, the headers and the body together.
    """
    answer: Future[tuple[int, bytes]] = Future()
    deadline = time.monotonic() + SECONDS

    def work() -> None:
        try:
            # No redirects: another address is not the one that was chosen.
            with session.request(
                method, url, timeout=SECONDS, stream=True, allow_redirects=False, **request
            ) as response:
                if check is not None:
                    check(response.status_code)
                answer.set_result((response.status_code, _read(response, deadline)))
        except BaseException as err:  # noqa: BLE001 - raised again below
            answer.set_exception(err)

    threading.Thread(target=work, daemon=True).start()
    try:
        return answer.result(SECONDS)
    except (requests.Timeout, urllib3.exceptions.TimeoutError) as err:
        raise TimeoutError from err


def _read(response: requests.Response, deadline: float) -> bytes:
    body = bytearray()
    while chunk := response.raw.read1(65536, decode_content=True):
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise errors.AnswerTooLarge(f"longer than {MAX_ANSWER_BYTES // 10**6} MB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(body)


def install() -> None:
    """
    Let ape make all connections to come with a `Transport`, so that connecting has limits too.

    For programs of our own, where no other part uses ape. ape has no setting for this: its provider makes
    `HTTPProvider(endpoint_uri, request_kwargs)` itself, from this name.
    """
    vars(ape_ethereum.provider)["HTTPProvider"] = Transport


def guard(provider: Web3Provider) -> None:
    """Put a `Transport` under a connection that ape has made without one."""
    web3 = provider.web3
    # ape gives web3 an AutoProvider, and that has no public name for the provider it has found.
    found = getattr(web3.provider, "_active_provider", None) or web3.provider
    if isinstance(found, HTTPProvider) and not isinstance(found, Transport):
        web3.provider = Transport(found.endpoint_uri, found.get_request_kwargs())


def check_depth(body: bytes) -> None:
    """Raise if arrays and objects are nested too deeply. Call it before the JSON is parsed."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return
    depth = 0
    for token in _TOKENS.finditer(body):
        first, length = body[token.start()], token.end() - token.start()
        if first in b"[{":
            depth += length
            if depth > DEEPEST:
                raise errors.AnswerTooLarge(f"nested more than {DEEPEST} levels deep")
        elif first in b"]}":
            depth -= length


def _check_status(status: int) -> None:
    if status == 200:
        return
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "an unknown status"
    raise (errors.NodeServerFailed if status >= 500 else errors.HttpRefused)(status, phrase)


def _check(method: str, answer: Any) -> None:
    """What web3 and ape take for granted."""
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
        raise ValueError("not JSON-RPC")
    result = answer.get("result")
    if method == "web3_clientVersion" and "error" not in answer and not isinstance(result, str):
        raise errors.MalformedAnswer("something that is not the name of its client")
    # Every other method that returns bare hexadecimal returns a number or a hash.
    long = isinstance(result, str) and result.startswith("0x") and len(result) > 66
    if long and method not in ("eth_getCode", "eth_call"):
        raise errors.MalformedAnswer("a number of more than 256 bits")
