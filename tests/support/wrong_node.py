"""A node in front of a real one, whose answers to some methods are wrong."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.anvil import Anvil, post
from tests.support.server import Answer, Server

# Part of the node's URL. Nobody but the node may see any part of it.
KEY = "s3cr3tKEY/of-this+account"


def unsafe(printed: str) -> set[str]:
    """What must not be printed where no terminal is: control codes, parts of the key, tracebacks."""
    codes = {c for c in printed if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")}
    return codes | {part for part in (*KEY.split("/"), "Traceback") if part in printed}


class Changed(dict[str, object]):
    """The true answer, with these fields."""


@dataclass(frozen=True)
class Instead:
    """The node does as it is asked, but it answers this."""

    answer: Answer


# By method, or by "*" for all: a result, an HTTP answer, one of the two above, or a function of the parameters that
# returns one of these, or "true".
Wrong = Mapping[str, object]


class WrongNode(Server):
    """It notes what it was asked, and the hashes of the transactions that it sent."""

    def __init__(self, real: Anvil, wrong: Wrong | None = None) -> None:
        self.real = real
        self.wrong: Wrong = wrong or {}
        # What happens to the chain after the first true answer to a method.
        self.after: dict[str, Callable[[Any], object]] = {}
        self.asked: list[str] = []
        self.sent: list[str] = []
        super().__init__(lambda _method, _path, request: self._answer(request))
        self.url += f"/v3/{KEY}"

    def _answer(self, request: dict[str, Any]) -> Answer:
        method = request["method"]
        self.asked.append(method)
        wrong = self.wrong.get(method, self.wrong.get("*", "true"))
        wrong = wrong(request["params"]) if callable(wrong) else wrong
        if isinstance(wrong, Answer):
            return wrong
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": wrong}
        if wrong == "true" or isinstance(wrong, Changed | Instead):
            answer = self._true_answer(request)
        if isinstance(wrong, Instead):
            return wrong.answer
        if isinstance(wrong, Changed) and answer["result"]:
            answer["result"] |= wrong
        return Answer(json.dumps(answer).encode())

    def _true_answer(self, request: dict[str, Any]) -> dict[str, Any]:
        method = request["method"]
        answer: dict[str, Any] = post(self.real.url, request)
        if result := answer.get("result"):
            if method == "eth_sendRawTransaction":
                self.sent.append(result)
            if action := self.after.pop(method, None):
                action(result)
        return answer
