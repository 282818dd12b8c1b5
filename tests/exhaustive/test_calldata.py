"""Malformed calldata and Ether are refused and change nothing. The proofs leave them out."""

import re

import pytest

from tests.rules.layout import call, selector
from tests.rules.model import Refused
from tests.rules.positions import FORFEIT, FORFEIT_IN, MOVE, MOVE_IN, NEW_GAME, NEW_GAME_OVER, Message
from tests.support.revm import address

PLAYER_X, PLAYER_O = 0xA11CE, 0xB0B
FUNCTIONS = {
    NEW_GAME: (PLAYER_X, PLAYER_O),
    NEW_GAME_OVER: (PLAYER_X, PLAYER_O, 1),
    MOVE: (1, 1),
    MOVE_IN: (1, 1, 1),
    FORFEIT: (),
    FORFEIT_IN: (1,),
    "gameState()": (),
}
WELL_FORMED = [pytest.param(call(name, *arguments), id=name) for name, arguments in FUNCTIONS.items()]


@pytest.fixture
def table(new_table):
    """X is to move, so each of the well-formed calls is accepted from X."""
    table = new_table()
    table.send(PLAYER_X, call(NEW_GAME, PLAYER_X, PLAYER_O))
    return table


def assert_refused(table, messages, value=0):
    before = table.storage()
    for data in messages:
        assert table.send(PLAYER_X, data, value=value) == Refused(""), data.hex()
        assert table.storage() == before, data.hex()


@pytest.mark.parametrize("data", WELL_FORMED)
def test_longer_calldata__is_accepted(table, data):
    """Some wallets append a tag to what they send. The ABI allows it, and it changes nothing."""
    # 32 bytes more look like a `gameId` of the longer form.
    messages = [Message(PLAYER_X, data + b"\xff" * extra) for extra in (0, 1, 4, 31, 32, 33, 64, 1_000)]
    as_usual, *longer = table.explore(table.storage(), messages)
    assert not isinstance(as_usual.reply, Refused)
    assert longer == [as_usual] * 7


@pytest.mark.parametrize("data", WELL_FORMED)
def test_shorter_calldata__is_refused(table, data):
    # Some of these have the length of the shorter form, but the selector of the longer one.
    assert_refused(table, [data[:length] for length in range(len(data))])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dirty_high_bits__are_refused(table, name):
    arguments = FUNCTIONS[name]
    bits = {"address": 160, "uint8": 8, "uint256": 256}
    for place, kind in enumerate(re.findall(r"address|uint\d+", name)):
        for bit in range(bits[kind], 256):
            dirty = arguments[place] | 1 << bit
            assert_refused(table, [call(name, *arguments[:place], dirty, *arguments[place + 1 :])])


def test_unknown_selectors__are_refused(table):
    known = {selector(name) for name in FUNCTIONS}
    one_bit_off = {(int.from_bytes(right, "big") ^ 1 << bit).to_bytes(4, "big") for right in known for bit in range(32)}
    spread = {(n * 0x9E3779B1 % 2**32).to_bytes(4, "big") for n in range(20_000)}
    unknown = (one_bit_off | spread | {b"\0\0\0\0", b"\xff\xff\xff\xff"}) - known
    assert len(unknown) > 20_000
    assert_refused(table, unknown)
    assert_refused(table, [other + bytes(96) for other in unknown])


@pytest.mark.parametrize("value", [1, 10**18])
def test_ether__is_refused(table, value):
    table.evm.set_balance(address(PLAYER_X), 10**20)
    assert_refused(table, [b"", *(call(name, *arguments) for name, arguments in FUNCTIONS.items())], value)
