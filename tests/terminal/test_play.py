"""`ape run play` in terminals and pipes: keys, what happens while it waits, seats, windows and signals."""

from __future__ import annotations

import re
import signal

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support import wait_until
from tests.support.anvil import SEPOLIA
from tests.support.chain import Chain, new_chain
from tests.support.commands import Command, ape_run, keys_for, lines
from tests.support.keyfiles import BEN
from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.support.wrong_node import Answer
from tests.terminal.failures import silent, status
from tictactoe.formatting import short

X_WINS, O_WINS, DRAW = keys_for(WON_BY_X), keys_for(WON_BY_O), keys_for(DRAWN)

# -- at one keyboard ---------------------------------------------------------------------------

# What is pressed, and what is then on the screen.
SCRIPT = [
    ("", "Game 1", "Player 1 to move"),
    ("5", "Player 2 to move"),
    ("5", "That cell is taken."),
    ("\x1b[A", "That cell is taken."),  # an arrow is no key
    ("?", "this help", "Any key: back to the game"),
    ("9", "Player 2 to move"),
    ("1", "Player 1 to move"),
    ("fy", "Forfeit game 1 as X? [y/N]", "any other key: no"),  # what was typed before a question does not answer it
    ("5", "Player 1 to move"),
    ("n", "Game 1 is not finished. Start a new game in its place? [y/N]"),
    ("n", "Player 1 to move"),
    ("2", "Player 2 to move"),
    ("4", "Player 1 to move"),
    ("8", "Player 1 wins", "Player 1: 1 · Player 2: 0", "n next game"),
    ("1", "No game is in progress at this table."),
    ("n", "Game 2", "Player 2 to move"),  # seats swap: Player 2 has X
    ("f", "Forfeit game 2 as X? [y/N]"),
    ("y", "Player 1 wins, Player 2 forfeits", "Player 1: 2 · Player 2: 0"),
    ("s", "Game 3", "Player 2 to move"),
    ("x", "'x' is not a key."),
]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 24), (30, 20)])
def test_script_of_keys(columns: int, rows: int) -> None:
    with Command("play", columns=columns, rows=rows) as play:
        for key, *shown in SCRIPT:
            play.press(key)
            text = play.sees(*shown, without="\0" if "[y/N]" in shown[0] else "[y/N]")
            assert text.endswith(("q quit", "any other key: no", "back to the game")), text
        play.press("q")
        assert play.end().code == 0
        assert_left(play, "Game 3", "Player 1: 2 · Player 2: 0")


def assert_left(play: Command, *shown: str) -> None:
    """The last board and the score stay; the terminal is as it was."""
    text = play.text
    assert all(each in text for each in shown), text
    assert (play.echoes(), play.screen.cursor.hidden) == (True, False)


@pytest.mark.parametrize(
    ("keys", "result", "code"),
    [
        (O_WINS, "Player 2 wins", 0),
        (DRAW, "A draw", 0),
        ("fn" + X_WINS, "Player 1 wins", 0),
        ("11" + X_WINS[1:], "Player 1 wins", 0),
        ("11", "That cell is taken.", 8),  # the exit code is that of the last key
        ("q" + X_WINS, "Player 1 to move", 0),
        ("", "Player 1 to move", 0),
    ],
)
def test_pipe__plays_to_its_end(keys: str, result: str, code: int) -> None:
    done = ape_run("play", keys=lines(keys), env={"COLUMNS": "40"})
    assert (done.code, done.out.split("Game 1\n")[-1].count(result)) == (code, 1), done
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 40


def test_score__follows_the_players_through_the_seats() -> None:
    done = ape_run("play", keys=lines(f"{X_WINS} n {X_WINS} s {DRAW}"))
    assert list(dict.fromkeys(re.findall(r"Player 1: .*", done.out))) == [
        "Player 1: 1 · Player 2: 0 · draws: 0",
        "Player 1: 1 · Player 2: 1 · draws: 0",
        "Player 1: 1 · Player 2: 1 · draws: 1",
    ]


# -- on a network ------------------------------------------------------------------------------

AT = f"play --network $node --table {FIRST_TABLE}"
AS_X, AS_O = f"{AT} --account TEST::1", f"{AT} --account TEST::2"
THEIRS, MINE = short(Role.PLAYER_O.address), short(Role.PLAYER_X.address)


def test_keys_while_a_transaction_waits__are_dropped_but_for_help_and_quit(chain: Chain) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn", "1-9 play")
        chain.anvil.rpc("evm_setAutomine", False)
        play.press("5")
        play.sees("Move 1 is on its way", "move 1: sent 0x", "waiting for a block")
        bells = play.bells
        play.press("7f")
        wait_until(lambda: play.bells == bells + 2, lambda: "no bell")
        play.press("?")
        play.sees("this help")
        play.press("7")
        play.sees("Move 1 is on its way", without="this help")
        chain.anvil.rpc("evm_mine")
        play.sees(f"{THEIRS} to move", "X5")
        chain.anvil.rpc("evm_setAutomine", True)
        chain.local.play("1")
        chain.anvil.rpc("evm_setAutomine", False)
        play.sees("Your turn", f"{THEIRS} played 1.")
        play.press("2")
        play.sees("Move 3 is on its way")
        play.press("q")
        assert play.end().code == 0
        assert_left(play, f"Mined: move 1. Sent but not mined yet: move 3 ({chain.node.sent[-1]}).", "X5 O1")


@pytest.mark.parametrize("wrong", [status(502), silent], ids=["fails", "silent"])
def test_node_that_is_away__takes_no_key(chain: Chain, wrong: Answer) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        chain.node.wrong = {"*": wrong}
        if wrong is silent:
            asked = len(chain.node.asked)
            wait_until(lambda: len(chain.node.asked) > asked, lambda: "not asked")
        else:
            away = "The node's web server failed: 502 Bad Gateway; trying again. Ctrl-C stops."
            play.sees(away, "Your turn", "? help q quit", without="1-9 play")
        bells = play.bells
        play.press("3")
        wait_until(lambda: play.bells > bells, lambda: "no bell")
        play.press("?")
        play.sees("this help")
        play.press("x")
        if wrong is silent:
            # While the question waits for its answer.
            play.press("q")
        else:
            chain.node.wrong = {}
            play.sees("Your turn", without="trying again")
            play.press("9")
            play.sees("X9", without="on its way")
            play.press("q")
        assert play.end().code == 0
        assert len(chain.node.sent) == (wrong is not silent)
        assert "did not complete" not in play.out


def test_question__is_withdrawn_when_the_board_has_changed(chain: Chain) -> None:
    """The player moves in another window."""
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        play.press("f")
        play.sees("Forfeit game 1 as X? [y/N]")
        chain.local.play("5")
        play.sees("You played 5.", f"{THEIRS} to move", without="[y/N]")
        play.press("y")
        play.sees("'y' is not a key.")
    assert chain.node.sent == []


def test_move_in_another_window__is_known_when_the_node_refuses_this_one(chain: Chain) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        chain.node.after = {"eth_maxPriorityFeePerGas": lambda _tip: chain.local.play("5")}
        play.press("9")
        play.sees("You have moved in another window. Nothing was sent.", "X5", f"{THEIRS} to move")
    assert chain.node.sent == []


@pytest.mark.parametrize(("winner", "cost"), [("estimate", "cost nothing"), ("chain", "cost 0.0000")])
def test_game_that_both_start__is_the_first_ones(chain: Chain, winner: str, cost: str) -> None:
    chain.local.play(X_WINS)
    with chain.type(AS_X) as play:
        play.sees("You won", "n next game")

        def first(_answer: object) -> None:
            chain.local.new_game(chain.local.o, chain.local.x)

        chain.node.after = {"eth_getTransactionCount" if winner == "chain" else "eth_feeHistory": first}
        play.press("n")
        play.sees(f"You both started a game. {THEIRS}'s came first, and yours {cost}", "Game 2")
        assert "has started" not in play.text
        play.press("q")
        assert play.end().code == 0


def test_game_of_strangers_over_ours__is_watched(chain: Chain) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        chain.local.new_game(Role.STRANGER.address, Role.OTHER.address)
        stranger, other = short(Role.STRANGER.address), short(Role.OTHER.address)
        play.sees(f"Game 2 between {stranger} and {other} has started, over game 1, which was not finished.")
        play.press("n")
        play.sees(f"Game 2 between {stranger} and {other} is not finished. Start a new game in its place? [y/N]")
        play.press("y")
        play.sees("Game 3", f"X {THEIRS}", "O you")


def test_end_of_a_game__is_said_once_it_is_confirmed(creation_code: bytes) -> None:
    with new_chain(SEPOLIA) as chain:
        chain.add_table(creation_code, X_WINS[:4])
        with chain.type(AS_X.replace("$node", "ethereum:sepolia:$node")) as play:
            play.sees("Your turn")
            play.press(X_WINS[4])
            play.sees("You won", "you: 1")
            assert "confirmations" not in play.text
            chain.anvil.rpc("anvil_mine", "0x2")
            play.sees("The result has 2 confirmations.")
            chain.anvil.rpc("anvil_reorg", 4, [])
            play.sees("A reorg took back moves 4 (O5) and 5 (X3).", without="confirmations")


def test_start_of_more_than_a_second__says_so(chain: Chain) -> None:
    chain.node.wrong = {"eth_getCode": silent}
    with chain.type(AS_X) as play:
        play.sees("Starting...")


def test_spectator__is_told_how_to_play(chain: Chain) -> None:
    with chain.type(AT) as play:
        play.sees("You are only watching. To play, give --account ALIAS.", f"X {MINE}", "X to move", "s ago")
        play.press("n")
        play.sees("To start a game, give --account ALIAS --against ADDRESS.")


def test_price__is_shown_where_coins_have_one(creation_code: bytes) -> None:
    """The first key chooses; Enter, `y` or the same key signs."""
    with new_chain(1) as chain:
        chain.add_table(creation_code, "")
        with chain.type(f"{AS_X} --expected-chain-id 1") as play:
            for key, answer, reply in (("5", "6", ""), ("5", "5", "1"), ("9", "\r", "2"), ("8", "y", "7")):
                play.sees("Your turn", without="[y/N]")
                play.press(key)
                play.sees("Sign move ", " for about 0.0000", " ETH, at most 0.00", f"y, Enter or {key}: yes")
                play.press(answer)
                play.sees("to move" if reply else "Your turn", without="[y/N]")
                chain.local.play(reply)
            play.sees("Your turn", "X5 O1 X9 O2 X8 O7")
            play.press("f")
            play.sees("Forfeit game 1 as X for about 0.0000")
            play.press("y")
            play.sees("You lost, you forfeit")
    assert len(chain.node.sent) == 4


# -- seats -------------------------------------------------------------------------------------

INVITED = [
    "Your friend pastes this line in a clone of this project. It starts the game:",
    "If your friend sent you a line, run that one instead.",
]


def test_player_without_a_game__invites_a_friend(creation_code: bytes) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code)
        with chain.type(AS_O, env={"NO_COLOR": "1"}) as play:
            text = play.sees(*INVITED, "waiting for your friend · block 1, ", "q quits")
            line = f"uv run ape run play --network NODE-OF-CHAIN-31337 --table {FIRST_TABLE} --against {chain.local.o}"
            assert line in play.out.replace("\x1b[1m", "").replace("\x1b[0m", ""), play.out
            assert "No game yet" not in text
            chain.local.new_game()
            play.sees("Game 1", f"X {MINE}", "O you", f"{MINE} to move")
            play.press("q")
            assert play.end().code == 0


def test_invitation__in_a_pipe_ends_with_its_input(chain: Chain) -> None:
    """A game of others is shown first."""
    done = chain.run(f"{AT} --account TEST::3")
    shown = [f"X {MINE}", "This is a game of others. The line below starts one in its place.", *INVITED]
    places = [done.out.find(each) for each in shown]
    assert (done.code, places) == (0, sorted(places)), done
    assert -1 not in places


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
def test_against__resumes_the_game_or_starts_the_next(
    creation_code: bytes, account: int, against: int, keys: str | None, seats: str | None
) -> None:
    with new_chain() as chain:
        chain.add_table(creation_code, keys)
        done = chain.run(f"{AT} --account TEST::{account} --against {Role(against).address}")
    assert done.code == 0, done
    players = (account, against) if seats is None else {"XO": (1, 2), "OX": (2, 1)}[seats]
    names = ["you" if player == account else short(Role(player).address) for player in players]
    shown = done.out.split("Game ")[-1]
    assert (f"X {names[0]}" in shown, f"O {names[1]}" in shown) == (True, True), done
    assert len(chain.node.sent) == (keys != "5")


def test_finished_game__is_shown_to_a_person(chain: Chain) -> None:
    chain.local.play(X_WINS)
    with chain.type(f"{AS_O} --against {chain.local.x}") as play:
        play.sees("You lost", "n next game")
        play.press("s")
        play.sees("Game 2", "O you", f"{MINE} to move")


@pytest.mark.usefixtures("keyfiles")
def test_names__are_those_of_the_players_accounts(chain: Chain) -> None:
    chain.local.new_game(Role.PLAYER_X.address, BEN.address)
    with chain.type(AS_X) as play:
        play.sees("X you", "O ben")
    done = chain.run(f"{AS_O} --against ben", "n\n")
    assert f"between {MINE} and ben is not finished. Start a new game in its place? [y/N]" in done.out


# -- line by line ------------------------------------------------------------------------------


def test_pipe__keeps_keys_until_the_turn_and_waits_for_no_opponent(chain: Chain) -> None:
    with chain.type(AS_O, keys=lines("1")) as play:
        play.wait_for(f"{MINE} to move")
        chain.local.play("5")
        play.wait_for("move 2: mined in block 4")
        done = play.end()
    assert (done.code, done.out.count("X5 O1"), "not your turn" in done.out) == (0, 1, False)
    assert re.findall("move 2: .*", done.out) == [f"move 2: sent {chain.node.sent[0]}", "move 2: mined in block 4"]


@pytest.mark.parametrize(("term", "plain"), [("dumb", ""), ("xterm-256color", " --plain")])
def test_terminal_line_by_line__reads_keys_with_enter(chain: Chain, term: str, plain: str) -> None:
    with chain.type(AS_X + plain, env={"TERM": term, "NO_COLOR": "1"}) as play:
        play.sees("Your turn", "1-9 play f forfeit ? help q quit")
        play.press("5\r")
        play.sees("move 1: mined in block 3", f"{THEIRS} to move")
        chain.local.play("1")
        play.sees(f"{THEIRS} played 1.", "Your turn", "X5 O1")
        play.press("f\ry")
        play.sees("Forfeit game 1 as X? [y/N]")
        # What was typed before the question does not answer it.
        play.press("\r8\r")
        play.sees("X5 O1 X8")
        play.press("?\rq\r")
        assert play.end().code == 0
    assert "this help" in play.out
    assert re.findall(r"\x1b\[[^m]*[^m0-9;]", play.out) == []
    assert len(chain.node.sent) == 2


def test_locale_without_utf8__gets_plain_characters() -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    done = ape_run("play", keys=lines(X_WINS), env=ascii_only)
    assert (done.code, done.out.isascii()) == (0, True)
    assert "Player 1: 1 - Player 2: 0 - draws: 0" in done.out
    with Command("play", env=ascii_only) as play:
        play.sees("Player 1 to move")
        play.press("5")
        play.sees("[ # ]", "-----------+-----------+-----------")
        assert play.out.isascii()


# -- signals, windows and streams --------------------------------------------------------------


def test_window__may_change_its_size(chain: Chain) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn", "O " + THEIRS)
        for columns, rows in ((60, 24), (30, 20), (100, 40)):
            play.resize(columns, rows)
            play.sees("Your turn", "? help q quit")
            assert sum("q quit" in line for line in play.lines) == 1
        play.resize(29, 20)
        play.sees("30 x 20 needed", without="turn")


def test_ctrl_z__gives_the_terminal_back_and_fg_takes_it(chain: Chain) -> None:
    """Nobody could continue it here, so the system lets it go on at once."""
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        drawn = len(play.out)
        play.stop(signal.SIGTSTP)
        wait_until(
            lambda: "Your turn" in play.out[drawn:].partition("\x1b[?1049l\x1b]0;\x07")[2], lambda: play.out[drawn:]
        )
        play.press("5")
        play.sees("X5")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["int", "term", "hup"]
)
def test_signal_in_a_game__leaves_the_board_and_lists_what_was_sent(
    chain: Chain, number: signal.Signals, code: int
) -> None:
    with chain.type(AS_X) as play:
        play.sees("Your turn")
        chain.anvil.rpc("evm_setAutomine", False)
        play.press("5")
        play.sees("Move 1 is on its way", "waiting for a block")
        play.stop(number)
        assert play.end().code == code
        assert_left(play, f"Stopped. Sent but not mined yet: move 1 ({chain.node.sent[0]}).", "Move 1 is on its way")
