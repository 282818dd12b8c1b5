"""A sample of the walk on py-evm, which shares no code with the engine of the whole walk."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests import layout
from tests.conftest import Progress
from tests.engine import DEPLOYER, Refused, address, forwarder
from tests.layout import Log
from tests.model import Game, Status
from tests.property.test_walk import MIDDLE, NUMBER, PLAYER_O, PLAYER_X, mover, transactions

EVERY = 137  # a prime, so that the sample is not all of one number of moves
MIDDLEMAN = 0xF0


class PyEvmTable:
    """The deployed code on the embedded chain's own engine, below its transactions and their signatures."""

    def __init__(self, vm: Any, at: str) -> None:
        self.vm, self.state, self.address = vm, vm.state, at
        self.raw = bytes.fromhex(at[2:])
        self.state.set_code(MIDDLEMAN.to_bytes(20, "big"), forwarder(int(at, 16)))

    def send(self, caller: int, data: bytes, *, through_contract: bool = False) -> list[Log] | Refused:
        target = MIDDLEMAN.to_bytes(20, "big") if through_contract else self.raw
        sender = caller.to_bytes(20, "big")
        computation = self.vm.execute_bytecode(
            origin=sender,
            gas_price=0,
            gas=1_000_000,
            to=target,
            sender=sender,
            value=0,
            data=data,
            code=self.state.get_code(target),
            code_address=target,
        )
        if computation.is_error:
            output = bytes(computation.output)
            return Refused(output[68 : 68 + int.from_bytes(output[36:68], "big")].decode() if output else "")
        entries = computation.get_log_entries()
        return [(tuple(layout.word(topic) for topic in topics), bytes(data)) for _, topics, data in entries]

    def game_state(self) -> bytes:
        computation = self.vm.execute_bytecode(
            origin=bytes.fromhex(DEPLOYER[2:]),
            gas_price=0,
            gas=1_000_000,
            to=self.raw,
            sender=bytes.fromhex(DEPLOYER[2:]),
            value=0,
            data=layout.call("gameState()"),
            code=self.state.get_code(self.raw),
            code_address=self.raw,
        )
        return bytes(computation.output)

    def storage(self) -> tuple[int, int]:
        return self.state.get_storage(self.raw, 0), self.state.get_storage(self.raw, 1)

    def set_storage(self, slots: tuple[int, int]) -> None:
        for index, value in enumerate(slots):
            self.state.set_storage(self.raw, index, value)


@pytest.fixture
def py_evm(table: Any, chain: Any) -> PyEvmTable:
    assert address(int(table.address, 16)) == table.address.lower()
    return PyEvmTable(chain.provider.evm_backend.chain.get_vm(), table.address)


@cache
def positions() -> list[Game]:
    """All that can be reached, each board once, by the rules alone."""
    found: dict[tuple[int, ...], Game] = {}

    def reach(game: Game) -> None:
        if game.board in found:
            return
        found[game.board] = game
        if game.status == Status.IN_PROGRESS:
            for cell in range(9):
                if cell not in game.history:
                    reach(game.move(mover(game), cell // 3, cell % 3))

    reach(Game(NUMBER, PLAYER_X, PLAYER_O, (), Status.IN_PROGRESS))
    return list(found.values())


def test_sampled_positions__on_py_evm__as_the_rules_say(
    py_evm: PyEvmTable, progress_of: Callable[[str, int], Progress], evidence: Callable[[int, str], None]
) -> None:
    assert len(positions()) == 5_478
    sample = positions()[::EVERY]
    progress = progress_of("positions on py-evm", len(sample))
    sent = 0
    for done, game in enumerate(sample, 1):
        standing = layout.storage(game)
        py_evm.set_storage(standing)
        assert py_evm.game_state() == layout.game_state(game)
        for data in MIDDLE:
            assert py_evm.send(PLAYER_X, data, through_contract=True) == Refused("caller is a contract")
            sent += 1
        for caller, data, expected in transactions(game, py_evm):  # type: ignore[arg-type]
            outcome = py_evm.send(caller, data)
            sent += 1
            if isinstance(expected, Refused):
                assert outcome == expected, (game, caller, data.hex())
                assert py_evm.storage() == standing
            else:
                assert outcome == layout.logs(game, expected), (game, caller, data.hex())
                assert py_evm.storage() == layout.storage(expected)
                assert py_evm.game_state() == layout.game_state(expected)
                py_evm.set_storage(standing)
        progress(done)
    evidence(len(sample), "positions")
    evidence(sent, "transactions")
