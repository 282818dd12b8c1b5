"""
The table of failures, row by row: the exit code, the sentence, and that nothing was signed. The commands are programs
here: the tests know what is typed, what is on the chain and what is printed, and nothing of what they are made of.
"""

import re
from contextlib import ExitStack
from pathlib import Path
from string import Template
from typing import NamedTuple

import pytest

from tests.rules.games import WON_BY_X
from tests.support.commands import Command, ape_run, keys_for
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import KEY, WrongNode, unsafe
from tests.terminal.lies import dripping, lie, silent
from tests.terminal.world import O, X, new_chain

WORDS = {
    "at": "--network $node --table $table",
    "as_x": "--account TEST::1",
    "as_o": "--account TEST::2",
    "moves": "play $at $as_o --move 1 --json",
    "starts": "play --network $node --table $new $as_x --against $o",  # it pays for a new game at once
    "deploys": "deploy --network $node --account TEST::0",
    "unasked": "$deploys --yes --expected-chain-id 31337",
    "on_sepolia": "deploy --network ethereum:sepolia:$node --account TEST::0 --yes",
    "deploys_poor": "deploy --network $node --account anna --yes --expected-chain-id 31337",
}


class Row(NamedTuple):
    code: int
    typed: str
    says: list

    def __str__(self):
        return f"{self.code} {self.typed} {self.says[0]}"


def expanded(typed):
    """As a shell expands {this,that}."""
    before, braces, after = re.match(r"(.*?)(?:\{([^{}]*)\}(.*))?$", typed).groups()
    return [typed] if braces is None else [row for each in braces.split(",") for row in expanded(before + each + after)]


def rows():
    for section in re.split(r"^## ", (Path(__file__).parent / "failures.txt").read_text(), flags=re.MULTILINE)[1:]:
        code = int(section[0])
        for commands, says in re.findall(r"((?:^\$ .*\n)+)((?:^  .*\n)+)", section, re.MULTILINE):
            for typed in commands.splitlines():
                yield from (Row(code, each, says[2:].rstrip("\n").split("\n  ")) for each in expanded(typed[2:]))


ROWS = list(rows())


class World:
    """A chain with a table in each state, and what the words in the rows are."""

    def __init__(self, chain, creation_code):
        def table(keys="", x=X, o=O):
            # It deploys nothing with ape, which would remember the address from another test.
            local = LocalTable(chain.anvil, creation_code, Role.STRANGER)
            local.x, local.o = x, o
            local.play(keys)
            return local.address

        self.anvil, self.node = chain.anvil, chain.node
        self.words = WORDS | {
            "another": self.anvil.create(Role.STRANGER.address, bytes.fromhex("60018060093d393df300")),
            "new": table(),
            "table": table("n5"),
            "over": table(f"n{keys_for(WON_BY_X)}"),
            "others": table("n", Role.STRANGER.address, Role.OTHER.address),
            "nothing": "0x" + "12" * 20,
            "key": KEY,
            "node": self.node.url,
            "dead": f"http://127.0.0.1:1/v3/{KEY}",
            "payer": Role.DEPLOYER.address,
            "x": X,
            "o": O,
        }

    def filled(self, text, **more):
        while (filled := Template(text).substitute(self.words | more)) != text:
            text = filled
        return text

    def parts(self, row):
        """What is typed, the keys, and the lies."""
        typed, _, lies = row.typed.partition(" | ")
        typed, _, keys = typed.partition(" < ")
        return self.filled(typed).split(), keys.split(), [lie.partition("=") for lie in lies.split()]

    def run(self, row):
        """Time passes fast while the command waits."""
        words, keys, lies = self.parts(row)
        self.node.wrong = {method: lie(answer) for method, _, answer in lies}
        self.node.asked.clear()
        env = dict(word.split("=") for word in words if word.startswith("APE_"))
        keys = "".join(f"{key.replace('Enter', '')}\n" for key in keys)
        return ape_run(*words[len(env) :], keys=keys, env=env, hurry=100)

    def check(self, row, done, node):
        printed, words = done.out + done.err, self.parts(row)[0]
        assert done.code == row.code, done
        assert unsafe(printed) == set(), done
        for part in row.says:
            if part.startswith("! "):
                assert part[2:] not in done.err, done
            else:
                part = self.filled(part, option=words[-2], last=words[-1])
                assert (printed.count(part), part in done.out) == (1, row.code == 0), done
        assert row.code == 0 or "--json" not in words or done.out == ""
        assert "eth_sendRawTransaction" not in node.asked


@pytest.fixture(scope="module")
def world(keyfiles, creation_code):  # noqa: ARG001
    with new_chain() as chain:
        yield World(chain, creation_code)


WATCH = "watch $at --once"


@pytest.fixture(scope="module", autouse=True)
def slow(world):
    """Those of 20 seconds are started before all others."""
    with ExitStack() as stack:

        def start(wrong):
            node = stack.enter_context(WrongNode(world.anvil, wrong))
            return node, stack.enter_context(Command(*world.filled(WATCH, node=node.url).split(), keys=""))

        yield [start(wrong) for wrong in ({"eth_getCode": dripping}, {"*": silent})]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_failure__is_a_sentence_and_nothing_is_signed(world, row):
    height = world.anvil.height
    world.check(row, world.run(row), world.node)
    assert world.anvil.height == height


def test_answer_without_an_end__is_given_up(world, slow):
    for node, command in slow:
        world.check(Row(3, WATCH, ["The node did not complete its answer within 20 s."]), command.end(), node)
