"""
The table of failures, row by row: the exit code, the sentence, and that nothing was signed. The commands are programs
here: the tests know what is typed, what is on the chain and what is printed, and nothing of what they are made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from string import Template

import pytest

from tests.rules.games import WON_BY_X
from tests.support.anvil import Anvil, free_port
from tests.support.commands import Command, Done, ape_run, keys_for
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import KEY, WrongNode, unsafe
from tests.terminal.failures import NO_ANSWER, ROWS, SLOW, Row


class World:
    """A chain with a table in each state, and what stands for what in the rows."""

    def __init__(self, anvil: Anvil, creation_code: bytes) -> None:
        def table(keys: str | None = None, x: Role = Role.PLAYER_X, o: Role = Role.PLAYER_O) -> str:
            # It deploys nothing with ape, which would remember the address from another test.
            local = LocalTable(anvil, creation_code, Role.STRANGER)
            if keys is not None:
                local.x, local.o = x.address, o.address
                local.new_game()
                local.play(keys)
            return str(local.address)

        self.anvil = anvil
        self.node = WrongNode(anvil)
        self.words = {
            "another": anvil.create(Role.STRANGER.address, bytes.fromhex("60018060093d393df300")),
            "new": table(),
            "table": table("5"),
            "over": table(keys_for(WON_BY_X)),
            "others": table("", Role.STRANGER, Role.OTHER),
            "nothing": "0x" + "12" * 20,
            "key": KEY,
            "node": self.node.url,
            "dead": f"http://127.0.0.1:{free_port()}/v3/{KEY}",
            "payer": Role.DEPLOYER.address,
            "x": Role.PLAYER_X.address,
            "o": Role.PLAYER_O.address,
        }

    def typed(self, row: Row, node: WrongNode | None = None) -> list[str]:
        words = self.words | ({"node": node.url} if node else {})
        return Template(row.typed).substitute(words).split()

    def filled(self, text: str) -> str:
        return Template(text).substitute(self.words)


@pytest.fixture(scope="module")
def world(keyfiles: None, creation_code: bytes) -> Iterator[World]:  # noqa: ARG001
    with Anvil() as anvil:
        world = World(anvil, creation_code)
        with world.node:
            yield world


Slow = list[tuple[Row, WrongNode, Command]]


@pytest.fixture(scope="module", autouse=True)
def slow(world: World) -> Iterator[Slow]:
    """Those of 20 seconds are started before all others."""
    started: Slow = []
    with ExitStack() as stack:
        for row in SLOW:
            node = stack.enter_context(WrongNode(world.anvil, row.node))
            started.append((row, node, stack.enter_context(Command(*world.typed(row, node), keys=""))))
        yield started


def check(world: World, code: int, row: Row, node: WrongNode, done: Done) -> None:
    printed = done.out + done.err
    assert done.code == code, done
    assert unsafe(printed) == set(), done
    for part in row.says:
        assert (printed.count(world.filled(part)), world.filled(part) in done.out) == (1, code == 0), done
    assert not any(part in done.err for part in row.unsaid), done
    assert code == 0 or "--json" not in row.typed or done.out == ""
    assert "eth_sendRawTransaction" not in node.asked


ALL = [(code, row) for code, rows in ROWS.items() for row in rows]


@pytest.mark.parametrize(("code", "row"), ALL, ids=[f"{code} {row.typed} {row.says[0]}" for code, row in ALL])
def test_failure__is_a_sentence_and_nothing_is_signed(world: World, code: int, row: Row) -> None:
    world.node.wrong = row.node
    world.node.asked.clear()
    height = world.anvil.height
    check(world, code, row, world.node, ape_run(*world.typed(row), keys=row.keys, env=row.env, hurry=row.hurry))
    assert world.anvil.height == height


@pytest.mark.parametrize("row", NO_ANSWER, ids=[f"{row.typed} {row.says[0]}" for row in NO_ANSWER])
def test_node_that_does_not_answer__does_not_show_the_key_in_debug_mode(world: World, row: Row) -> None:
    world.node.wrong = row.node
    done = ape_run(*world.typed(row), "-v", "DEBUG", hurry=row.hurry)
    assert (done.code, unsafe(done.out + done.err)) == (3, set()), done


def test_answer_without_an_end__is_given_up(world: World, slow: Slow) -> None:
    for row, node, command in slow:
        check(world, 3, row, node, command.end())
