"""A server with Sourcify's API v2: it compiles what it receives and compares the result with a node's code."""

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from vyper.cli.vyper_json import compile_json

from tests.support.anvil import Anvil
from tests.support.server import Answer, Server

VERSION = "0.4.3+commit.bff19ea2"


class RefusedError(Exception):
    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        self.status = status
        self.answer = {"customCode": code, "message": message, "errorId": "7"}


class Sourcify(Server):
    """Knows at most one chain. `behaviour` may give another answer to a request, by its method."""

    def __init__(self, anvil: Anvil | None, behaviour: Callable[[str], Answer | None] = lambda _method: None) -> None:
        self.rpc: Callable[..., Any] = anvil.rpc if anvil else lambda *_: None
        self.verified: dict[str, str] = {}  # the transaction that created it, by address
        self.jobs: list[dict[str, Any]] = []
        super().__init__(lambda method, path, question: behaviour(method) or self._usual(method, path, question))

    def _usual(self, method: str, path: str, question: Any) -> Answer:
        try:
            status, content = self.start(path, question) if method == "POST" else self.look(path)
        except RefusedError as refused:
            status, content = refused.status, refused.answer
        return Answer(json.dumps(content).encode(), status)

    def start(self, path: str, question: dict[str, Any]) -> tuple[HTTPStatus, Any]:
        found = re.fullmatch(r"/v2/verify/(\d+)/(0x[0-9a-fA-F]{40})", path)
        assert found, path
        if hex(int(found[1])) != self.rpc("eth_chainId"):
            raise RefusedError(
                HTTPStatus.BAD_REQUEST, "unsupported_chain", f"The chain with chainId {found[1]} is not here"
            )
        if question["compilerVersion"] != VERSION:
            raise RefusedError(
                HTTPStatus.BAD_REQUEST, "invalid_parameter", f"No compiler {question['compilerVersion']}"
            )
        if found[2] in self.verified:
            raise RefusedError(HTTPStatus.CONFLICT, "already_verified", "The contract is already verified")
        self.jobs.append(self._job(found[2], question))
        return HTTPStatus.ACCEPTED, {"verificationId": f"job-{len(self.jobs)}"}

    def _job(self, address: str, question: dict[str, Any]) -> dict[str, Any]:
        """What the job will find."""
        path, _, name = question["contractIdentifier"].partition(":")
        build = compile_json(question["stdJsonInput"])["contracts"][path][name]["evm"]
        same = build["deployedBytecode"]["object"] == self.rpc("eth_getCode", address, "latest")
        if same:
            self.verified[address] = question.get("creationTransactionHash", "")
            return {"contract": {"match": "match", "runtimeMatch": "match", "creationMatch": None}}
        error = {
            "customCode": "no_match",
            "message": "The onchain and recompiled bytecodes don't match.",
            "errorId": "7",
        }
        return {"contract": {"match": None, "runtimeMatch": None, "creationMatch": None}, "error": error}

    def look(self, path: str) -> tuple[HTTPStatus, Any]:
        """A job is done at the second look."""
        found = re.fullmatch(r"/v2/verify/job-(\d+)", path)
        assert found, path
        job = self.jobs[int(found[1]) - 1]
        if not job.setdefault("looked", False):
            job["looked"] = True
            return HTTPStatus.OK, {"isJobCompleted": False, "contract": {"match": None}}
        return HTTPStatus.OK, {"isJobCompleted": True} | job
