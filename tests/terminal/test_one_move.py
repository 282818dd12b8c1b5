"""`play --move`: one move, for bots. Each field is compared with what the chain holds."""

import json

import pytest

from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.commands import ROOT, Command, keys_for
from tests.support.local_table import LocalTable
from tests.support.roles import Role

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


@pytest.mark.parametrize(("answer", "moves"), [("y\n", 1), ("n\n", 0), ("\n", 0), ("maybe\n", 0), ("", 0)])
def test_ask__signs_only_after_a_yes(command: Command, local: LocalTable, answer: str, moves: int) -> None:
    local.new_game()
    done = command("play", *local.options, *X, "--move", "5", "--json", "--ask", keys=answer)
    assert done.code == (0 if moves else 6)
    assert local.anvil.height == 2 + moves
