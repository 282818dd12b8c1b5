"""`ape run play` in terminals and pipes: what happens while it waits, races, seats, and games line by line."""

import re

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.commands import Command, ape_run, keys_for, lines
from tests.support.roles import Role
from tests.terminal.lies import silent, status
from tests.terminal.world import AS_O, AS_X, AT, BEN, O_SHORT, X_SHORT, O, X, new_chain
from tictactoe.formatting import short

X_WINS, O_WINS, DRAW = keys_for(WON_BY_X), keys_for(WON_BY_O), keys_for(DRAWN)
STRANGER, OTHER = Role.STRANGER.address, Role.OTHER.address
QUIT = ("q",)

# -- at one keyboard, in a pipe ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "result", "code"),
    [
        (O_WINS, "Player 2 wins", 0),
        (DRAW, "A draw", 0),
        ("fn" + X_WINS, "Player 1 wins", 0),
        (f"{X_WINS} n {X_WINS} s {DRAW}", "Player 1: 1 - Player 2: 1 - draws: 1", 0),
        ("11" + X_WINS[1:], "Player 1 wins", 0),
        ("11", "That cell is taken.", 8),  # the exit code is that of the last key
        ("q" + X_WINS, "Player 1 to move", 0),
        ("", "Player 1 to move", 0),
    ],
)
def test_pipe__plays_to_its_end(keys, result, code):
    """Where the locale has only ASCII, so has the output."""
    done = ape_run("play", keys=lines(keys), env={"COLUMNS": "40", "PYTHONIOENCODING": "ascii"})
    assert (done.code, done.out.split("Game 1\n")[-1].count(result)) == (code, 1), done
    assert (done.out.isascii(), "\x1b" in done.out) == (True, False)
    assert max(map(len, done.out.splitlines())) <= 40


# -- on a network ------------------------------------------------------------------------------


def rings(play, keys):
    """Each of these keys is dropped with the bell."""

    def act():
        bells = play.bells
        play.press(keys)
        wait_until(lambda: play.bells == bells + len(keys), lambda: "no bell")

    return act


def test_keys_while_a_transaction_waits__are_dropped_but_for_help_and_quit(chain):
    def answer():
        bells = play.bells
        chain.mine_by_hand(False)
        chain.table.play("1")
        chain.mine_by_hand()
        wait_until(lambda: play.bells == bells + 1, lambda: "the player is not called")

    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn", "1-9 play"),
            (chain.mine_by_hand,),
            ("5", "Move 1 is on its way", "move 1: sent 0x", "waiting for a block", "? █ ?"),
            (rings(play, "7f"),),
            ("?", "this help"),
            ("7", "Move 1 is on its way", "!this help"),
            (chain.mine, f"{O_SHORT} to move", "X5"),
            (answer, "Your turn", f"{O_SHORT} played 1."),
            ("2", "Move 3 is on its way", "sent 0x"),
            QUIT,
        )
        assert play.end().code == 0
        assert play.left_as_it_was()
        play.sees(f"Mined: move 1. Sent but not mined yet: move 3 ({chain.node.sent[-1]}).", "X5 O1")


def test_node_that_is_away__takes_no_key(chain):
    away = "The node's web server failed: 502 Bad Gateway; trying again. Ctrl-C stops."
    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn"),
            (lambda: chain.node.wrong.update({"*": status(502)}), away, "Your turn", "? help q quit", "!1-9 play"),
            (rings(play, "3"),),
            ("?", "this help"),
            ("x", "!this help"),
            (chain.node.wrong.clear, "Your turn", "!trying again"),
            ("9", "X9", "!on its way"),
            QUIT,
        )
        assert (play.end().code, len(chain.node.sent)) == (0, 1)


def test_question_to_a_silent_node__ends_with_q(chain):
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        chain.node.wrong, asked = {"*": silent}, len(chain.node.asked)
        wait_until(lambda: len(chain.node.asked) > asked, lambda: "not asked")
        play.plays((rings(play, "3"),), ("?", "this help"), ("x", "!this help"), QUIT)
        done = play.end()
    assert (done.code, chain.node.sent, "did not complete" in done.out) == (0, [], False)


def test_question__is_withdrawn_when_the_board_has_changed(chain):
    """The player moves in another window."""
    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn"),
            ("f", "Forfeit game 1 as X? [y/N]"),
            (lambda: chain.table.play("5"), "You played 5.", f"{O_SHORT} to move", "![y/N]"),
            ("y", "'y' is not a key."),
        )
    assert chain.node.sent == []


def test_move_in_another_window__is_known_when_the_node_refuses_this_one(chain):
    chain.node.after = {"eth_maxPriorityFeePerGas": lambda _tip: chain.table.play("5")}
    with chain.type(AS_X) as play:
        moved = "You have moved in another window. Nothing was sent."
        play.plays(("", "Your turn"), ("9", moved, "X5", f"{O_SHORT} to move"))
    assert chain.node.sent == []


def test_game_that_both_start__is_the_first_ones(chain):
    """Before the gas is estimated. `test_two_machines.py` has both in one block."""
    chain.table.play(X_WINS)
    chain.node.after = {"eth_feeHistory": lambda _answer: chain.table.new_game(O, X)}
    with chain.type(AS_X) as play:
        both = f"You both started a game. {O_SHORT}'s came first, and yours cost nothing"
        play.plays(("", "You won", "n next game"), ("n", both, "Game 2", "!has started"), QUIT)
        assert play.end().code == 0


def test_game_of_strangers_over_ours__is_watched(chain):
    between = f"Game 2 between {short(STRANGER)} and {short(OTHER)}"
    with chain.type(AS_X) as play:
        play.plays(
            ("", "Your turn"),
            (lambda: chain.table.new_game(STRANGER, OTHER), f"{between} has started in place of game 1"),
            ("n", f"{between} is not finished. Start a new game in its place? [y/N]"),
            ("y", "Game 3", f"X {O_SHORT}", "O you"),
        )


def test_end_of_a_game__is_said_once_it_is_confirmed(creation_code):
    with new_chain(SEPOLIA) as chain:
        chain.add_table(creation_code, X_WINS[:4])
        with chain.type(AS_X.replace("$node", "ethereum:sepolia:$node")) as play:
            play.plays(
                ("", "Your turn"),
                (X_WINS[4], "You won", "you: 1", "!confirmations"),
                (lambda: chain.mine(2), "The result has 2 confirmations."),
                (lambda: chain.reorg(4), "A reorg took back moves 4 (O5) and 5 (X3).", "!confirmations"),
            )


def test_start_of_more_than_a_second__says_so(chain):
    chain.node.wrong = {"eth_getCode": silent}
    with chain.type(AS_X) as play:
        play.sees("Starting...")


def test_spectator__is_told_how_to_play(empty_chain, creation_code):
    empty_chain.add_table(creation_code)
    with empty_chain.type(f"play {AT}") as play:
        play.plays(
            ("", "You are only watching. To play, give --account ALIAS.", "No game yet"),
            (empty_chain.table.new_game, f"X {X_SHORT}", "X to move", "s ago"),
            ("n", "To start a game, give --account ALIAS --against ADDRESS."),
        )


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (30, 20)])
def test_price__is_shown_where_coins_have_one(creation_code, columns, rows):
    """The first key chooses; Enter, `y` or the same key signs."""
    with new_chain(1) as chain:
        chain.add_table(creation_code, "")
        with chain.type(f"{AS_X} --expected-chain-id 1", columns=columns, rows=rows) as play:
            for key, answer, reply in (("5", "6", ""), ("5", "5", "1"), ("9", "\r", "2"), ("8", "y", "7")):
                asked = ("Sign move ", " for about 0.0000", "ETH, at most 0.00", f"y, Enter or {key}: yes", "?")
                signed = "to move" if reply else "Your turn"
                answered = lambda reply=reply: chain.table.play(reply)  # noqa: E731
                play.plays(
                    ("", "Your turn", "![y/N]"), (key, *asked), (answer, signed, "![y/N]"), (answered, "Your turn")
                )
            play.plays(("f", "Forfeit game 1 as X for about 0.0000"), ("y", "You lost, you forfeit"))
    assert len(chain.node.sent) == 4


# -- seats -------------------------------------------------------------------------------------

INVITED = [
    "Your friend pastes this line in a clone of this project. It starts the game:",
    "If your friend sent you a line, run that one instead.",
]


def test_player_without_a_game__invites_a_friend(empty_chain, creation_code):
    empty_chain.add_table(creation_code)
    with empty_chain.type(AS_O) as play:
        play.sees(*INVITED, "waiting for your friend · block 1, ", "q quits", "!No game yet")
        bells = play.bells
        play.plays((empty_chain.table.new_game, "Game 1", f"X {X_SHORT}", "O you", f"{X_SHORT} to move"), QUIT)
        assert (play.end().code, play.bells) == (0, bells + 1)


def test_invitation__in_a_pipe_ends_with_its_input(chain):
    """A game of others is shown first."""
    done = chain.run(f"play {AT} --account TEST::3")
    shown = [f"X {X_SHORT}", "This is a game of others. The line below starts one in its place.", *INVITED]
    places = [done.out.find(each) for each in shown]
    assert (done.code, places, -1 in places) == (0, sorted(places), False), done


@pytest.mark.parametrize(
    ("account", "against", "keys", "seats"),
    [
        (2, 1, None, None),  # no game yet: who starts it has X
        (2, 1, "5", "XO"),  # it goes on
        (1, 2, X_WINS, "OX"),  # the next one has swapped seats
        (2, 1, X_WINS, "OX"),
        (1, 1, None, None),  # against oneself
    ],
)
def test_against__resumes_the_game_or_starts_the_next(empty_chain, creation_code, account, against, keys, seats):
    empty_chain.add_table(creation_code, keys)
    done = empty_chain.run(f"play {AT} --account TEST::{account} --against {Role(against).address}")
    players = (account, against) if seats is None else {"XO": (1, 2), "OX": (2, 1)}[seats]
    x, o = ("you" if player == account else short(Role(player).address) for player in players)
    shown = done.out.split("Game ")[-1]
    assert (done.code, f"X {x}" in shown, f"O {o}" in shown) == (0, True, True), done
    assert len(empty_chain.node.sent) == (keys != "5")


def test_finished_game__is_shown_to_a_person(chain):
    chain.table.play(X_WINS)
    with chain.type(f"{AS_O} --against {X}") as play:
        play.plays(("", "You lost", "n next game"), ("s", "Game 2", "O you", f"{X_SHORT} to move"))


@pytest.mark.usefixtures("keyfiles")
def test_names__are_those_of_the_players_accounts(chain):
    chain.table.new_game(X, BEN.address)
    with chain.type(AS_X) as play:
        play.sees("X you", "O ben")
    done = chain.run(f"{AS_O} --against ben", "n\n")
    assert f"between {X_SHORT} and ben is not finished. Start a new game in its place? [y/N]" in done.out


@pytest.mark.usefixtures("keyfiles")
def test_account_that_is_not_named__is_asked_for(chain):
    with chain.type(f"play {AT} --against {X}") as play:
        play.wait_for("Which account do you play with? (anna, ben):")
        play.press("ben\r")
        play.wait_for("Passphrase of 'ben': ")


# -- line by line ------------------------------------------------------------------------------


def test_pipe__keeps_keys_until_the_turn_and_waits_for_no_opponent(chain):
    with chain.type(AS_O, keys=lines("1")) as play:
        play.wait_for(f"{X_SHORT} to move")
        chain.table.play("5")
        done = play.end()
    assert (done.code, done.out.count("X5 O1"), "not your turn" in done.out) == (0, 1, False)
    assert re.findall("move 2: .*", done.out) == [f"move 2: sent {chain.node.sent[0]}", "move 2: mined in block 4"]


@pytest.mark.parametrize(("term", "plain"), [("dumb", ""), ("xterm-256color", " --plain")])
def test_terminal_line_by_line__reads_keys_with_enter(chain, term, plain):
    with chain.type(AS_X + plain, env={"TERM": term, "NO_COLOR": "1"}) as play:
        play.plays(
            ("", "Your turn", "1-9 play f forfeit ? help q quit"),
            ("5\r", "move 1: mined in block 3", f"{O_SHORT} to move"),
            (lambda: chain.table.play("1"), f"{O_SHORT} played 1.", "Your turn", "X5 O1"),
            ("f\ry", "Forfeit game 1 as X? [y/N]"),
            # What was typed before the question does not answer it.
            ("\r8\r", "X5 O1 X8"),
            ("?\rq\r",),
        )
        done = play.end()
    assert (done.code, "this help" in done.out, len(chain.node.sent)) == (0, True, 2)
    assert re.findall(r"\x1b\[[^m]*[^m0-9;]", done.out) == []


def test_no_color__is_heeded_in_place():
    with Command("play", env={"NO_COLOR": "1"}) as play:
        play.plays(("", "Player 1 to move"), ("5", "X5"))
        assert {cell.fg for line in play.screen.buffer.values() for cell in line.values()} == {"default"}
