"""A testnet, rehearsed: Sepolia's chain id, a block a second, people with keyfiles and passphrases, processes."""

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.anvil import Anvil
from tests.terminal.chain import LocalTable
from tests.terminal.conftest import PASSPHRASE
from tests.terminal.proxy import Proxy
from tests.terminal.terminal import APE, ROOT, Running, ape_run, environment
from tictactoe import Game, Table
from tictactoe.node import Node

SEPOLIA = 11155111


@pytest.fixture
def sepolia(keyfiles: dict[str, str]) -> Iterator[Anvil]:
    with Anvil(chain_id=SEPOLIA, block_time=1) as node:
        for address in keyfiles.values():
            node.rpc("anvil_setBalance", address, hex(10**18))
        yield node


def rebuild(lines: list[dict[str, Any]]) -> Game:
    """The game that is on, from nothing but the lines of `watch --json`."""
    told: list[dict[str, Any]] = []
    for line in lines:
        if line["event"] in ("CaughtUp", "Restarted"):
            continue
        if line["takenBack"]:
            told.pop()
        else:
            told.append(line)
    game = Game()
    for line in told:
        if line["event"] == "GameCreated":
            game = Game(line["gameId"], line["playerX"], line["playerO"], (), "in_progress")
        elif line["event"] == "MoveMade":
            game = Game(
                game.number, game.player_x, game.player_o, (*game.moves, line["row"] * 3 + line["col"]), game.status
            )
        else:
            game = Game(game.number, game.player_x, game.player_o, game.moves, line["status"])
    return game


def test_rehearsal__two_people_and_a_watcher(
    sepolia: Anvil, keyfiles: dict[str, str], connect: Callable[[str], Node]
) -> None:
    unlocked = {"APE_ACCOUNTS_anna_PASSPHRASE": PASSPHRASE}
    network = ("--network", sepolia.url)
    chain = ("--expected-chain-id", str(SEPOLIA))

    deployed = ape_run(
        *("deploy", *network, "--account", "anna", "--yes", "--expected-chain-id", str(SEPOLIA)),
        *("--confirmations", "1", "--json"),
        env=unlocked,
    )
    assert deployed.code == 0, deployed.err
    told = json.loads(deployed.out)
    assert told["deployer"] == keyfiles["anna"]
    assert told["proved"] is True
    assert told["chainId"] == SEPOLIA
    assert int(told["cost"]) > 0

    # Neither names the table: ape remembers it. One passphrase comes from the environment, the other is typed.
    with (
        Running("watch", *network, "--json") as watch,
        Running("play", *network, *chain, "--account", "anna", "--against", keyfiles["ben"], env=unlocked) as anna,
    ):
        anna.press("1\n2\n3\n")
        watch.wait_for('"GameCreated"')
        with Running("play", *network, *chain, "--account", "ben", terminal=True) as ben:
            ben.wait_for("Passphrase of 'ben': ")
            ben.press(PASSPHRASE + "\n")
            ben.wait_for("O, your move")
            ben.press("4\n")
            ben.wait_for("O, your move", count=2)
            ben.press("5\n")
            ben.wait_for("X wins")
            ben.press("q\n")
            assert ben.end() == 0
            assert PASSPHRASE not in ben.text
            # What feels alive: the seconds that pass, and the explorer's link.
            assert "waiting for a block" in ben.text
            assert "waiting for X" in ben.text
            assert "https://sepolia.etherscan.io/tx/0x" in ben.text
        anna.wait_for("Game 1: X wins.")
        anna.press("q\n")
        assert anna.end() == 0
        for stage in ("signing", "sent 0x", "mined in block", "https://sepolia.etherscan.io/tx/0x"):
            assert stage in anna.text
        watch.wait_for('"GameEnded"')
        watch.interrupt()
        assert watch.end() == 0

    lines = [json.loads(line) for line in watch.text.splitlines()]
    game = Table(told["address"], connect(sepolia.url)).state()
    assert rebuild(lines) == game
    assert (game.status, game.moves) == ("x_won", (0, 3, 1, 4, 2))
    assert (game.player_x, game.player_o) == (keyfiles["anna"], keyfiles["ben"])


def playing(local: LocalTable) -> Running:
    """X at a keyboard, in a game against somebody elsewhere."""
    return Running(
        *("play", "--network", local.anvil.url, "--table", local.address, "--account", "TEST::0", "--patience", "60"),
        terminal=True,
    )


# -- coming back with the same command ---------------------------------------------------


def back(local: LocalTable, account: int, against: int) -> tuple[str, ...]:
    where = ("play", "--network", local.anvil.url, "--table", local.address)
    return (*where, "--account", f"TEST::{account}", "--against", local.people[against])


@pytest.mark.parametrize("swapped", [True, False], ids=["seats-were-swapped", "the-other-names-me-too"])
def test_play__the_same_command_again__goes_on_in_the_seats_there_are(local: LocalTable, swapped: bool) -> None:
    """`--account` asks for X; the game that is on has that player as O, whose turn it is."""
    if swapped:
        local.x, local.o = local.o, local.x
    local.new_game()
    local.move(5)
    height = local.anvil.rpc("eth_blockNumber")
    done = ape_run(*(back(local, 0, 1) if swapped else back(local, 1, 0)))
    assert done.code == 0, done.err
    assert "Game 1 goes on: you play O." in done.out
    assert "O to move" in done.out
    assert local.anvil.rpc("eth_blockNumber") == height


def test_play__both_seats_here_and_swapped__goes_on_and_says_who_sits_where(local: LocalTable) -> None:
    local.new_game(local.o, local.x)
    height = local.anvil.rpc("eth_blockNumber")
    where = ("--network", local.anvil.url, "--table", local.address)
    done = ape_run("play", *where, "--x", "TEST::0", "--o", "TEST::1")
    assert done.code == 0, done.err
    assert "Game 1 goes on: 0x7099…79C8 plays X, 0xf39F…2266 plays O." in done.out
    assert local.anvil.rpc("eth_blockNumber") == height


def test_play__ended_while_away__shows_the_end_and_asks_before_it_pays(local: LocalTable) -> None:
    local.new_game()
    local.move(1, 4, 2, 5, 9, 6)
    height = local.anvil.rpc("eth_blockNumber")
    with Running(*back(local, 0, 1), terminal=True) as play:
        play.wait_for("Game 1 against 0x7099…79C8 is over. Start the next one? [y/N]")
        assert "Game 1: O wins." in play.text
        play.press("n\n")
        play.wait_for("n for a new game")
        assert local.anvil.rpc("eth_blockNumber") == height
        play.press("n\n")
        play.wait_for("Swap seats?")
        play.press("n\n")
        play.wait_for("X, your move")
        assert local.anvil.rpc("eth_blockNumber") == hex(int(height, 16) + 1)
        play.press("q\n")
        assert play.end() == 0


def test_play__ended_while_away_and_begun_by_the_other__is_not_begun_twice(local: LocalTable) -> None:
    """Both come back, both are asked; the second answer must not cost the first one's game."""
    local.new_game()
    local.move(1, 4, 2, 5, 9, 6)
    with Running(*back(local, 0, 1), terminal=True) as play:
        play.wait_for("Start the next one? [y/N]")
        local.new_game()
        height = local.anvil.rpc("eth_blockNumber")
        play.press("y\n")
        play.wait_for("Somebody started game 2.")
        play.wait_for("X, your move")
        play.press("q\n")
        assert play.end() == 0
        assert local.anvil.rpc("eth_blockNumber") == height


def test_play__ended_while_away__a_script_shows_the_end_and_begins_the_next(local: LocalTable) -> None:
    local.new_game()
    local.move(1, 4, 2, 5, 9, 6)
    done = ape_run(*back(local, 0, 1))
    assert done.code == 0, done.err
    assert done.out.index("Game 1: O wins.") < done.out.index("new game: mined")
    assert "Start the next one?" not in done.out
    assert "Game 2" in done.out


# -- confirmations -----------------------------------------------------------------------


def confirming(local: LocalTable) -> Running:
    where = ("--network", local.anvil.url, "--table", local.address)
    return Running("play", *where, "--account", "TEST::0", "--confirmations", "2", terminal=True)


def test_play__a_move_deep_enough__is_confirmed(local: LocalTable) -> None:
    local.new_game()
    with confirming(local) as play:
        play.wait_for("X, your move")
        play.press("5\n")
        play.wait_for("waiting for O")
        local.anvil.rpc("anvil_mine", "0x1")
        local.move(1)
        play.wait_for("move 1 is confirmed: block 3 has 2 more on top.")


def test_play__a_move_that_was_taken_back__is_never_confirmed(local: LocalTable) -> None:
    local.new_game()
    with confirming(local) as play:
        play.wait_for("X, your move")
        play.press("5\n")
        play.wait_for("waiting for O")
        local.anvil.rpc("anvil_reorg", 1, [])
        play.wait_for("took back move 1 (X5)")
        local.anvil.rpc("anvil_mine", "0x5")
        local.new_game(local.people[3], local.people[4])
        play.wait_for("Somebody started game 2")
        assert "is confirmed" not in play.text
        play.interrupt()
        assert play.end() == 130, play.text
        assert "Taken back by a reorg, may be mined again: move 1 (0x" in " ".join(play.text.split())


def test_play__a_move_that_was_moved__is_counted_from_its_new_block(local: LocalTable) -> None:
    local.new_game()
    with confirming(local) as play:
        play.wait_for("X, your move")
        play.press("5\n")
        play.wait_for("waiting for O")
        (hash_,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
        raw = local.anvil.rpc("debug_getRawTransaction", hash_)
        local.anvil.rpc("anvil_mine", "0x1")
        local.anvil.rpc("anvil_reorg", 2, [[raw, 1]])
        assert local.receipt(hash_)["blockNumber"] == "0x4"
        local.anvil.rpc("anvil_mine", "0x2")
        play.wait_for("move 1 is confirmed: block 4 has 2 more on top.")
        assert "block 3 has 2 more" not in play.text


# -- what happens while somebody plays ---------------------------------------------------


def test_play__overwritten_while_you_think__says_so_and_nothing_lands_in_the_other_game(
    local: LocalTable, table: Table
) -> None:
    local.new_game()
    with playing(local) as play:
        play.wait_for("X, your move")
        local.new_game(local.people[3], local.people[4])
        play.wait_for("Somebody started game 2 over game 1, which was not finished.")
        play.wait_for("You are not a player in it, so you watch.")
        play.press("1\n")
        play.wait_for("It is not your turn.")
        play.press("q\n")
        assert play.end() == 0
    assert (table.state().number, table.state().moves) == (2, ())


def test_play__a_reorg_takes_moves_back__says_which(local: LocalTable) -> None:
    local.new_game()
    local.move(5, 1)
    with playing(local) as play:
        play.wait_for("X, your move")
        local.anvil.rpc("anvil_reorg", 2, [])
        play.wait_for("A reorg took back move 1 (X5), 2 (O1).")
        play.press("9\n")
        play.wait_for("[X]", count=1)
        play.press("q\n")
        assert play.end() == 0


def test_watch__node_killed_and_restarted__misses_nothing(local: LocalTable, tmp_path: Path) -> None:
    local.new_game()
    local.move(5)
    local.anvil.keep_state(tmp_path / "state.json")
    with Running("watch", "--network", local.anvil.url, "--table", local.address, "--json") as watch:
        watch.wait_for("CaughtUp")
        local.anvil.stop()
        watch.wait_for("Trying again")
        local.anvil.start()
        local.move(1, 9)
        watch.wait_for("MoveMade", count=3)
        watch.interrupt()
        assert watch.end() == 0
    events = [json.loads(line) for line in watch.text.splitlines() if line.startswith("{")]
    told = [(event["transaction"], event["logIndex"]) for event in events if "transaction" in event]
    assert told == local.logs()
    assert "The node is back." in watch.text


def test_watch__a_long_chain__shows_how_far_it_is(local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("anvil_mine", hex(2_000))
    local.move(5)
    with Running("watch", "--network", local.anvil.url, "--table", local.address, terminal=True) as watch:
        watch.wait_for("Caught up with block 2003")
        watch.interrupt()
        assert watch.end() == 0
    bars = re.findall(r"blocks .*?(\d+)/(\d+)", watch.text)
    assert bars
    assert all(int(done) <= int(total) for done, total in bars)


def test_play__node_away_in_mid_game__waits_and_goes_on(local: LocalTable, tmp_path: Path) -> None:
    anvil = local.anvil
    local.new_game()
    anvil.keep_state(tmp_path / "state.json")
    with playing(local) as play:
        play.wait_for("X, your move")
        anvil.stop()
        play.wait_for("Cannot reach the node.")
        anvil.start()
        play.wait_for("The node is back.")
        play.press("5\n")
        play.wait_for("move 1: mined")
        play.press("q\n")
        assert play.end() == 0


def test_play__node_away_at_a_keypress__the_key_is_not_lost(local: LocalTable) -> None:
    """What balancers answer now and then, for longer than web3 tries by itself. The keys come from a pipe."""
    well = threading.Event()

    def bad_gateway(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == "eth_estimateGas" and not well.is_set():
            raise ConnectionError
        return real()

    local.new_game()
    with Proxy(local.anvil.url, bad_gateway) as proxy:
        where = ("--network", proxy.url, "--table", local.address)
        with Running("play", *where, "--x", "TEST::0", "--o", "TEST::1", "--patience", "60") as play:
            play.press("5\n1\nq\n")
            play.wait_for("502 Bad Gateway")
            well.set()
            assert play.end() == 0
    assert "move 1: mined" in play.text
    assert "The node is back." in play.text
    assert "move 2: mined" in play.text


def test_play__node_away_at_a_keypress_for_good__ends_when_patience_does(local: LocalTable) -> None:
    def bad_gateway(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == "eth_estimateGas":
            raise ConnectionError
        return real()

    local.new_game()
    with Proxy(local.anvil.url, bad_gateway) as proxy:
        where = ("--network", proxy.url, "--table", local.address)
        done = ape_run("play", *where, "--x", "TEST::0", "--o", "TEST::1", "--patience", "1", keys="5\n")
    assert done.code == 3
    assert "Stopped. Nothing was sent. The game is safe on the chain" in done.err


def test_play__node_gone_for_good__ends_with_what_was_sent(local: LocalTable) -> None:
    local.new_game()
    with Running(
        *("play", "--network", local.anvil.url, "--table", local.address, "--account", "TEST::0", "--patience", "2"),
    ) as play:
        play.press("5\n")
        play.wait_for("O to move")
        local.anvil.stop()
        assert play.end() == 3
        assert "Mined: move 1." in play.text
        assert "The game is safe on the chain: run the same command again later." in play.text
        assert "Traceback" not in play.text


def test_play__ctrl_c__says_what_was_sent_and_what_was_not(local: LocalTable) -> None:
    local.new_game()
    with playing(local) as play:
        play.wait_for("X, your move")
        play.interrupt()
        assert play.end() == 130
        assert "Stopped. Nothing was sent." in play.text
    local.anvil.rpc("evm_setAutomine", False)
    with playing(local) as play:
        play.wait_for("X, your move")
        play.press("5\n")
        play.wait_for("waiting for a block")
        play.interrupt()
        assert play.end() == 130
        assert "Sent but not mined yet: move 1 (0x" in " ".join(play.text.split())
        assert "Traceback" not in play.text


def test_deploy__ctrl_c__says_what_was_sent(anvil: Anvil) -> None:
    anvil.rpc("evm_setAutomine", False)
    args = ("deploy", "--network", anvil.url, "--account", "TEST::0", "--yes", "--expected-chain-id", "31337")
    with Running(*args) as deploy:
        deploy.wait_for("table: sent 0x")
        deploy.interrupt()
        assert deploy.end() == 130
        assert "Sent but not mined yet: table (0x" in deploy.text
        assert "Traceback" not in deploy.text


def test_deploy__ctrl_c_at_the_question__nothing_was_sent(anvil: Anvil) -> None:
    with Running("deploy", "--network", anvil.url, "--account", "TEST::0", terminal=True) as deploy:
        deploy.wait_for("Deploy? [y/N]")
        deploy.interrupt()
        assert deploy.end() == 130
        assert "Stopped. Nothing was sent." in deploy.text
    assert anvil.rpc("eth_blockNumber") == "0x0"


def test_deploy__three_wrong_passphrases__nothing_was_sent(anvil: Anvil, keyfiles: dict[str, str]) -> None:
    anvil.rpc("anvil_setBalance", keyfiles["ben"], hex(10**18))
    args = ("deploy", "--network", anvil.url, "--account", "ben", "--yes", "--expected-chain-id", "31337")
    with Running(*args, terminal=True) as deploy:
        for attempt in (1, 2, 3):
            deploy.wait_for("Passphrase of 'ben': ", count=attempt)
            deploy.press("not it\n")
        assert deploy.end() == 6
    assert deploy.text.count("That does not unlock it.") == 3
    assert "Three wrong passphrases: the account 'ben' is still locked. Nothing was sent." in deploy.text
    assert "not it" not in deploy.text
    assert anvil.rpc("eth_blockNumber") == "0x0"


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for-people", "json"])
def test_watch__its_reader_has_had_enough__ends_well(local: LocalTable, form: tuple[str, ...]) -> None:
    """As `| head` does: one line, and nobody reads any more."""
    local.new_game()
    command = [str(APE), "run", "watch", "--network", local.anvil.url, "--table", local.address, *form]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    ) as watch:
        assert watch.stdout is not None
        assert watch.stderr is not None
        while "CaughtUp" not in (line := watch.stdout.readline()) and "Caught up" not in line:
            assert line
        watch.stdout.close()
        local.move(5)
        assert watch.wait(60) == 0
        assert watch.stderr.read() == ""


def test_watch__ctrl_c__is_how_one_leaves(local: LocalTable) -> None:
    local.new_game()
    local.move(1, 4, 2, 5, 3)
    with Running("watch", "--network", local.anvil.url, "--table", local.address) as watch:
        watch.wait_for("Caught up with block")
        local.anvil.rpc("anvil_reorg", 1, [])
        watch.wait_for("Taken back by a reorg: Game 1")
        watch.wait_for("Taken back by a reorg: X")
        watch.interrupt()
        assert watch.end() == 0
    assert "1 games, 4 moves, 0 draws" in watch.text
    assert "Traceback" not in watch.text
