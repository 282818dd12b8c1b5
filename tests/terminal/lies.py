"""What a node may answer instead of the truth, and what may happen behind its back, by the names in `failures.txt`."""

import json
import time
from signal import SIGHUP, SIGINT, SIGTERM

from tests.support import PATIENCE
from tests.support.wrong_node import BLOCK, KEY, Answer

GWEI = 10**9


def refuses(message):
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": message}}).encode())


def status(number):
    return Answer(status=number, headers={"location": "/"})


def others_wait(params, ask):
    """The account has sent something else, which is not mined yet."""
    return "0x64" if params[1] == "pending" else ask()


def silent(*_):
    """It accepts the question, and never answers."""
    time.sleep(PATIENCE)


HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n\x9b31m"
ANSWERS = {
    "null": None,
    "long": "0x" + "f" * 6000,
    "hostile": HOSTILE,
    "refuses_hostile": refuses(HOSTILE),
    "refuses_for_lack_of_funds": refuses("INSUFFICIENT FUNDS for gas * price"),
    "refuses_a_low_price": refuses("replacement transaction underpriced"),
    "quotes_the_key": refuses(f"project {KEY} exceeds its limit"),
    "cheap_block": BLOCK | {"baseFeePerGas": hex(GWEI), "transactions": []},
    "dear": {"oldestBlock": "0x0", "baseFeePerGas": [hex(10**13)] * 4, "reward": [["0x0"]] * 3},  # recent blocks
    "others_wait": others_wait,
    "silent": silent,
}


def lie(word):
    """A name, an HTTP status, an amount such as 1e6gwei, or the result itself."""
    if word.endswith("gwei"):
        return hex(int(float(word.removesuffix("gwei"))) * GWEI)
    return status(int(word)) if word.isdigit() and len(word) == 3 else ANSWERS.get(word, word)


# -- what happens at a keyboard, or after the first true answer to a method -----------------------


def replaced(chain, transaction):
    """Its sender has cancelled it in a wallet."""
    old = chain.rpc("eth_getTransactionByHash", transaction)
    fees = dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), hex(100 * GWEI))
    chain.rpc("eth_sendTransaction", {"from": old["from"], "to": old["from"], "nonce": old["nonce"]} | fees)
    chain.mine()


def taken_back(chain, _receipt):
    chain.reorg(1)
    chain.mine(5)


def forgets(chain, _answer):
    chain.node.wrong |= dict.fromkeys(("eth_call", "eth_getCode"), "0x")
    chain.mine()


def fees_rise(chain, _answer):
    chain.node.wrong |= {"eth_maxPriorityFeePerGas": hex(10**5 * GWEI), "eth_estimateGas": hex(299_999)}


EVENTS = {
    "blocks": lambda chain, _answer: chain.mine(2),
    "dropped": lambda chain, transaction: chain.rpc("anvil_dropTransaction", transaction),
    "replaced": replaced,
    "taken_back": taken_back,
    "forgets": forgets,
    "fees_rise": fees_rise,
    "overtaken": lambda chain, _answer: chain.table.new_game(chain.table.o, chain.table.x),  # by the opponent
    "o_plays_1": lambda chain, _answer: chain.table.play("1"),
    "x_plays_2": lambda chain, _answer: chain.table.play("2"),
    "away": lambda chain, _answer: chain.node.wrong.update({"*": status(502)}),
    "SIGHUP": lambda chain, _answer: chain.command.signal(SIGHUP),
    "SIGINT": lambda chain, _answer: chain.command.signal(SIGINT),
    "SIGTERM": lambda chain, _answer: chain.command.signal(SIGTERM),
}
