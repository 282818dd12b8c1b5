"""Every failure names its facts, and lets nothing from outside reach the terminal as it came."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest

from tests.support.fake_chain import FakeChain
from tictactoe.errors import RpcError, TicTacToeError

HOSTILE, CLEAN = "\x1b[2Jfrom\x1b]0;title\x07\nout\u202eside {message}", "from outside {message}"
FACTS = {
    "str": HOSTILE,
    "object": HOSTILE,
    "Exception": ValueError(HOSTILE),
    "OSError": OSError(28, HOSTILE),
    "NodeError": RpcError(HOSTILE),
    "Node": FakeChain().node(name=HOSTILE),
    "int": 7,
    "int | None": 7,
    "float": 7.0,
}


def kinds(base: type[TicTacToeError] = TicTacToeError) -> Iterator[type[TicTacToeError]]:
    """Those that have a sentence."""
    for kind in base.__subclasses__():
        if kind.sentence:
            yield kind
        yield from kinds(kind)


@pytest.mark.parametrize("kind", kinds())
def test_facts__are_shown_without_control_codes(kind: type[Any]) -> None:
    facts = [FACTS[str(field.type)] for field in fields(kind)]
    message = kind(*facts).message
    assert message.isprintable()
    assert (CLEAN in message) == any(not isinstance(fact, int | float) for fact in facts)
