"""A node that is late, seen by a player. `failures.py` has what the commands say of a node that is wrong."""

import pytest

from tests.support.local_table import LocalTable
from tictactoe import Table
from tictactoe.terminal.adapter import Sender
from tictactoe.terminal.changes import MovesReorged
from tictactoe.terminal.live import LiveTable, Patience


def test_late_node_while_playing__takes_nothing_back(
    local: LocalTable, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is read at the newest block, so a late node could make the table show an old one."""
    local.new_game()
    local.play("519")
    sender = Sender(table.node)
    live = LiveTable(table, {}, sender, Patience(sender, print))
    live.look()
    behind, newest = iter((1, 0, 2, 1, 0, 1, 1, 1)), local.anvil.height
    block, old_state = table.node.block, table.state(4)
    monkeypatch.setattr(table.node, "block", lambda: block(newest - next(behind)))
    monkeypatch.setattr(table, "state", lambda: old_state)
    assert [live.look() for _ in range(7)] == [None] * 7
    assert isinstance(live.look(), MovesReorged)
