"""`ape run play` without options: two players, one keyboard, a chain inside the program."""

import re

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.commands import APE, Command, ape_run, keys_for, lines, run
from tictactoe import errors
from tictactoe.errors import REASONS

X_WINS, O_WINS, DRAW = keys_for(WON_BY_X), keys_for(WON_BY_O), keys_for(DRAWN)

# All that ape does before our command starts.
APE_ALONE = """
from ape import networks
with networks.parse_network_choice("ethereum:local:test"):
    pass
"""


def test_game_through_a_pipe__prints_only_the_game() -> None:
    """Nothing from the frameworks, although the first run compiles the contract too."""
    done = ape_run("play", keys=lines(X_WINS))
    assert done.code == 0
    first, *_, last = done.out.split("Game 1\n")[1:]
    assert ("X 0x" in first, last.count("*X*")) == (True, 3)
    assert "\x1b" not in done.out, "colour codes where no terminal is"
    assert done.err == ""
    for noise in ("INFO", "SUCCESS", "WARNING", "ERROR", "Compil", "py-evm", "Deprecat", "warn"):
        assert noise not in done.out


def test_first_board__loads_little_more_than_ape_itself() -> None:
    """Beside a program that only lets ape open its embedded chain. Loading is most of the wait for the board."""
    ape_run("play")  # compiles, if nothing has

    def modules(*command: str) -> int:
        return run([*command], "q\n", {"PYTHONPROFILEIMPORTTIME": "1"}).err.count("import time:")

    ape_alone = modules(str(APE.parent / "python"), "-c", APE_ALONE)
    assert 1_000 < ape_alone < modules(str(APE), "run", "play") < 1.2 * ape_alone


# -- what it draws ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "result"),
    [
        pytest.param(X_WINS, "Player 1 wins", id="x wins"),
        pytest.param(O_WINS, "Player 2 wins", id="o wins"),
        pytest.param(DRAW, "A draw", id="draw"),
        pytest.param("fy", "Player 2 wins: Player 1 forfeits", id="x forfeits"),
        pytest.param("5fy", "Player 1 wins: Player 2 forfeits", id="o forfeits"),
    ],
)
def test_result__is_beside_the_board(command: Command, keys: str, result: str) -> None:
    done = command("play", keys=lines(keys))
    assert re.search(rf" {result}$", done.out, re.MULTILINE)
    assert done.code == 0


def test_forty_columns__are_enough(command: Command) -> None:
    done = command("play", keys=lines(DRAW + "h"), COLUMNS="40")
    assert "A draw" in done.out
    wide = [line for line in done.out.splitlines() if len(line.rstrip()) > 40]
    # Only an address may be longer than the screen, because it must not be broken.
    assert [line for line in wide if "0x" not in line] == []


def test_terminal_without_utf8__gets_plain_characters() -> None:
    done = ape_run("play", keys=lines(X_WINS), env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.code == 0, done.err
    assert "-------+-------+-------" in done.out
    assert "Player 1: 1 - Player 2: 0 - draws: 0" in done.out


def test_rounds__are_counted_while_seats_swap(command: Command) -> None:
    """X wins; with swapped seats X, who was O, wins; in the same seats, a draw."""
    done = command("play", keys=lines(f"{X_WINS} n {X_WINS} s {DRAW} h"), COLUMNS="120")
    assert done.code == 0
    scores = re.findall(r"Player 1: .*", done.out)
    assert [*dict.fromkeys(scores)] == [
        "Player 1: 1 · Player 2: 0 · draws: 0",
        "Player 1: 1 · Player 2: 1 · draws: 0",
        "Player 1: 1 · Player 2: 1 · draws: 1",
    ]
    history = done.out.rpartition("A draw")[2]
    assert "Game 1: X wins" in history
    assert "  X1 O2 X3 O5 X4 O6 X8 O7 X9\n" in history


# -- keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        pytest.param("11", REASONS["cell is taken"], id="taken"),
        pytest.param(X_WINS + "1", REASONS["no game in progress"], id="over"),
        pytest.param("x", "'x' is not a key.", id="unknown key"),
    ],
)
def test_mistake__is_a_sentence(command: Command, keys: str, sentence: str) -> None:
    done = command("play", keys=lines(keys))
    assert sentence in done.out
    assert "Traceback" not in done.out + done.err


def test_exit_code__is_that_of_the_last_key(command: Command) -> None:
    assert command("play", keys=lines("11")).code == errors.Reverted.exit_code
    assert command("play", keys=lines("1" + X_WINS)).code == 0


def test_forfeit__not_confirmed_continues_the_game(command: Command) -> None:
    done = command("play", keys=lines(f"fn {X_WINS}"))
    assert "forfeits." not in done.out
    assert "Player 1 wins" in done.out


def test_help__names_every_key(command: Command) -> None:
    done = command("play", keys=lines("?"))
    assert [line[0] for line in done.out.splitlines()[-7:]] == [*"1nsfhq?"]


def test_q__quits_at_once(command: Command) -> None:
    done = command("play", keys=lines(f"q {X_WINS}"))
    assert done.code == 0
    assert " wins" not in done.out
