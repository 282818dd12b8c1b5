"""The events of a table from a real node, and through its reorgs. tests/library has the rest."""

from dataclasses import replace

import pytest

from tests.support.commands import keys_for
from tests.support.local_table import LocalTable
from tictactoe import Event, Table
from tictactoe.follower import Follower
from tictactoe.logs import Log, MoveMade
from tictactoe.trail import POLLS


@pytest.mark.parametrize("depth", [1, 4])
def test_reorg_to_other_moves__replaces_events(local: LocalTable, table: Table, depth: int) -> None:
    """The new branch is lower than the old one at first, then as high, then higher."""
    follower = Follower(table)
    kept: list[Event] = []

    def read() -> None:
        for event in follower.new_events():
            if event.taken_back:
                assert replace(event, taken_back=False) == kept.pop(), "the newest is taken back first"
            elif isinstance(event.log, Log):
                kept.append(event)

    old, new = "51932", "874621"
    local.new_game()
    local.play(old[: 5 - depth])
    snapshot = local.anvil.rpc("evm_snapshot")
    local.play(old[5 - depth :])
    read()
    old_height = local.anvil.height

    local.anvil.rpc("evm_revert", snapshot)
    # Another timestamp, so that even an equal move gives another block.
    local.anvil.rpc("evm_increaseTime", 60)
    for height in (-1, 0, 1):
        local.play(new[: depth - 1] if height == -1 else new[depth + height - 1])
        assert local.anvil.height - old_height == height
        for _ in range(POLLS):
            read()
        logs = [event.log for event in kept if isinstance(event.log, Log)]
        assert [(log.transaction, log.index) for log in logs] == local.logs()
        moves = [log.cell for log in logs if isinstance(log, MoveMade)]
        assert keys_for(moves) == old[: 5 - depth] + new[: depth + height]
        assert follower.game == table.state() == kept[-1].after
