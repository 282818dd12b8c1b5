"""A sample of the positions on py-evm, the engine of ape's embedded chain. It is in Python, and slow."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.rules import layout
from tests.rules.layout import Log, refused
from tests.rules.model import Refused
from tests.rules.positions import FORWARDER, GAME_STATE, REASONS, Message, Outcome, Position, judge, reachable
from tests.support.progress import Printer
from tests.support.revm import forwarder

# A prime, so that the sample has positions of every number of moves.
EVERY = 137


class PyEvm:
    """The table on the embedded chain, called below the level of transactions and signatures."""

    def __init__(self, vm: Any, address: str) -> None:
        self.vm, self.state, self.address = vm, vm.state, address
        self.table, self.forwarder = bytes.fromhex(address[2:]), FORWARDER.to_bytes(20, "big")
        self.state.set_code(self.forwarder, forwarder(int(address, 16)))

    def explore(self, position: Position) -> Iterator[Outcome]:
        for message in position.messages:
            for slot, value in enumerate(position.slots):
                self.state.set_storage(self.table, slot, value)
            reply = self.reply(message)
            slots = self.state.get_storage(self.table, 0), self.state.get_storage(self.table, 1)
            read = None if isinstance(reply, Refused) else self.run(Message(1, GAME_STATE)).output
            yield Outcome(reply, slots, read)

    def reply(self, message: Message) -> list[Log] | Refused:
        computation = self.run(message)
        if computation.is_error:
            return refused(bytes(computation.output))
        logs = computation.get_log_entries()
        assert all(source == self.table for source, _, _ in logs)
        return [(tuple(map(layout.word, topics)), bytes(data)) for _, topics, data in logs]

    def run(self, message: Message) -> Any:
        sender = message.caller.to_bytes(20, "big")
        to = self.forwarder if message.through_contract else self.table
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


@pytest.fixture
def py_evm(table: Any, chain: Any) -> PyEvm:
    return PyEvm(chain.provider.evm_backend.chain.get_vm(), table.address)


def test_sample_of_positions_on_py_evm__follows_the_rules(py_evm: PyEvm, printer: Printer) -> None:
    sample = reachable()[::EVERY]
    tally = judge(py_evm, sample)
    printer.counts(f"{len(sample)} of 5,478 positions on py-evm", tally)
    assert tally.total() == len(sample) * 355
    assert min(tally[kind] for kind in ("accepted", *REASONS)) > 30
