"""
Two players on two machines, with nothing but one pasted line between them: three games through a reorg, a restart of
the node and a closed terminal. Both screens are compared after every step.
"""

import re
import shlex
from contextlib import ExitStack
from functools import partial

from tests.support import wait_until
from tests.support.commands import Command
from tests.terminal.world import ANNA, BEN, PASSPHRASE, Chain, write_account
from tictactoe.formatting import short


def mine(chain, transactions=1):
    """A block, once so many transactions wait for it."""
    pending = partial(chain.rpc, "txpool_status")
    wait_until(lambda: int(pending()["pending"], 16) >= transactions, lambda: "nothing was sent")
    chain.mine()


def test_three_games_from_one_pasted_line(creation_code, tmp_path):
    a, b = short(ANNA), short(BEN)
    with Chain(state=tmp_path / "chain.json", order="fifo") as chain, ExitStack() as machines:
        chain.add_table(creation_code)
        for player in (ANNA, BEN):
            chain.fund(player)
        chain.mine_by_hand()

        def machine(alias, line):
            """A terminal on a machine that has this player's account alone."""
            write_account(home := tmp_path / alias, alias)
            env = {"APE_DATA_FOLDER": str(home), f"APE_ACCOUNTS_{alias}_PASSPHRASE": PASSPHRASE}
            return machines.enter_context(Command(*shlex.split(line), env=env))

        inviting = f"play --network {chain.url} --table {chain.table.address} --account anna"
        anna = machine("anna", inviting)
        anna.sees("Your friend pastes this line", "waiting for your friend · block 1, ", "q quits", "!No game yet")
        anna.press("5?")  # there is no game yet, so these only ring
        wait_until(lambda: anna.bells == 2, lambda: "no bell")
        (line,) = re.findall(r"uv run ape run (play [^\r\n\x1b]+)", anna.out)

        # Game 1: the pasted line starts it. Ben has X. Neither has the other's account, so addresses are shown.
        ben = machine("ben", line)
        ben.sees("the new game: sent 0x", "waiting for a block")
        mine(chain)
        ben.sees("Game 1", "X you", f"O {a}", "Your turn")
        anna.sees("Game 1", f"X {b}", "O you", f"{b} to move", "s ago")
        assert anna.bells == 3

        def play(keys, *ending):
            """X begins. Both see each move, and how the last one ends the game."""
            for key in keys:
                (mover, _), (other, name) = seats if len(played) % 2 == 0 else seats[::-1]
                played.append(f"{'XO'[len(played) % 2]}{key}")
                mover.press(key)
                mover.sees(f"Move {len(played)}…", "waiting for a block")
                mine(chain)
                own, theirs = ending if ending and key == keys[-1] else (f"{name} to move", "Your turn")
                mover.sees(" ".join(played), own, "!waiting for a block")
                other.sees(" ".join(played), theirs)

        seats, played = [(ben, b), (anna, a)], []
        play("519")
        chain.reorg(1)
        played.pop()
        for player, status in ((ben, "Your turn"), (anna, f"{b} to move")):
            player.sees("A reorg took back X9.", "X5 O1", status, "!X5 O1 X9")
        play("248", "You won", "You lost")

        # Game 2: both ask for it, and one request counts. Anna has X now.
        for player in (anna, ben):
            player.press("n")
            player.sees("the new game: sent 0x")
        mine(chain, transactions=2)
        anna.sees("Game 2", "X you", "Your turn", "1-9 play")
        ben.sees("Game 2", "O you", f"You both started a game. {a}'s came first, and yours cost 0.0000")
        seats, played = [(anna, a), (ben, b)], []
        play("1")

        chain.stop()
        for player in (anna, ben):
            player.sees("The node does not answer; trying again. q quits.", "X1", "q quit")
        chain.start()
        chain.mine_by_hand()
        anna.sees(f"{b} to move", "!trying again")
        ben.sees("Your turn", "!trying again")
        play("5")

        # Anna's terminal is closed while her move waits. She runs the same line again.
        anna.press("2")
        anna.sees("move 3: sent 0x")
        anna.close()
        mine(chain)
        ben.sees("X1 O5 X2", "Your turn", f"{a} played 2.")
        anna = machine("anna", inviting)
        anna.sees("Game 2", "X you", "X1 O5 X2", f"{b} to move")
        ben.plays(("f", "Forfeit game 2 as O?"), ("y", "The forfeit…", "!1-9 play"))
        mine(chain)
        ben.sees("You lost, you forfeit", f"{a}: 1 · you: 1")
        anna.sees(f"You won, {b} forfeits")

        # Game 3: Ben keeps the seats.
        ben.press("s")
        mine(chain)
        ben.sees("Game 3", "O you", f"{a} to move")
        anna.sees("Game 3 has started.", "X you", "Your turn")
        seats, played = [(anna, a), (ben, b)], []
        play("123546879", "A draw", "A draw")
        for player in (anna, ben):
            player.sees("Game 3", "draws: 1")
            player.press("q")
            assert player.end().returncode == 0
