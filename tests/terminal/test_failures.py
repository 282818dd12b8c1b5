"""
The table of failures, row by row: the exit code, what is said, and that nothing was signed but what the table says. The
commands are programs here: the tests know what is typed, what is on the chain and what is printed, and nothing of what
they are made of. `tests/library/test_sending.py` shows that what is said of a sent transaction is true.
"""

import json
import re
import unicodedata
from functools import partial
from itertools import takewhile
from pathlib import Path
from signal import Signals
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, Command, hurry
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.roles import Role
from tests.support.wrong_node import KEY, WrongNode
from tests.terminal.lies import EVENTS, RECEIPT, RISEN, dripping, lie, silent
from tests.terminal.world import ANNA, BEN, PASSPHRASE, X_SHORT, X_WINS, Chain, O, X
from tictactoe.formatting import coins, short

SEND = "eth_sendRawTransaction"
STRANGER = Role.STRANGER.address
WORDS = {
    "moves": "play $at $as_o --move 1 --json",
    "starts": "play $there --table $new $as_x --against $o",  # it pays for a new game at once
    "unasked": "$deploys --yes",
    "by_url": "deploy --network $node --account TEST::0",
    "poor": "deploy $there --account ben --yes",
    "usual": "eth_getBlockByNumber=cheap_block eth_maxPriorityFeePerGas=0x282ae13c eth_estimateGas=0xf4240",
    "dear": "eth_maxPriorityFeePerGas=1e4gwei eth_feeHistory=dear",
    "key": KEY,
    "nothing": "0x" + "12" * 20,
    "first_table": FIRST_TABLE,
    "look": "The table's address is $first_table: look there before you deploy another (`ape run watch --table`).",
    "payer": Role.DEPLOYER.address,
    "x": X,
    "o": O,
    "short_x": X_SHORT,
    "stranger": short(STRANGER),
    "ANNA": ANNA.address,
    "PASSPHRASE": PASSPHRASE,
}


def documented(page, heading):
    """The fields in the table under this heading."""
    part = (ROOT / "docs" / page).read_text().partition(heading)[2].partition("\n## ")[0]
    return {name for names in re.findall(r"^\| (`.*?`) \| ", part, re.MULTILINE) for name in re.findall(r"\w+", names)}


class Row(NamedTuple):
    code: int
    sends: int
    typed: str
    says: list


def expanded(typed):
    """As a shell expands {this,that}."""
    before, braces, after = re.match(r"(.*?)(?:\{([^{}]*)\}(.*))?$", typed).groups()
    return [typed] if braces is None else [row for each in braces.split(",") for row in expanded(before + each + after)]


def rows():
    for section in re.split(r"^## ", (Path(__file__).parent / "failures.txt").read_text(), flags=re.MULTILINE)[1:]:
        code, _, listed = section.partition(":")
        for commands, says in re.findall(r"((?:^\$.*\n)+)((?:^  .*\n)+)", listed, re.MULTILINE):
            for sends, typed in re.findall(r"^\$(\+*) (.*)", commands, re.MULTILINE):
                for each in expanded(typed):
                    yield Row(int(code), len(sends), each, says[2:].rstrip("\n").split("\n  "))


@pytest.fixture(scope="module")
def chain(keyfiles, creation_code):  # noqa: ARG001
    """With a table in each state."""

    def table(keys="", x=X, o=O):
        # It deploys nothing with ape, which would remember the address from another test.
        local = LocalTable(chain, creation_code, Role.STRANGER, x, o)
        local.play(keys)
        return local

    with Chain(SEPOLIA) as chain:
        chain.fund(ANNA.address)
        chain.table = table("n5")
        chain.words |= WORDS | {
            "another": chain.create(STRANGER, bytes.fromhex("60018060093d393df300")),
            "new": table().address,
            "table": chain.table.address,
            "threat": table("n51729").address,  # O wins with 3
            "over": table(f"n{X_WINS}").address,
            "others": table("n", STRANGER, BEN.address).address,
            "TABLE": table("n", ANNA.address, BEN.address).address,
            "soon": str(int(chain.rpc("eth_blockNumber"), 16) + 2),
            "host": urlsplit(chain.node.url).netloc,
            "url": "http://$host",
        }
        yield chain


def behave(chain, words):
    """The node lies, something happens, and transactions may wait for a block."""
    node = chain.node
    node.wrong = {method: lie(answer) for method, _, answer in (word.partition("=") for word in words) if answer}
    events = (word.split(">") for word in words if ">" in word)
    node.after = {method: partial(EVENTS[event], chain) for method, event in events}
    chain.mine_by_hand("held" in words)
    node.asked.clear()
    node.sent.clear()


def run(chain, typed):
    """The words of the command, and what it leaves. Time passes fast while it waits."""
    typed, _, behaviour = typed.partition(" | ")
    typed, _, dialogue = typed.partition(" << ")
    typed, piped, keys = typed.partition(" < ")
    typed, _, file = typed.partition(" >")
    words, dialogue = chain.filled(typed).split(), chain.filled(dialogue).split()
    env = dict(word.split("=") for word in takewhile(lambda word: "=" in word, words))
    words = words[len(env) :]
    keys = None if dialogue and not piped else "".join(f"{key}\n" for key in keys.replace("^M", "").split(" ") if keys)
    behave(chain, chain.filled(behaviour).split())
    with Command(*words, keys=keys, env=env, columns=300, first=hurry, stdout=file) as chain.command:
        for seen, happens in zip(dialogue[::2], dialogue[1::2], strict=True):
            chain.command.wait_for(seen.strip('"').replace("_", " "))
            answer(chain, happens)
        done = chain.command.end()
        assert keys is not None or chain.command.left_as_it_was()
    return words, done


def answer(chain, word):
    """A person does this, or it happens. When they say yes, fees and gas rise until the transaction is sent."""
    if word in EVENTS:
        EVENTS[word](chain, None)
        return
    if word == "^D":  # before it reads keys, the terminal would change it
        wait_until(lambda: not chain.command.left_as_it_was(), lambda: "it reads no keys")
    if word == "y":
        chain.node.wrong |= RISEN
        chain.node.after[SEND] = lambda _transaction: chain.node.wrong.clear()
    chain.command.press(chr(ord(word[1]) - ord("@")) if word[0] == "^" else word.replace("\\r", "\r") + "\r")


def unsafe(printed, terminal):
    """What must not be printed: parts of the key, tracebacks, and where no terminal is, control codes."""
    codes = {c for c in printed if not terminal and c != "\n" and unicodedata.category(c) in ("Cc", "Cf")}
    return codes | {part for part in (*KEY.split("/"), "Traceback") if part in printed}


def check(chain, row, words, done, node):
    printed = " ".join(f"{done.out} {done.err}".split())
    terminal = " << " in row.typed and " < " not in row.typed
    # The number of the signal that ends it, if one does, is part of its exit code.
    assert done.code == row.code + sum(Signals[name] for name in re.findall(r"SIG\w+", row.typed)), done
    assert unsafe(done.out + done.err, terminal) == set(), done
    assert len(node.sent) == row.sends
    assert row.sends or node.wrong.get(SEND) or SEND not in node.asked
    label = "table" if words[0] == "deploy" else "new game" if "--against" in words else "move 2"
    more = {"label": label, "last": words[-1], "other": short(words[-1]), "sent": "".join(node.sent)}
    for says in row.says:
        sign, part = re.match("([!>] )?(.*)", says).groups()
        part = chain.filled(part, **more)
        assert printed.count(part) == (sign != "! "), done
        assert terminal or sign == "! " or (part in done.err) != (sign == "> " or row.code == 0), done
    if "--json" in words and row.code and not row.sends:
        assert done.out == ""
    if node.sent and " y" in row.typed:
        # What is signed is what was shown.
        signed = chain.rpc("eth_getTransactionByHash", node.sent[0])
        most = int(signed["gas"], 16) * int(signed["maxFeePerGas"], 16)
        assert {*re.findall(r"at most ([\d.]+) ETH", printed)} == {coins(most)}


def check_report(chain, command, report):
    """The object has the documented fields, and the receipt's values, or null."""
    (sent,) = chain.node.sent
    receipt = chain.rpc(RECEIPT, sent)
    facts = [report[name] for name in ("block", "gas", "cost")]
    page = ("playing.md", "## One move") if command == "play" else ("integrating.md", "## Deploy from a script")
    assert ({*report}, report["transaction"]) == (documented(*page), sent)
    if receipt:
        block, gas, price = (int(receipt[name], 16) for name in ("blockNumber", "gasUsed", "effectiveGasPrice"))
        assert facts == [block, gas, str(gas * price)]
    else:
        assert facts == [None, None, None]


@pytest.fixture(scope="module", autouse=True)
def slow(chain):
    """Those of 20 seconds are started before all others."""
    with WrongNode(chain, {"eth_getCode": dripping}) as one, WrongNode(chain, {"*": silent}) as other:
        typed = "watch --table $table --once --network"
        yield [(node, chain.type(f"{typed} {node.url}", keys="")) for node in (one, other)]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.code} {row.typed}")
def test_row(chain, row):
    with chain.put_back():
        words, done = run(chain, row.typed)
        check(chain, row, words, done, chain.node)
        if row.sends and "--json" in words and done.out:
            check_report(chain, words[0], json.loads(done.out))
        if "--dry-run" in words and "--json" in words:
            page = (ROOT / "docs" / "integrating.md").read_text()
            fields = re.findall(r"`(\w+)`", page.partition("With `--dry-run` it has ")[2].partition(" instead")[0])
            assert {*json.loads(done.out)} == {"network", "chainId", "deployer", *fields}


def test_answer_without_an_end__is_given_up(chain, slow):
    row = Row(3, 0, "watch", ["The node did not complete its answer within 20 s."])
    for node, command in slow:
        with command:
            check(chain, row, ["watch"], command.end(), node)
