"""
The table of failures, row by row: the exit code, what is said, and that nothing was signed but what the table says. The
commands are programs here: the tests know what is typed, what is on the chain and what is printed, and nothing of what
they are made of. `tests/library/test_sending.py` shows that what is said of a sent transaction is true.
"""

import json
import re
from contextlib import ExitStack
from functools import partial
from itertools import takewhile
from pathlib import Path
from string import Template
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, Command, lines
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import KEY, WrongNode, unsafe
from tests.terminal.lies import EVENTS, RECEIPT, dripping, lie, silent
from tests.terminal.world import BEN, LOOK, PASSPHRASE, X_SHORT, X_WINS, O, X, new_chain
from tictactoe.formatting import short

SEND = "eth_sendRawTransaction"
STRANGER = Role.STRANGER.address
WORDS = {
    "there": "--network ethereum:sepolia:$node",
    "at": "$there --table $table",
    "as_x": "--account TEST::1",
    "as_o": "--account TEST::2",
    "moves": "play $at $as_o --move 1 --json",
    "starts": "play $there --table $new $as_x --against $o",  # it pays for a new game at once
    "deploys": "deploy $there --account TEST::0",
    "unasked": "$deploys --yes",
    "by_url": "deploy --network $node --account TEST::0",
    "deploys_poor": "deploy $there --account anna --yes",
    "usual": "eth_getBlockByNumber=cheap_block eth_maxPriorityFeePerGas=0x282ae13c eth_estimateGas=0xf4240",
    "dear": "eth_maxPriorityFeePerGas=1e4gwei eth_feeHistory=dear",
    "dead": f"http://127.0.0.1:1/v3/{KEY}",
    "nothing": "0x" + "12" * 20,
    "key": KEY,
    "first_table": FIRST_TABLE,
    "look": LOOK,
    "passphrase": PASSPHRASE,
    "payer": Role.DEPLOYER.address,
    "x": X,
    "o": O,
    "short_x": X_SHORT,
    "stranger": short(STRANGER),
}


def documented(page, heading):
    """The fields in the table under this heading."""
    part = (ROOT / "docs" / page).read_text().partition(heading)[2].partition("\n## ")[0]
    return {name for names in re.findall(r"^\| (`.*?`) \| ", part, re.MULTILINE) for name in re.findall(r"\w+", names)}


FIELDS = {
    "play": documented("playing.md", "## One move"),
    "deploy": documented("integrating.md", "## Deploy from a script"),
}


class Row(NamedTuple):
    code: int
    sends: bool
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
        code, sends = re.match(r"(\d+)(, sent)?:", section).groups()
        for commands, says in re.findall(r"((?:^\$ .*\n)+)((?:^  .*\n)+)", section, re.MULTILINE):
            for typed in commands.splitlines():
                for each in expanded(typed[2:]):
                    yield Row(int(code), bool(sends), each, says[2:].rstrip("\n").split("\n  "))


ROWS = list(rows())


class World:
    """A chain with a table in each state, and what the words in the rows are."""

    def __init__(self, chain, creation_code):
        def table(keys="", x=X, o=O):
            # It deploys nothing with ape, which would remember the address from another test.
            local = LocalTable(chain.anvil, creation_code, Role.STRANGER)
            local.x, local.o = x, o
            local.play(keys)
            return local

        self.chain, self.anvil, self.node = chain, chain.anvil, chain.node
        self.anvil.fund(BEN.address)
        chain.table = table("n5")
        self.words = WORDS | {
            "another": self.anvil.create(STRANGER, bytes.fromhex("60018060093d393df300")),
            "new": table().address,
            "table": chain.table.address,
            "threat": table("n51729").address,  # O wins with 3
            "over": table(f"n{X_WINS}").address,
            "others": table("n", STRANGER, BEN.address).address,
            "node": self.node.url,
            "url": f"http://{urlsplit(self.node.url).netloc}",
            "host": urlsplit(self.node.url).netloc,
        }

    def filled(self, text, **more):
        while (filled := Template(text).substitute(self.words | more)) != text:
            text = filled
        return text

    def behave(self, words):
        """The node lies, something happens, and transactions may wait for a block."""
        node, chain = self.node, self.chain
        node.wrong = {method: lie(answer) for method, _, answer in (word.partition("=") for word in words) if answer}
        events = (word.split(">") for word in words if ">" in word)
        node.after = {method: partial(EVENTS[event], chain) for method, event in events}
        chain.mine_by_hand("held" in words)
        node.asked.clear()
        node.sent.clear()

    def run(self, typed):
        """The words of the command, and what it leaves. Time passes fast while it waits."""
        typed, _, behaviour = typed.partition(" | ")
        typed, _, dialogue = typed.partition(" << ")
        typed, _, keys = typed.partition(" < ")
        typed, _, file = typed.partition(" >")
        words, dialogue = self.filled(typed).split(), self.filled(dialogue).split()
        env = dict(word.split("=") for word in takewhile(lambda word: "=" in word, words))
        piped = None if dialogue else lines(key.replace("^M", "") for key in keys.split())
        self.behave(self.filled(behaviour).split())
        with Command(*words[len(env) :], keys=piped, env=env, columns=300, hurry=100, stdout=file) as command:
            for question, answer in zip(dialogue[::2], dialogue[1::2], strict=True):
                command.wait_for(question.strip('"').replace("_", " "))
                if question == "[y/N]":  # what is typed before it reads keys is changed by the terminal
                    wait_until(lambda: not command.left_as_it_was(), lambda: "it reads no keys")
                command.press(chr(ord(answer[1]) - ord("@")) if answer.startswith("^") else f"{answer}\r")
            done = command.end()
            assert not dialogue or command.left_as_it_was()
        return words, done

    def check(self, row, words, done, node):
        printed, terminal = " ".join(f"{done.out} {done.err}".split()), " << " in row.typed
        assert done.code == row.code, done
        assert terminal or unsafe(done.out + done.err) == set(), done
        assert len(node.sent) == row.sends
        assert row.sends or node.wrong.get(SEND) or SEND not in node.asked
        label = "table" if words[0] == "deploy" else "new game" if "--against" in words else "move 2"
        option, last = words[-2:] if words[1:] else ["", ""]
        more = {"option": option, "last": last, "other": short(last), "label": label, "sent": "".join(node.sent)}
        for says in row.says:
            sign, part = re.match("([!>] )?(.*)", says).groups()
            part = self.filled(part, **more)
            assert printed.count(part) == (sign != "! "), done
            assert terminal or sign == "! " or (part in done.err) != (sign == "> " or row.code == 0), done
        if "--json" in words and row.code and not row.sends:
            assert done.out == ""

    def check_report(self, command, report):
        """The object has the documented fields, and the receipt's values, or null."""
        (sent,) = self.node.sent
        receipt = self.anvil.rpc(RECEIPT, sent)
        facts = [report[name] for name in ("block", "gas", "cost")]
        assert ({*report}, report["transaction"]) == (FIELDS[command], sent)
        if receipt:
            block, gas, price = (int(receipt[name], 16) for name in ("blockNumber", "gasUsed", "effectiveGasPrice"))
            assert facts == [block, gas, str(gas * price)]
        else:
            assert (None in facts) == (report.get("stage") != "taken back")


@pytest.fixture(scope="module")
def world(keyfiles, creation_code):  # noqa: ARG001
    with new_chain(SEPOLIA) as chain:
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
def test_row(world, row):
    with world.chain.put_back():
        words, done = world.run(row.typed)
        world.check(row, words, done, world.node)
        if row.sends and "--json" in words and done.out:
            world.check_report(words[0], json.loads(done.out))


def test_answer_without_an_end__is_given_up(world, slow):
    row = Row(3, False, WATCH, ["The node did not complete its answer within 20 s."])
    for node, command in slow:
        world.check(row, ["watch", "--once"], command.end(), node)
