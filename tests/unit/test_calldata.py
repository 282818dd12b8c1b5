"""Malformed calldata and Ether are refused and change nothing."""

from collections.abc import Callable
from typing import Any

import ape
import pytest

from tests.rules.layout import call, selector
from tests.rules.model import Refused
from tests.rules.positions import FORFEIT, FORFEIT_IN, MOVE, MOVE_IN, NEW_GAME, NEW_GAME_OVER
from tests.support.embedded import contents
from tests.support.revm import RevmTable

PLAYER_X, PLAYER_O = 0xA11CE, 0xB0B
SIGNATURES = {
    NEW_GAME: (PLAYER_X, PLAYER_O),
    NEW_GAME_OVER: (PLAYER_X, PLAYER_O, 1),
    MOVE: (1, 1),
    MOVE_IN: (1, 1, 1),
    FORFEIT: (),
    FORFEIT_IN: (1,),
    "gameState()": (),
}


@pytest.fixture
def waiting(new_table: Callable[[], RevmTable]) -> RevmTable:
    """A table in a state in which it accepts every well-formed transaction from X."""
    table = new_table()
    table.send(PLAYER_X, call(NEW_GAME, PLAYER_X, PLAYER_O))
    for signature, arguments in SIGNATURES.items():
        checkpoint = table.evm.snapshot()
        assert not isinstance(table.send(PLAYER_X, call(signature, *arguments)), Refused)
        table.evm.revert(checkpoint)
    return table


def assert_refused(table: RevmTable, data: bytes, *, value: int = 0) -> None:
    before = table.storage()
    assert table.send(PLAYER_X, data, value=value) == Refused("")
    assert table.storage() == before


@pytest.mark.parametrize("signature", SIGNATURES)
def test_calldata__cut_short__is_refused(waiting: RevmTable, signature: str) -> None:
    data = call(signature, *SIGNATURES[signature])
    for length in range(len(data)):
        # Some of these have the length of the shorter form, but the selector of the longer one.
        assert_refused(waiting, data[:length])


@pytest.mark.parametrize(
    ("signature", "position", "bits"),
    [(name, i, 160 if kind == "address" else 8)
     for name in SIGNATURES
     for i, kind in enumerate(name[name.index("(") + 1 : -1].split(","))
     if kind in ("address", "uint8")],
)  # fmt: skip
def test_calldata__with_dirty_high_bits__is_refused(
    waiting: RevmTable, signature: str, position: int, bits: int
) -> None:
    for bit in range(bits, 256):
        arguments = list(SIGNATURES[signature])
        arguments[position] |= 1 << bit
        assert_refused(waiting, call(signature, *arguments))


@pytest.mark.parametrize("signature", SIGNATURES)
def test_longer_calldata__is_accepted(waiting: RevmTable, signature: str) -> None:
    """Some wallets append a tag to what they send. The ABI allows it, and it changes nothing."""
    data = call(signature, *SIGNATURES[signature])
    outcomes = []
    # 32 bytes more look like a `gameId` of the longer form.
    for extra in (0, 1, 4, 31, 32, 33, 64, 1_000):
        checkpoint = waiting.evm.snapshot()
        outcomes.append((waiting.send(PLAYER_X, data + b"\xff" * extra), waiting.storage()))
        waiting.evm.revert(checkpoint)
    assert not isinstance(outcomes[0][0], Refused)
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_selectors__unknown__are_refused(waiting: RevmTable) -> None:
    known = {selector(signature) for signature in SIGNATURES}
    near = {bytes([*known_one[:i], known_one[i] ^ 1 << bit, *known_one[i + 1 :]])
            for known_one in known for i in range(4) for bit in range(8)}  # fmt: skip
    spread = {(n * 0x9E3779B1 % 2**32).to_bytes(4, "big") for n in range(20_000)}
    unknown = (near | spread | {b"\0\0\0\0", b"\xff\xff\xff\xff"}) - known
    assert len(unknown) > 20_000
    for other in unknown:
        assert_refused(waiting, other)
        assert_refused(waiting, other + b"\0" * 96)


@pytest.mark.parametrize("signature", SIGNATURES)
@pytest.mark.parametrize("value", [1, 10**18])
def test_ether__sent_to_a_function__is_refused(waiting: RevmTable, signature: str, value: int) -> None:
    waiting.evm.set_balance(f"0x{PLAYER_X:040x}", 10**20)
    assert_refused(waiting, call(signature, *SIGNATURES[signature]), value=value)


def test_ether__sent_alone__is_refused(game: Any, player_x: Any) -> None:
    before = contents(game)
    with ape.reverts():
        player_x.transfer(game, "1 ether")
    assert contents(game) == before
    assert game.balance == 0


def test_ether__sent_with_a_move__is_refused_on_a_chain(game: Any, player_x: Any) -> None:
    before = contents(game)
    data = bytes(game.makeMove.encode_input(1, 1))
    with ape.reverts():
        player_x.transfer(game, 1, data=data, gas=100_000)
    assert contents(game) == before
    player_x.transfer(game, 0, data=data, gas=100_000)
    assert len(game.gameState().moveHistory) == 1


def test_ether__sent_with_the_deployment__is_refused(creation_code: bytes, deployer: Any) -> None:
    create = deployer.provider.network.ecosystem.create_transaction
    with ape.reverts():
        deployer.call(create(data=creation_code, value=1, gas=2_000_000, receiver=None))
    assert deployer.call(create(data=creation_code, gas=2_000_000, receiver=None)).contract_address
