"""
Two players on two machines, with nothing but one pasted line between them: three games in blocks of 12 seconds, through
a reorg, a restart of the node and a closed terminal. Both screens are compared after every step.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.support import wait_until
from tests.support.anvil import Anvil
from tests.support.keyfiles import ANNA, BEN, Keyfile
from tests.support.local_table import LocalTable
from tests.support.terminal import Terminal
from tictactoe.formatting import short


class Chain:
    """A node that mines when the test says so; its blocks are 12 seconds apart."""

    def __init__(self, anvil: Anvil) -> None:
        self.anvil = anvil

    def twelve_seconds(self) -> None:
        self.anvil.rpc("evm_setAutomine", False)
        self.anvil.rpc("anvil_setBlockTimestampInterval", 12)

    def mine(self, transactions: int = 1) -> None:
        """A block, once so many transactions wait for it."""
        pending = partial(self.anvil.rpc, "txpool_status")
        wait_until(lambda: int(pending()["pending"], 16) >= transactions, lambda: "nothing was sent")
        self.anvil.rpc("evm_mine")


@pytest.fixture
def chain(creation_code: bytes, tmp_path: Path) -> Iterator[tuple[Chain, LocalTable]]:
    with Anvil() as anvil:
        local = LocalTable(anvil, creation_code)
        for player in (ANNA, BEN):
            anvil.rpc("anvil_setBalance", player.address, hex(10**18))
        anvil.keep_state(tmp_path / "chain.json")
        chain = Chain(anvil)
        chain.twelve_seconds()
        yield chain, local


def test_three_games_from_one_pasted_line(chain: tuple[Chain, LocalTable], tmp_path: Path) -> None:
    node, local = chain
    with ExitStack() as machines:

        def machine(player: Keyfile, *command: str) -> Terminal:
            """A terminal on a machine that has this player's account alone."""
            home = tmp_path / player.alias
            player.write(home / "accounts")
            env = {"APE_DATA_FOLDER": str(home)} | player.unlocked
            return machines.enter_context(Terminal(*command, env=env))

        inviting = ("play", *local.options, "--account", ANNA.alias, "--invite")
        anna = machine(ANNA, *inviting)
        anna.wait_for("waiting for your friend")
        (line,) = re.findall(r"uv run ape run (play [^\r\n\x1b]+)", anna.raw)

        # Game 1: the pasted line starts it. Ben has X.
        ben = machine(BEN, *shlex.split(line))
        ben.wait_for("new game: sent 0x", "waiting for a block")
        node.mine()
        ben.wait_for("Game 1", "X you", f"O {short(ANNA.address)}", "Your turn", "no moves yet")
        anna.wait_for("Game 1", f"X {short(BEN.address)}", "O you", "X to move", "s ago")

        def move(mover: Terminal, other: Terminal, key: str, moves: str, mine: str, theirs: str) -> None:
            mover.press(key)
            mover.wait_for("waiting for a block")
            node.mine()
            mover.wait_for(moves, mine)
            other.wait_for(moves, theirs)

        move(ben, anna, "5", "X5", "O to move", "Your turn")
        move(anna, ben, "1", "X5 O1", "X to move", "Your turn")
        move(ben, anna, "9", "X5 O1 X9", "O to move", "Your turn")
        node.anvil.rpc("anvil_reorg", 1, [])
        ben.wait_for("A reorg took back move 3 (X9).", "X5 O1", "Your turn")
        anna.wait_for("A reorg took back move 3 (X9).", "X5 O1", "X to move")
        assert "X5 O1 X9" not in ben.text + anna.text
        move(ben, anna, "2", "X5 O1 X2", "O to move", "Your turn")
        move(anna, ben, "4", "X5 O1 X2 O4", "X to move", "Your turn")
        move(ben, anna, "8", "X5 O1 X2 O4 X8", "You won", "You lost")

        # Game 2: both ask for it, and one request counts. Anna has X now.
        for player in (anna, ben):
            player.press("n")
            player.wait_for("new game: sent 0x")
        node.mine(transactions=2)
        anna.wait_for("Game 2", "X you", "Your turn")
        ben.wait_for("Game 2", "O you", "X to move")
        first, second = (anna, ben) if "You started game 2." in anna.text else (ben, anna)
        first.wait_for("You started game 2. If the other player asked for a new game, too, only yours counts.")
        second.wait_for("another transaction came first", "Another player started game 2.")
        move(anna, ben, "1", "X1", "O to move", "Your turn")

        node.anvil.stop()
        for player in (anna, ben):
            player.wait_for("Cannot reach the node.", "X1")
        node.anvil.start()
        node.twelve_seconds()
        anna.wait_for("The node is back.", "O to move")
        ben.wait_for("The node is back.", "Your turn")
        move(ben, anna, "5", "X1 O5", "X to move", "Your turn")

        # Anna's terminal is closed while her move waits. She runs the same line again.
        anna.press("2")
        anna.wait_for("move 3: sent 0x")
        anna.child.close(force=True)
        node.mine()
        ben.wait_for("X1 O5 X2", "Your turn", "X played 2.")
        anna = machine(ANNA, *inviting)
        anna.wait_for("Game 2", "X you", "X1 O5 X2", "O to move")
        ben.press("f")
        ben.wait_for("Forfeit game 2 as O? [y/N]")
        ben.press("y")
        node.mine()
        ben.wait_for("You lost: you forfeit")
        anna.wait_for("You won: O forfeits")

        # Game 3: Ben keeps the seats.
        ben.press("s")
        node.mine()
        ben.wait_for("Game 3", "O you", "X to move", "You started game 3.")
        anna.wait_for("Game 3", "X you", "Your turn", "Another player started game 3.")
        cells = ("1", "2", "3", "5", "4", "6", "8", "7", "9")
        played = ""
        for number, key in enumerate(cells):
            mover, other = (anna, ben) if number % 2 == 0 else (ben, anna)
            played = f"{played} {'XO'[number % 2]}{key}".strip()
            if number < 8:
                move(mover, other, key, played, f"{'OX'[number % 2]} to move", "Your turn")
            else:
                move(mover, other, key, played, "A draw", "A draw")
        for player in (anna, ben):
            player.wait_for("Game 3")
            player.press("q")
            assert player.end() == 0
