"""`ape run play` at a terminal on a network: what happens while it waits, and races. `failures.txt` has the rest."""

import time
from functools import partial

from tests.rules.layout import call
from tests.support import wait_until
from tests.support.roles import Role
from tests.terminal.lies import RECEIPT, silent, status
from tests.terminal.world import AS_O, AS_X, O_SHORT, X_WINS, O, X
from tictactoe.formatting import short


def test_keys_while_it_waits__are_dropped_but_for_help_and_quit(chain):
    """For a block, for a node that is away, and for one that never answers."""

    def rings(keys, happens=lambda: None):
        """The bell rings once for each key that is dropped, or for a turn."""

        def act():
            bells = play.bells
            happens()
            play.press(keys)
            wait_until(lambda: play.bells == bells + max(1, len(keys)), lambda: "no bell")

        return act

    def answer():
        chain.mine_by_hand(False)
        chain.table.play("1")
        chain.mine_by_hand()

    def behave(lie):
        return lambda: chain.node.wrong.update({"*": lie})

    def slow(_params, ask):
        time.sleep(1.2)
        return ask()

    away = "The node's web server failed: 502 Bad Gateway; trying again. q quits."
    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn", "1-9 play"),
            (chain.mine_by_hand,),
            ("5", "Move 1 is on its way", "move 1: sent 0x", "waiting for a block"),
            (rings("7f"),),
            (behave(status(502)), "waiting for a block", away),
            (chain.node.wrong.clear, "waiting for a block", "!trying again"),
            (lambda: play.resize(30, 20), "Move 1 is on its way"),
            ("?", "Move 1 is on its way", "this help", "waiting for a block"),
            (lambda: play.resize(80, 24),),
            (chain.mine, f"{O_SHORT} to move", "X5", "!this help"),
            (rings("", answer), "Your turn", f"{O_SHORT} played 1."),
            (behave(status(502)), away, "Your turn", "? help q quit", "!1-9 play"),
            (rings("3"),),
            ("?", "this help"),
            (chain.node.wrong.clear, "Your turn", "1-9 play", "!trying again"),
            (lambda: chain.node.wrong.update({"eth_getBlockByNumber": slow}),),
            ("2", "Move 3 is on its way", "sent 0x", "!this help"),
            (behave(silent), "The node has not answered yet; waiting. q quits."),
            (rings("3"),),
            ("q",),
        )
        done = play.end()
        assert (done.code, "did not complete" in done.out, len(chain.node.sent)) == (0, False, 2)
        assert play.left_as_it_was()
        play.sees(f"Mined: move 1. Sent but not mined yet: move 3 ({chain.node.sent[-1]}).", "X5 O1")


def test_late_heads__are_believed_at_the_eighth_look(chain):
    late = [chain.rpc("eth_getBlockByNumber", "latest", False)] * 7
    chain.table.play("5")
    with chain.type(AS_O) as play:
        play.sees("Your turn", "X5")
        chain.node.wrong = {"eth_getBlockByNumber": lambda _params, ask: late.pop() if late else ask()}
        wait_until(lambda: not late, lambda: "it does not look")
        play.plays(("1", "X5 O1", "!reorg"))
        chain.node.wrong = {"eth_getBlockByNumber": chain.rpc("eth_getBlockByNumber", "0x3", False)}
        play.sees("A reorg took back O1.")
        # Right after one's own receipt, the chain is shorter.
        chain.node.wrong = {}
        chain.table.play("9")
        chain.node.after = {RECEIPT: lambda _receipt: chain.rpc("anvil_rollback", 2)}
        play.plays(("", "X5 O1 X9"), ("2", "A reorg took back X9."), ("\x04",))
        assert play.end().code == 0
        play.sees(f"Mined: move 2. Taken back by a reorg, may be mined again: move 4 ({chain.node.sent[1]}).")


def test_races_with_another_window_the_opponent_and_strangers(chain):
    """Each is lost before anything is signed. `test_two_machines.py` has two requests in one block."""
    table, stranger, other = chain.table, Role.STRANGER.address, Role.OTHER.address
    strangers = f"between {short(stranger)} and {short(other)}"

    def first(keys, method, happens):
        """After the key, and just before the node answers this."""

        def act():
            chain.node.after = {method: lambda _answer: happens()}
            play.press(keys)

        return act

    def moves(keys):
        return partial(table.play, keys)

    def behind():
        """The opponent's next game, in the same block."""
        chain.mine_by_hand()
        play.press(X_WINS[-1])
        wait_until(lambda: int(chain.rpc("txpool_status")["pending"], 16), lambda: "no move")
        data = "0x" + call("newGame(address,address)", int(O, 16), int(X, 16)).hex()
        less = {"maxPriorityFeePerGas": "0x1", "gas": hex(200_000)}
        chain.rpc("eth_sendTransaction", {"from": O, "to": table.address, "data": data} | less)
        chain.mine()

    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn"),
            # A question is withdrawn when the board has changed.
            ("f", "Forfeit game 1 as X?"),
            (moves("5"), "You played 5.", f"{O_SHORT} to move", "!any other key"),
            ("y", f"{O_SHORT} to move", "!any other key"),
            (moves("1"), "Your turn"),
            (
                first("9", "eth_maxPriorityFeePerGas", moves("9")),
                *("You have moved in another window. Nothing was sent.", "X9", f"{O_SHORT} to move"),
            ),
            (moves("4327"), "You won", "n next game"),
            (
                first("n", "eth_getBalance", partial(table.new_game, O, X)),
                *(f"You both started a game. {O_SHORT}'s came first, and yours cost nothing", "!has started"),
            ),
            (
                partial(table.new_game, stranger, other),
                "Game 3 has started in place of game 2.",
                f"X {short(stranger)}",
                "!draws",
            ),
        )
        assert chain.node.sent == []
        play.plays(
            ("n", f"Game 3 {strangers} is not finished. Start a new game in its place?"),
            ("y", "Game 4", "X you", f"O {O_SHORT}", "!in place of"),
            # The move was in time.
            (
                first("5", "eth_getTransactionReceipt", partial(table.new_game, stranger, other)),
                "Game 5 has started in place of game 4.",
            ),
            ("n", "any other key: no"),
            (
                first("y", "eth_getTransactionReceipt", partial(table.new_game, stranger, other)),
                "Game 7 has started in place of game 6.",
            ),
            (partial(table.new_game, X, O), "Game 8", "Your turn"),
            (moves(X_WINS[:-1]), "X1 O4 X2 O5", "Your turn"),
            (
                first(X_WINS[-1], "eth_getTransactionReceipt", partial(table.new_game, O, X)),
                *("Game 8: you won.", "Game 9 has started.", "you: 2", "!in place of"),
            ),
            (partial(table.new_game, X, O), "Game 10", "Your turn"),
            (moves(X_WINS[:-1]), "X1 O4 X2 O5", "Your turn"),
            (behind, "Game 10: you won.", "Game 11 has started.", "you: 3", "!in place of"),
        )
