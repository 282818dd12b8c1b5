"""`ape run play` at a terminal on a network: what happens while it waits, and races. `failures.txt` has the rest."""

import time
from functools import partial

import pytest

from tests.support import wait_until
from tests.support.commands import hurry
from tests.support.roles import Role
from tests.terminal.lies import silent, status
from tests.terminal.world import AS_O, AS_X, O_SHORT, X_WINS, O, X
from tictactoe.formatting import short

RECEIPT = "eth_getTransactionReceipt"


def test_keys_while_it_waits__are_dropped_but_for_help_and_quit(chain):
    """For a block, for a node that is away, and for one that never answers."""

    def slow(_params, ask):
        time.sleep(0.4)
        return ask()

    def behave(lie):
        return lambda: chain.node.wrong.update({"*": lie})

    away = "The node's web server failed: 502 Bad Gateway; trying again. q quits."
    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn", "1-9 play"),
            (chain.mine_by_hand,),
            ("5", "Move 1…", "move 1: sent 0x", "waiting for a block"),
            (behave(status(502)), "waiting for a block", away),
            (chain.node.wrong.clear, "waiting for a block", "!trying again"),
            (lambda: play.resize(30, 20), "Move 1…"),
            ("7f?", "Move 1…", "this help", "waiting for a block"),
            (lambda: play.resize(80, 24),),
            (chain.mine, f"{O_SHORT} to move", "X5", "!this help"),
            (partial(chain.mine_by_hand, False),),
            # A key that is pressed while the opponent's move is read was meant for another board.
            (lambda: chain.node.after.update({"eth_call": lambda _game: play.press("3")}),),
            (partial(chain.table.play, "1"), "Your turn", f"{O_SHORT} played 1."),
            (chain.mine_by_hand,),
            (behave(status(502)), away, "Your turn", "? help q quit", "!1-9 play"),
            ("3?", "this help"),
            (chain.node.wrong.clear, "Your turn", "!trying again"),
            (lambda: chain.node.wrong.update({"eth_getBlockByNumber": slow}),),
            ("\x1a2", "Move 3…", "sent 0x", "!this help"),
            (behave(silent), "The node has not answered yet; waiting. q quits."),
            ("3q",),
        )
        done = play.end()
        assert (done.returncode, "did not complete" in done.stdout, len(chain.node.sent)) == (0, False, 2)
        assert "Move 3…" not in done.stdout.rpartition("\x1b[?1049l")[2]
        assert play.left_as_it_was()
        assert play.bells == len("7f333") + 1  # it rings for each key that is dropped, and for a turn
        play.sees(f"Mined: move 1. Sent but not mined yet: move 3 ({chain.node.sent[-1]}).", "X5 O1")


def test_keys_in_an_outage__are_dropped_line_by_line_too(chain):
    with chain.type(f"{AS_X} --plain") as play:
        play.plays(
            ("", "1-9 play"),
            (lambda: chain.node.wrong.update({"*": status(502)}), "trying again. Ctrl-C stops."),
            ("5\r",),
            (chain.node.wrong.clear, "The node answers again."),
            ("q\r",),
        )
        assert (play.end().returncode, chain.node.sent) == (0, [])


@pytest.mark.parametrize(("key", "method"), [("", "eth_getBlockByNumber"), ("5", "eth_estimateGas")])
def test_node_that_never_answers__does_not_keep_q_waiting(chain, key, method):
    """While the table is read, or a move is prepared."""
    with chain.type(AS_X) as play:
        play.sees("Your turn", "1-9 play")
        chain.node.asked.clear()
        chain.node.wrong = {method: silent}
        play.press(key)
        wait_until(lambda: method in chain.node.asked, lambda: "it asks nothing")
        play.press("q")
        assert (play.end().returncode, "has not answered" in play.out) == (0, False)
    assert "eth_sendRawTransaction" not in chain.node.asked


def test_late_heads__are_believed_at_the_eighth_look(chain):
    late = [chain.rpc("eth_getBlockByNumber", "latest", False)] * 7
    with chain.type(AS_O) as play:
        play.sees("to move")
        # However many keys there are, the table is read between them.
        chain.table.play("5")
        wait_until(lambda: play.press("?") or "Your turn" in play.text, lambda: play.text)
        chain.node.wrong = {"eth_getBlockByNumber": lambda _params, ask: late.pop() if late else ask()}
        wait_until(lambda: not late, lambda: "it does not look")
        play.plays(("1", "X5 O1", "!reorg"))
        # Right after one's own receipt, the chain is shorter.
        chain.table.play("9")
        chain.node.after = {RECEIPT: lambda _receipt: chain.rpc("anvil_rollback", 2)}
        play.plays(("", "X5 O1 X9"), ("2", "A reorg took back X9."), (partial(chain.table.play, "9"), "Your turn"))
        # The next move takes the place of the one that the reorg took back.
        play.plays(("3", "X5 O1 X9 O3"), ("\x04",))
        assert play.end().returncode == 0
        play.sees(f"Mined: move 2, move 4. Replaced by another transaction of yours: move 4 ({chain.node.sent[1]}).")


def test_move_that_was_dropped__is_replaced_by_the_next_one(chain):
    """It may still be mined, so it is looked for until another one has taken its place."""
    chain.mine_by_hand()
    chain.node.after = {"eth_sendRawTransaction": lambda sent: chain.rpc("anvil_dropTransaction", sent)}
    with chain.type(AS_X, first=hurry) as play:
        play.plays(("", "Your turn"), ("5", "Dropped by the network: move 1"), (partial(chain.mine_by_hand, False),))
        play.plays(("9", f"{O_SHORT} to move"), ("q",))
        play.end()
        play.sees(f"Replaced by another transaction of yours: move 1 ({chain.node.sent[0]}). Mined: move 1.")


def test_races_with_another_window_the_opponent_and_strangers(chain):
    """The first two are lost before anything is signed. `test_two_machines.py` has two requests in one block."""
    moves, stranger, other = chain.table.play, Role.STRANGER.address, Role.OTHER.address
    strangers = f"between {short(stranger)} and {short(other)}"

    def new_game(x, o):
        return lambda *_: chain.table.new_game(x, o)

    def first(keys, method, happens):
        """After the key, and just before the node answers this."""

        def act():
            chain.node.after = {method: happens}
            play.press(keys)

        return act

    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn"),
            # A question is withdrawn when the board has changed.
            ("f", "Forfeit game 1 as X?"),
            (partial(moves, "5"), "You played 5.", f"{O_SHORT} to move", "!any other key"),
            ("y", f"{O_SHORT} to move", "!any other key"),
            (partial(moves, "1"), "Your turn"),
            (
                first("9", "eth_maxPriorityFeePerGas", lambda _fee: moves("9")),
                *("You played 9.", "You have moved in another window. Nothing was sent.", f"{O_SHORT} to move"),
            ),
            (partial(moves, "4327"), "You won", "n next game"),
            (new_game(stranger, other), "Game 2 has started.", f"X {short(stranger)}", "!draws"),
        )
        assert chain.node.sent == []
        # The other game comes right behind one's own.
        play.plays(
            ("n", f"Game 2 {strangers} is not finished. Start a new game in its place?"),
            (first("y", RECEIPT, new_game(stranger, other)), "Game 4 has started in place of game 3."),
            ("n", "any other key: no"),  # it swaps the seats of game 3
            ("y", "Game 5", "X you", f"O {O_SHORT}", "!in place of"),
            (partial(moves, X_WINS[:-1]), "X1 O4 X2 O5", "Your turn"),
            (
                first(X_WINS[-1], RECEIPT, new_game(O, X)),
                *("Game 5: you won.", "Game 6 has started.", "you: 2", "!in place of"),
            ),
        )
