"""`play --move`: one move, for bots. Each field is compared with what the chain holds."""

import json
from typing import Any

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.commands import ROOT, Command, keys_for
from tests.support.local_table import LocalTable
from tests.support.proxy import Proxy, Real, Request, error
from tests.support.roles import Role
from tictactoe import errors

X, O = ("--account", Role.PLAYER_X.alias), ("--account", Role.PLAYER_O.alias)
BOTH = ("--x", Role.PLAYER_X.alias, "--o", Role.PLAYER_O.alias)


@pytest.mark.parametrize(
    ("cells", "seat", "status", "winner"),
    [
        ((4,), X, "in_progress", None),
        ((4, 0), O, "in_progress", None),
        (WON_BY_X, X, "x_won", Role.PLAYER_X),
        (WON_BY_O, BOTH, "o_won", Role.PLAYER_O),
        (DRAWN, BOTH, "draw", None),
    ],
)
def test_json__is_what_the_chain_did(
    command: Command, local: LocalTable, cells: tuple[int, ...], seat: tuple[str, ...], status: str, winner: Role | None
) -> None:
    local.new_game()
    local.new_game()
    local.play(keys_for(cells[:-1]))
    done = command("play", *local.options, *seat, "--move", keys_for(cells[-1:]), "--json")
    assert done.code == 0, done.err
    (transaction,) = local.anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
    receipt = local.anvil.rpc("eth_getTransactionReceipt", transaction)
    row, col = divmod(cells[-1], 3)
    gas = int(receipt["gasUsed"], 16)
    assert json.loads(done.out) == {
        "network": "custom",
        "chainId": 31337,
        "table": local.address,
        "gameId": 2,
        "player": (local.o, local.x)[len(cells) % 2],
        "mark": "OX"[len(cells) % 2],
        "sequenceNumber": len(cells),
        "row": row,
        "col": col,
        "transaction": transaction,
        "stage": "mined",
        "block": local.anvil.height,
        "gas": gas,
        "cost": str(gas * int(receipt["effectiveGasPrice"], 16)),
        "status": status,
        "winner": None if winner is None else winner.address,
    }


def test_documented_fields__are_those_that_it_prints(command: Command, local: LocalTable) -> None:
    local.new_game()
    fields = json.loads(command("play", *local.options, *X, "--move", "1", "--json").out)
    section = (ROOT / "docs" / "playing.md").read_text().partition("## One move")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in row.replace("`", "").replace(",", "").split()] == list(fields)


def test_without_json__it_shows_the_board(command: Command, local: LocalTable) -> None:
    local.new_game()
    done = command("play", *local.options, *X, "--move", "5")
    assert "move 1: mined in block 3" in done.out
    assert "[X]" in done.out
    assert "O to move" in done.out


@pytest.mark.parametrize(
    ("game", "seat", "key", "error"),
    [
        (None, X, "5", errors.Reverted("no game in progress")),
        ("", O, "5", errors.Reverted("not your turn")),
        ("5", ("--account", Role.STRANGER.alias), "1", errors.Reverted("not your turn")),
        ("5", O, "5", errors.Reverted("cell is taken")),
        (keys_for(WON_BY_X), O, "9", errors.Reverted("no game in progress")),
        ("", (), "5", errors.AccountMissing()),
        ("", (*X, "--expected-chain-id", "1"), "5", errors.UnexpectedChain(31337, 1)),
    ],
)
def test_refusal__comes_before_a_signature(
    command: Command, local: LocalTable, game: str | None, seat: tuple[str, ...], key: str, error: errors.TicTacToeError
) -> None:
    if game is not None:
        local.new_game()
        local.play(game)
    height = local.anvil.height
    done = command("play", *local.options, *seat, "--move", key, "--json")
    assert done.failed_with(error)
    assert (done.out, local.anvil.height) == ("", height)


@pytest.mark.parametrize("key", ["0", "10", "x"])
def test_cell_that_is_none__is_a_usage_error(command: Command, key: str) -> None:
    done = command("play", "--move", key)
    assert done.code == 2
    assert "'--move'" in done.err


def test_json_without_a_move__is_a_usage_error(command: Command) -> None:
    assert command("play", "--json").failed_with(errors.WrongOptions(errors.JSON_WITHOUT_MOVE))


def test_move_that_is_refused_after_all__is_reported_with_its_cost(command: Command, local: LocalTable) -> None:
    """The opponent starts another game while the move is on its way."""

    def overtake(request: Request, real: Real) -> Any:
        if request["method"] == "eth_sendRawTransaction":
            local.new_game(local.o, local.x)
        return real()

    local.new_game()
    with Proxy(local.anvil.url, overtake) as proxy:
        where = ("--network", proxy.url, "--table", local.address)
        done = command("play", *where, *X, "--move", "5", "--json")
    assert done.code == errors.MinedButReverted.exit_code
    report = json.loads(done.out)
    assert (report["stage"], report["block"], report["status"]) == ("failed", local.anvil.height, None)
    assert int(report["cost"]) > 0


def test_move_that_is_not_mined__is_reported_with_its_hash(command: Command, local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("evm_setAutomine", False)
    done = command("play", *local.options, *X, "--move", "5", "--json", "--patience", "1")
    assert done.code == errors.StillWaiting.exit_code
    report = json.loads(done.out)
    (waiting,) = local.anvil.rpc("eth_getBlockByNumber", "pending", False)["transactions"]
    assert (report["transaction"], report["stage"], report["block"], report["cost"]) == (waiting, "waiting", None, None)


def test_move_that_was_not_sent__prints_no_object(command: Command, local: LocalTable) -> None:
    def refuse(request: Request, real: Real) -> Any:
        return error(request, "go away") if request["method"] == "eth_sendRawTransaction" else real()

    local.new_game()
    with Proxy(local.anvil.url, refuse) as proxy:
        done = command("play", "--network", proxy.url, "--table", local.address, *X, "--move", "5", "--json")
    assert (done.code, done.out) == (errors.NotAccepted.exit_code, "")


def test_confirmations__are_waited_for(command: Command, local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("evm_setIntervalMining", 1)
    report = json.loads(command("play", *local.options, *X, "--move", "5", "--json", "--confirmations", "2").out)
    assert (report["stage"], report["status"]) == ("confirmed", "in_progress")
    assert local.anvil.height >= report["block"] + 2


@pytest.mark.parametrize(("answer", "moves"), [("y\n", 1), ("n\n", 0), ("\n", 0), ("maybe\n", 0), ("", 0)])
def test_ask__signs_only_after_a_yes(command: Command, local: LocalTable, answer: str, moves: int) -> None:
    local.new_game()
    done = command("play", *local.options, *X, "--move", "5", "--json", "--ask", keys=answer)
    assert done.code == (0 if moves else errors.DeclinedToSign.exit_code)
    assert local.anvil.height == 2 + moves
