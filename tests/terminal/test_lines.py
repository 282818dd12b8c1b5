"""`play` line by line: in pipes and on terminals that cannot move their cursor."""

from tests.support.commands import Command, lines
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tests.support.terminal import Terminal
from tictactoe import Table

AS_X = ("--account", Role.PLAYER_X.alias)


def test_pipe__ends_with_its_input_and_waits_for_no_opponent(command: Command, local: LocalTable, table: Table) -> None:
    local.new_game()
    done = command("play", *local.options, *AS_X, keys=lines("5"))
    assert done.code == 0
    assert "O to move" in done.out
    assert table.state().moves == (4,)


def test_dumb_terminal__reports_what_happens_without_escape_codes(local: LocalTable) -> None:
    local.new_game()
    with Terminal("play", *local.options, *AS_X, env={"TERM": "dumb"}) as play:
        play.wait_for("X, your move (1-9, ? for help):")
        play.press("5\n")
        play.wait_for("move 1: sent 0x", "move 1: mined in block 3", "O to move")
        local.play("1")
        play.wait_for("O played 1.", "Your turn")
        play.press("q\n")
        assert play.end() == 0
    assert "\x1b" not in play.raw


def test_half_a_line_typed_before_a_question__is_not_its_answer(local: LocalTable) -> None:
    local.new_game()
    with Terminal("play", *local.options, *AS_X, "--plain") as play:
        play.wait_for("X, your move (1-9, ? for help):")
        play.press("f\ny")
        play.wait_for("Forfeit game 1 as X? [y/N]")
        play.press("\nq\n")
        assert play.end() == 0
        assert "forfeit" not in play.text.partition("[y/N]")[2]
