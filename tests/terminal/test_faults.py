"""`ape run play` while the chain and the node misbehave: reorgs, other games, a node that fails, and Ctrl-C."""

import threading
from pathlib import Path
from typing import Any

from tests.support.commands import Running, ape_run, lines
from tests.support.local_table import LocalTable
from tests.support.proxy import Behaviour, Proxy, Real, Request
from tests.support.roles import Role
from tictactoe import Table, errors
from tictactoe.terminal import output_text

AS_X = ("--account", Role.PLAYER_X.alias)
BOTH_SEATS = ("--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias)


def playing(local: LocalTable, *options: str) -> Running:
    """X at a terminal, whose opponent is elsewhere. The game is in progress."""
    play = Running("play", *local.options, *AS_X, "--patience", "60", "--plain", *options, terminal=True)
    play.wait_for("X, your move")
    return play


# -- reorgs and other games ------------------------------------------------------------------


def test_game_replaced_by_others__makes_the_player_a_spectator(local: LocalTable, table: Table) -> None:
    local.new_game()
    with playing(local) as play:
        local.new_game(Role.OTHER.address, Role.STRANGER.address)
        play.wait_for("Another player started game 2, replacing unfinished game 1.")
        play.wait_for("You are not a player in it, so you watch.")
        play.press("1\n")
        play.wait_for("It is not your turn.")
        play.press("q\n")
        assert play.end() == 0
    assert (table.state().number, table.state().moves) == (2, ())


def test_reorg__names_the_moves_it_took_back(local: LocalTable) -> None:
    local.new_game()
    local.play("51")
    with playing(local) as play:
        local.anvil.rpc("anvil_reorg", 2, [])
        play.wait_for("A reorg took back move 1 (X5), 2 (O1).")
        play.press("9\n")
        play.wait_for("[X]")
        play.press("q\n")
        assert play.end() == 0


def confirming(local: LocalTable) -> Running:
    """X has played 5 in the game's first move, block 3, and waits for two confirmations."""
    local.new_game()
    play = playing(local, "--confirmations", "2")
    play.press("5\n")
    play.wait_for("Waiting for O")
    return play


def test_move_deep_enough__is_confirmed(local: LocalTable) -> None:
    with confirming(local) as play:
        local.anvil.rpc("anvil_mine", "0x1")
        local.play("1")
        play.wait_for("move 1: in block 3, 2 of 2 confirmations")


def test_move_taken_back__is_not_confirmed(local: LocalTable) -> None:
    with confirming(local) as play:
        local.anvil.rpc("anvil_reorg", 1, [])
        play.wait_for("took back move 1 (X5)")
        local.anvil.rpc("anvil_mine", "0x5")
        local.new_game(Role.OTHER.address, Role.STRANGER.address)
        play.wait_for("Another player started game 2")
        play.interrupt()
        assert play.end() == errors.Interrupted.exit_code
        assert "2 of 2 confirmations" not in play.text
        assert "Taken back by a reorg, may be mined again: move 1 (0x" in " ".join(play.text.split())


def test_move_mined_again__is_confirmed_from_its_new_block(local: LocalTable) -> None:
    with confirming(local) as play:
        (transaction,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
        raw = local.anvil.rpc("debug_getRawTransaction", transaction)
        local.anvil.rpc("anvil_mine", "0x1")
        local.anvil.rpc("anvil_reorg", 2, [[raw, 1]])
        assert local.anvil.receipt(transaction)["blockNumber"] == "0x4"
        local.anvil.rpc("anvil_mine", "0x2")
        play.wait_for("move 1: in block 4, 2 of 2 confirmations")
        assert "block 3, 2 of 2" not in play.text


# -- a node that fails -----------------------------------------------------------------------


def test_node_restarted__game_continues(local: LocalTable, tmp_path: Path) -> None:
    local.new_game()
    local.anvil.keep_state(tmp_path / "state.json")
    with playing(local) as play:
        local.anvil.stop()
        play.wait_for("Cannot reach the node.")
        local.anvil.start()
        play.wait_for(output_text.NODE_IS_BACK)
        play.press("5\n")
        play.wait_for("move 1: mined")
        play.press("q\n")
        assert play.end() == 0


def no_estimates(well: threading.Event) -> Behaviour:
    """A load balancer that answers 502 to some questions, for longer than web3 retries by itself."""

    def behave(request: Request, real: Real) -> Any:
        if request["method"] == "eth_estimateGas" and not well.is_set():
            raise ConnectionError
        return real()

    return behave


def test_node_fails_at_a_key_press__key_is_not_lost(local: LocalTable) -> None:
    well = threading.Event()
    local.new_game()
    with Proxy(local.anvil.url, no_estimates(well)) as proxy:
        where = ("--network", proxy.url, "--table", local.address)
        with Running("play", *where, *BOTH_SEATS, "--patience", "60") as play:
            play.press(lines("51q"))
            play.wait_for("502 Bad Gateway")
            well.set()
            play.wait_for(output_text.NODE_IS_BACK)
            play.wait_for("move 1: mined")
            play.wait_for("move 2: mined")
            assert play.end() == 0


def test_node_fails_at_a_key_press__patience_ends(local: LocalTable) -> None:
    local.new_game()
    with Proxy(local.anvil.url, no_estimates(threading.Event())) as proxy:
        where = ("--network", proxy.url, "--table", local.address)
        done = ape_run("play", *where, *BOTH_SEATS, "--patience", "1", keys="5\n")
    assert done.code == errors.NodeLost.exit_code
    assert "Nothing was sent." in done.err


def test_node_lost__reports_what_was_sent(local: LocalTable) -> None:
    local.new_game()
    with Running("play", *local.options, *AS_X, "--patience", "2") as play:
        play.press("5\n")
        play.wait_for("Waiting for O")
        local.anvil.stop()
        assert play.end() == errors.NodeLost.exit_code
    assert "Mined: move 1." in play.text
    assert "run the same command again" in play.text
    assert "Traceback" not in play.text


# -- Ctrl-C ----------------------------------------------------------------------------------


def test_ctrl_c_before_a_move__reports_that_nothing_was_sent(local: LocalTable) -> None:
    """`test_money.py` sends signals while a transaction waits."""
    local.new_game()
    with playing(local) as play:
        play.interrupt()
        assert play.end() == errors.Interrupted.exit_code
        assert errors.Interrupted.outcome in play.text
