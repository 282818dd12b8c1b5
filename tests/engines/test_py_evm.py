"""A sample of the walk on py-evm, the embedded chain's own engine: it is in Python and slow."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Progress
from tests.engines.judge import IN_THE_MIDDLE, READING, Message, Position, Reply, Seen, Slots, all_games, judge
from tests.rules import layout
from tests.rules.positions import REASONS
from tests.support.revm import forwarder

EVERY = 137  # a prime, so that the sample is not all of one number of moves
MIDDLE = IN_THE_MIDDLE.to_bytes(20, "big")


class PyEvmEngine:
    """The deployed code on the embedded chain's engine, below its transactions and their signatures."""

    def __init__(self, vm: Any, at: str) -> None:
        self.vm, self.state, self.address = vm, vm.state, at
        self.table = bytes.fromhex(at[2:])
        self.state.set_code(MIDDLE, forwarder(int(at, 16)))

    def explore(self, positions: list[Position]) -> list[Seen]:
        return [self.explored(position) for position in positions]

    def explored(self, position: Position) -> Seen:
        self.set_slots(position.slots)
        refused = [self.send(message) for message in position.refused]
        seen = Seen(refused, (self.slots(), self.run(READING).output), [])
        for message in position.legal:
            self.set_slots(position.slots)
            seen.legal.append((self.send(message), self.slots(), self.run(READING).output))
        return seen

    def send(self, message: Message) -> Reply:
        computation = self.run(message)
        if computation.is_error:
            return bytes(computation.output)
        entries = computation.get_log_entries()
        return [(tuple(map(layout.word, topics)), bytes(data)) for _, topics, data in entries]

    def run(self, message: Message) -> Any:
        sender, to = message.caller.to_bytes(20, "big"), MIDDLE if message.through_contract else self.table
        return self.vm.execute_bytecode(
            origin=sender,
            gas_price=0,
            gas=1_000_000,
            to=to,
            sender=sender,
            value=0,
            data=message.data,
            code=self.state.get_code(to),
            code_address=to,
        )

    def slots(self) -> Slots:
        return self.state.get_storage(self.table, 0), self.state.get_storage(self.table, 1)

    def set_slots(self, slots: Slots) -> None:
        for index, value in enumerate(slots):
            self.state.set_storage(self.table, index, value)


@pytest.fixture
def py_evm(table: Any, chain: Any) -> PyEvmEngine:
    return PyEvmEngine(chain.provider.evm_backend.chain.get_vm(), table.address)


def test_sampled_positions__on_py_evm__as_the_rules_say(
    py_evm: PyEvmEngine, progress_of: Callable[[str, int], Progress], evidence: Callable[[int, str], None]
) -> None:
    sample = all_games()[::EVERY]
    tally = judge([py_evm], sample, progress_of("positions on py-evm", len(sample)))
    assert min(tally[outcome] for outcome in ("accepted", *REASONS)) > 30
    evidence(len(sample), "positions on py-evm")
    evidence(tally.total(), "transactions on py-evm")
