"""`ape run play` with no options: two seats, one keyboard, a chain inside the program."""

import resource
import subprocess
import time
from collections.abc import Callable

import click
import pytest

from tests.terminal.terminal import APE, ROOT, Done, ape_run, press

X_WINS = "14253"

# All that ape does before a command of ours has anything to say.
BARE = """
from ape import networks
with networks.parse_network_choice("ethereum:local:test"):
    pass
"""


def test_play__x_wins_through_a_pipe__as_the_readme_says() -> None:
    """A process. The first run of all compiles the contract too; nothing of the frameworks' is heard."""
    done = ape_run("play", keys=press(X_WINS))
    assert done.code == 0
    assert any("X wins" in line for line in done.out.splitlines())
    assert "\x1b" not in done.out, "colour codes where no terminal is"
    assert done.err == ""
    for noise in ("INFO", "SUCCESS", "WARNING", "ERROR", "Compil", "py-evm", "Deprecat", "warn"):
        assert noise not in done.out
    mined = [line for line in done.out.splitlines() if "mined in block" in line]
    assert [line.split(",")[0] for line in mined] == [
        "new game: mined in block 2",
        *(f"move {n}: mined in block {n + 2}" for n in range(1, 6)),
    ]


def test_play__first_board__costs_little_more_than_ape_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """
    From the command to the board and out again, beside a program that only lets ape open its embedded chain.

    Seconds of computing, which other work on the machine does not stretch. The clock's are printed, not asserted.
    """
    ape_run("play")

    def run(work: Callable[[], object]) -> tuple[float, float]:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        computing = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return computing, time.monotonic() - start

    def play() -> None:
        assert "X to move" in ape_run("play", keys="q\n").out

    def bare() -> None:
        subprocess.run([APE.parent / "python", "-c", BARE], check=True, cwd=ROOT, capture_output=True)

    computing, clock = min(run(play) for _ in range(3))
    frame, _ = min(run(bare) for _ in range(3))
    with capsys.disabled():
        click.echo(
            f"\n  play, from the command to the first board: {clock:.1f} s, of computing {computing:.1f} s; "
            f"ape alone {frame:.1f} s"
        )
    assert computing <= 1.6 * frame


def test_play__no_utf8__draws_with_plain_characters() -> None:
    done = ape_run("play", keys=press(X_WINS), env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.code == 0, done.err
    assert "-------+-------+-------" in done.out
    assert "0xf39F..2266 1 - 0x7099..79C8 0 - draws 0" in done.out


Command = Callable[..., Done]


@pytest.mark.parametrize(
    ("keys", "result"),
    [
        pytest.param("14253", "Game 1: X wins.", id="x-wins"),
        pytest.param("142576", "Game 1: O wins.", id="o-wins"),
        pytest.param("123547698", "Game 1: a draw.", id="draw"),
        pytest.param("fy", "Game 1: O wins: X forfeits.", id="x-forfeits"),
        pytest.param("5fy", "Game 1: X wins: O forfeits.", id="o-forfeits"),
    ],
)
def test_play__each_result__is_told_in_a_line(command: Command, keys: str, result: str) -> None:
    done = command("play", keys=press(keys))
    assert result in done.out.splitlines()
    assert done.code == 0


def test_play__forty_columns__nothing_is_wider(command: Command) -> None:
    done = command("play", keys=press("123547698h"), COLUMNS="40")
    assert "Game 1: a draw." in done.out
    wide = [line for line in done.out.splitlines() if len(line.rstrip()) > 40]
    # Only an address, which must not be broken, may be longer than the screen.
    assert [line for line in wide if "0x" not in line] == []


def test_play__marks__last_move_in_brackets_and_the_winning_line_in_stars(command: Command) -> None:
    done = command("play", keys=press(X_WINS))
    boards = done.out.split("Game 1\n")
    assert "[X]" in boards[2]
    assert boards[-1].count("*X*") == 3


def test_play__rounds__are_counted_and_seats_swap_when_asked(command: Command) -> None:
    """X wins; again with seats swapped, and X (who was O) wins; again as they sit, a draw."""
    done = command("play", keys=press(f"{X_WINS} ny {X_WINS} nn 123547698 h"), COLUMNS="120")
    assert done.code == 0
    scores = [line.partition("score")[2].strip() for line in done.out.splitlines() if "score" in line]
    assert "0xf39F…2266 1 · 0x7099…79C8 0 · draws 0" in scores
    assert "0x7099…79C8 1 · 0xf39F…2266 1 · draws 0" in scores
    assert scores[-1] == "0x7099…79C8 1 · 0xf39F…2266 1 · draws 1"
    history = done.out.rpartition("Game 3: a draw.\n")[0]
    history = done.out[len(history) :]
    assert "9. X to cell 8" in history
    assert "Game 1: X wins" in done.out.rpartition("Game 1: X wins")[0]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        pytest.param("11", "That cell is taken. Choose one that shows a number.", id="taken"),
        pytest.param("142531", "No game is in progress at this table. Start one with n.", id="over"),
        pytest.param("x", "'x' is no key here.", id="unknown-key"),
    ],
)
def test_play__a_mistake__is_a_sentence(command: Command, keys: str, sentence: str) -> None:
    done = command("play", keys=press(keys))
    assert sentence in done.out
    assert "Traceback" not in done.out + done.err


def test_play__a_script_that_ends_in_a_refusal__hears_of_it(command: Command) -> None:
    assert command("play", keys=press("11")).code == 8
    # ... and not when it went on after the mistake.
    assert command("play", keys=press("114253")).code == 0


def test_play__forfeit_not_confirmed__the_game_goes_on(command: Command) -> None:
    done = command("play", keys=press(f"fn {X_WINS}"))
    assert "O wins" not in done.out
    assert "Game 1: X wins." in done.out


def test_play__help__names_every_key(command: Command) -> None:
    done = command("play", keys=press("?"))
    for words in ("1-9  play that cell", "n  new game", "f    forfeit", "h  history", "q    quit", "?  this help"):
        assert words in done.out


def test_play__q__leaves_at_once(command: Command) -> None:
    done = command("play", keys=press("q 14253"))
    assert done.code == 0
    assert "X wins" not in done.out
