"""A node without a chain, which answers as a test wishes."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.server import Answer, Server

Request = dict[str, Any]

# What ape asks while it connects, and a block.
HASH = "0x" + "55" * 32
BLOCK = {"number": "0x5", "hash": HASH, "parentHash": "0x" + "44" * 32, "timestamp": "0x1", "baseFeePerGas": "0x7"}
USUAL = {"web3_clientVersion": "fake/1", "eth_chainId": "0x7a69", "eth_getBlockByNumber": BLOCK}


def result(value: object) -> Answer:
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "result": value}).encode())


class FakeNode(Server):
    """`answers` gives the answer to a request; None for the usual one."""

    def __init__(self, answers: Callable[[Request], Answer | None]) -> None:
        super().__init__(lambda _method, _path, request: answers(request) or result(USUAL.get(request["method"])))
