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
from urllib.parse import urlsplit

import pytest

from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT, Command, hurry
from tests.support.roles import Role
from tests.support.wrong_node import KEY
from tests.terminal.lies import EVENTS, lie
from tests.terminal.world import ANNA, BEN, FIRST_TABLE, PASSPHRASE, X_SHORT, X_WINS, Chain, O, Table, X
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
    "ANNA": ANNA,
    "PASSPHRASE": PASSPHRASE,
}


def documented(page, heading):
    """The fields in the table under this heading."""
    part = (ROOT / "docs" / page).read_text().partition(heading)[2].partition("\n## ")[0]
    return {name for names in re.findall(r"^\| (`.*?`) \| ", part, re.MULTILINE) for name in re.findall(r"\w+", names)}


def fields(words):
    """Of the object that this command prints."""
    if "--dry-run" in words:
        page = (ROOT / "docs" / "integrating.md").read_text()
        only = re.findall(r"`(\w+)`", page.partition("With `--dry-run` it has ")[2].partition(" instead")[0])
        return {"network", "chainId", "deployer", *only}
    page = ("playing.md", "## One move") if words[0] == "play" else ("integrating.md", "## Deploy from a script")
    return documented(*page)


def expanded(typed):
    """As a shell expands {this,that}."""
    before, braces, after = re.match(r"(.*?)(?:\{([^{}]*)\}(.*))?$", typed).groups()
    return [typed] if braces is None else [row for each in braces.split(",") for row in expanded(before + each + after)]


def rows():
    """The exit code, how many transactions are sent, what is typed, and what is said."""
    for section in re.split(r"^## ", (Path(__file__).parent / "failures.txt").read_text(), flags=re.MULTILINE)[1:]:
        code, _, listed = section.partition(":")
        for commands, says in re.findall(r"((?:^\$.*\n)+)((?:^  .*\n)+)", listed, re.MULTILINE):
            for sends, typed in re.findall(r"^\$(\+*) (.*)", commands, re.MULTILINE):
                for each in expanded(typed):
                    yield pytest.param(int(code), len(sends), each, says, id=f"{code} {each}")


@pytest.fixture(scope="module")
def chain(people, creation_code):  # noqa: ARG001
    """With a table in each state."""

    def table(keys="", x=X, o=O):
        # It deploys nothing with ape, which would remember the address from another test.
        made = Table(chain, creation_code, Role.STRANGER, x, o)
        made.play(keys)
        return made

    with Chain(SEPOLIA) as chain:
        chain.fund(ANNA)
        chain.table = table("n5")
        chain.words |= WORDS | {
            "another": chain.create(STRANGER, bytes.fromhex("60018060093d393df300")),
            "new": table().address,
            "table": chain.table.address,
            "threat": table("n51729").address,  # O wins with 3
            "over": table(f"n{X_WINS}").address,
            "others": table("n", STRANGER, BEN).address,
            "TABLE": table("n", ANNA, BEN).address,
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
            EVENTS[happens](chain, None) if happens in EVENTS else press(chain.command, happens)
        done = chain.command.end()
        assert keys is not None or chain.command.left_as_it_was()
    return words, done


def press(command, word):
    if word == "^D":  # before it reads keys, the terminal would change it
        wait_until(lambda: not command.left_as_it_was(), lambda: "it reads no keys")
    command.press(chr(ord(word[1]) - ord("@")) if word[0] == "^" else word.replace("\\r", "\r") + "\r")


def unsafe(printed, terminal):
    """What must not be printed: parts of the key, tracebacks, and where no terminal is, control codes."""
    codes = {c for c in printed if not terminal and c != "\n" and unicodedata.category(c) in ("Cc", "Cf")}
    return codes | {part for part in (*KEY.split("/"), "Traceback") if part in printed}


def facts(chain):
    """What the chain knows of a transaction that was sent: the words for what is said of it."""
    sent = chain.node.sent[0]
    receipt = chain.rpc("eth_getTransactionReceipt", sent)
    if receipt is None:
        return {"sent": sent}
    known = receipt | chain.rpc("eth_getTransactionByHash", sent)
    names = ("blockNumber", "gasUsed", "effectiveGasPrice", "gas", "maxFeePerGas")
    block, used, price, gas, most = (int(known[name], 16) for name in names)
    return {"sent": sent, "block": str(block), "used": str(used), "cost": str(used * price), "most": coins(gas * most)}


@pytest.mark.parametrize(("code", "sends", "typed", "says"), rows())
def test_row(chain, code, sends, typed, says):
    node = chain.node
    with chain.put_back():
        words, done = run(chain, typed)
        more = {"last": words[-1], "other": short(words[-1])} | (facts(chain) if node.sent else {})
    printed, terminal = " ".join(f"{done.stdout} {done.stderr}".split()), chain.command.terminal is not None
    # The number of the signal that ends it, if one does, is part of its exit code.
    assert done.returncode == code + sum(Signals[name] for name in re.findall(r"SIG\w+", typed)), done
    assert unsafe(done.stdout + done.stderr, terminal) == set(), done
    assert len(node.sent) == sends
    assert sends or node.wrong.get(SEND) or SEND not in node.asked
    for sign, part in re.findall(r"^  ([!>] )?(.*)", says, re.MULTILINE):
        part = chain.filled(part, **more)
        assert printed.count(part) == (sign != "! "), done
        assert terminal or sign == "! " or (part in done.stderr) != (sign == "> " or code == 0), done
    if "--json" in words and words[0] != "watch" and done.stdout:
        assert code == 0 or sends
        assert {*json.loads(done.stdout)} == fields(words)
