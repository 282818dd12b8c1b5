"""What a node may answer instead of the truth, and what may happen behind its back."""

import gzip
import itertools
import json
import time
from signal import SIGHUP, SIGINT, SIGTERM

from tests.support import PATIENCE
from tests.support.wrong_node import BLOCK, KEY, Answer

GWEI = 10**9
RECEIPT = "eth_getTransactionReceipt"


def block(base_fee):
    return BLOCK | {"baseFeePerGas": base_fee, "transactions": []}


def refuses(message):
    return Answer(json.dumps({"jsonrpc": "2.0", "id": 0, "error": {"code": -32000, "message": message}}).encode())


def status(number):
    return Answer(status=number, headers={"location": "/"})


def result(text):
    return Answer(b'{"jsonrpc":"2.0","id":0,"result":' + text + b"}")


def others_wait(params, ask):
    """The account has sent something else, which is not mined yet."""
    return "0x64" if params[1] == "pending" else ask()


def silent(*_):
    """It accepts the question, and never answers."""
    time.sleep(PATIENCE)


def dripping(*_):
    """A byte now and then, without end: each read succeeds."""

    def drops():
        while True:
            time.sleep(0.1)
            yield b" "

    return Answer(drops())


HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n\x9b31m"
# By their names in failures.txt.
ANSWERS = {
    "null": None,
    "long": "0x" + "f" * 6000,
    "odd_block": {"number": "0xzz", "hash": 5},
    "hostile": HOSTILE,
    "refuses": refuses("go away"),
    "refuses_hostile": refuses(HOSTILE),
    "refuses_for_lack_of_funds": refuses("INSUFFICIENT FUNDS for gas * price"),
    "refuses_a_low_price": refuses("replacement transaction underpriced"),
    "quotes_the_key": refuses(f"project {KEY} exceeds its limit"),
    "deep": result(b"[" * 200_000 + b"1" + b"]" * 200_000),
    "deep_and_open": Answer(b"[" * 200_000),
    "endless": Answer(itertools.repeat(bytes(100_000))),
    "bomb": Answer(gzip.compress(bytes(10**6)) * 300, headers={"content-encoding": "gzip"}),
    "no_gzip": Answer(b"no gzip", headers={"content-encoding": "gzip"}),
    "no_utf8": Answer(b"\xff\xfe"),
    "no_object": Answer(b"[]"),
    "html": Answer(b"<html>"),
    "long_integer": result(b"1" * 6000),
    "block_without_fee": block(None),
    "cheap_block": block(hex(GWEI)),
    "dear_block": block(hex(10**13)),
    "dear": {"oldestBlock": "0x0", "baseFeePerGas": [hex(10**13)] * 4, "reward": [["0x0"]] * 3},  # recent blocks
    "others_wait": others_wait,
}


# After a question was asked.
RISEN = {
    "eth_maxPriorityFeePerGas": hex(10**5 * GWEI),
    "eth_getBlockByNumber": block(hex(10**14)),
    "eth_estimateGas": hex(299_999),
}


def lie(word):
    """A name, an HTTP status, an amount such as 1e6gwei, or the result itself."""
    if word.endswith("gwei"):
        return hex(int(float(word.removesuffix("gwei"))) * GWEI)
    return status(int(word)) if word.isdigit() and len(word) == 3 else ANSWERS.get(word, word)


# -- what happens after the first true answer to a method ----------------------------------------


def replaced(chain, transaction):
    """Its sender has cancelled it in a wallet."""
    old = chain.rpc("eth_getTransactionByHash", transaction)
    fees = dict.fromkeys(("maxFeePerGas", "maxPriorityFeePerGas"), hex(100 * GWEI))
    chain.rpc("eth_sendTransaction", {"from": old["from"], "to": old["from"], "nonce": old["nonce"]} | fees)
    chain.mine()


def taken_back(chain, _receipt):
    chain.reorg(1)
    chain.mine(5)


def away(chain, _answer):
    """For questions that are asked while a transaction waits."""
    chain.node.wrong = dict.fromkeys((RECEIPT, "eth_getBlockByNumber", "eth_getTransactionByHash"), status(502))


EVENTS = {
    "blocks": lambda chain, _answer: chain.mine(2),
    "dropped": lambda chain, transaction: chain.rpc("anvil_dropTransaction", transaction),
    "replaced": replaced,
    "taken_back": taken_back,
    "overtaken": lambda chain, _answer: chain.table.new_game(chain.table.o, chain.table.x),  # by the opponent
    "o_plays_1": lambda chain, _answer: chain.table.play("1"),
    "x_plays_2": lambda chain, _answer: chain.table.play("2"),
    "away": away,
    "SIGHUP": lambda chain, _answer: chain.command.signal(SIGHUP),
    "SIGINT": lambda chain, _answer: chain.command.signal(SIGINT),
    "SIGTERM": lambda chain, _answer: chain.command.signal(SIGTERM),
}
