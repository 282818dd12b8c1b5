"""A node that misbehaves: a proxy in front of a real one, which answers as a test wishes."""

import json
import urllib.error
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.support.anvil import post
from tests.support.server import Answer, Server

Request = dict[str, Any]
Real = Callable[[], dict[str, Any]]  # asks the real node

# Returns the whole answer: an object, or raw bytes.
Behaviour = Callable[[Request, Real], Any]


class Proxy(Server):
    def __init__(self, url: str, behaviour: Behaviour) -> None:
        def answer(_method: str, _path: str, request: Request) -> Answer:
            try:
                reply = behaviour(request, partial(post, url, request))
            except (urllib.error.URLError, ConnectionError):
                return Answer(status=502)
            body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            return Answer(body, headers={"content-type": "application/json"})

        super().__init__(answer)
