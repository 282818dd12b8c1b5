"""What keys do in a session. A new game names the one it replaces, so a second request starts no other game."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import ape
import pytest
from ape.api.accounts import AccountAPI

from tests.rules.games import WON_BY_X
from tests.rules.layout import GAME_CREATED, call
from tests.support.anvil import SEPOLIA
from tests.support.commands import keys_for
from tests.support.front_end import Script
from tests.support.keyfiles import ANNA
from tests.support.local_table import LocalTable
from tests.support.proxy import Behaviour, Real, Request
from tests.support.roles import Role
from tictactoe import Table, errors
from tictactoe.errors import REASONS
from tictactoe.node import Node
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import asks_by_itself
from tictactoe.terminal.adapter import Sender
from tictactoe.terminal.front_end import consent
from tictactoe.terminal.live import LiveTable, Patience
from tictactoe.terminal.play import costs_money
from tictactoe.terminal.session import Session


def play(
    table: Table,
    script: Script,
    *own: Role,
    players: tuple[str, str] | None = None,
    ask: bool = False,
    patience: float = 60,
) -> Script:
    accounts = {role.address: role.account for role in own}
    sender = Sender(table.node, script.progress, patience, consent(script, ask))
    Session(LiveTable(table, accounts, sender, Patience(sender, script.say)), script).run(players)
    return script


@pytest.fixture
def finished(local: LocalTable) -> LocalTable:
    """Game 1 is over."""
    local.new_game()
    local.play(keys_for(WON_BY_X))
    return local


@pytest.mark.parametrize(("key", "x", "o"), [("n", Role.PLAYER_O, Role.PLAYER_X), ("s", Role.PLAYER_X, Role.PLAYER_O)])
def test_next_game__swaps_the_seats_or_keeps_them(
    finished: LocalTable, table: Table, key: str, x: Role, o: Role
) -> None:
    script = play(table, Script(key, "q"), Role.PLAYER_X)
    assert script.asked == []
    assert script.said == [output_text.STARTED.format(game=table.state())]
    block = finished.anvil.rpc("eth_getBlockByNumber", "latest", True)
    expected = call("newGame(address,address,uint256)", int(x.address, 16), int(o.address, 16), 1)
    assert [each["input"] for each in block["transactions"]] == [f"0x{expected.hex()}"]


def test_request_that_comes_too_late__shows_the_new_game(finished: LocalTable, table: Table) -> None:
    """`test_two_machines.py` has two requests in one block."""
    script = play(table, Script(finished.new_game, "n", "q"), Role.PLAYER_X)
    assert script.said == ["Another player started game 2.", REASONS["not the current game"]]
    assert script.views[-1].title.startswith("Game 2")
    assert created(finished) == [1, 2]


def test_request_at_the_start_that_comes_too_late__joins_the_other_game(
    local: LocalTable, through: Callable[[Behaviour], Table]
) -> None:
    def overtake(request: Request, real: Real) -> Any:
        if request["method"] == "eth_sendRawTransaction":
            local.new_game(local.o, local.x)
        return real()

    local.new_game(Role.OTHER.address, Role.STRANGER.address)
    script = play(through(overtake), Script("q"), Role.PLAYER_X, players=(local.x, local.o))
    assert "another transaction came first" in script.said[-1]
    assert created(local) == [1, 2]
    assert script.views[-1].my_mark == "O"


def test_first_game__names_no_game(local: LocalTable, table: Table) -> None:
    play(table, Script("q"), Role.PLAYER_X, players=(local.x, local.o))
    block = local.anvil.rpc("eth_getBlockByNumber", "latest", True)
    expected = call("newGame(address,address,uint256)", int(local.x, 16), int(local.o, 16), 0)
    assert [each["input"] for each in block["transactions"]] == [f"0x{expected.hex()}"]


@pytest.mark.parametrize("answer", [True, False])
def test_unfinished_game__is_replaced_after_a_question(local: LocalTable, table: Table, answer: bool) -> None:
    local.new_game()
    script = play(table, Script("s", "q", answer=answer), Role.PLAYER_X)
    assert script.asked == ["Game 1 is not finished. Start a new game in its place?"]
    assert created(local) == [1, 2][: 1 + answer]


def test_table_taken_by_others__is_taken_back_with_the_opponent_of_the_command(local: LocalTable, table: Table) -> None:
    others = Role.OTHER.address, Role.STRANGER.address
    take_back = Script(lambda: local.new_game(*others), None, "n", "q")
    play(table, take_back, Role.PLAYER_X, players=(local.x, local.o))
    assert "You are not a player in it, so you watch." in take_back.said
    assert (table.state().player_x, table.state().player_o) == (local.x, local.o)
    local.new_game(*others)
    watching = play(table, Script("n", "q"), Role.PLAYER_X)
    assert watching.said == [output_text.NOT_A_PLAYER, "A new game needs another player: give --against ADDRESS."]


@pytest.mark.parametrize("answer", [True, False])
def test_chosen_cell__can_be_taken_back_before_it_is_signed(local: LocalTable, table: Table, answer: bool) -> None:
    local.new_game()
    script = play(table, Script("5", "q", answer=answer), Role.PLAYER_X, ask=True)
    assert [question.split(" for ")[0] for question in script.asked] == ["Sign move 1"]
    assert [view.chosen for view in script.views] == [None, 4, None, None][: 3 + (not answer)]
    assert script.said == ([] if answer else ["You declined to sign move 1. Nothing was sent."])
    assert table.state().moves == ((4,) if answer else ())


# -- a node that fails ---------------------------------------------------------------------------


def test_node_fails_at_a_key__key_is_not_lost(local: LocalTable, through: Callable[[Behaviour], Table]) -> None:
    """As a load balancer does: it answers 502 to some questions, for longer than web3 retries by itself."""
    failures = iter(range(8))

    def behave(request: Request, real: Real) -> Any:
        if request["method"] == "eth_estimateGas" and next(failures, None) is not None:
            raise ConnectionError
        return real()

    local.new_game()
    script = play(through(behave), Script("5", "q"), Role.PLAYER_X)
    assert "502 Bad Gateway" in script.said[0]
    assert script.said[1:] == [output_text.NODE_IS_BACK]
    assert script.views[-1].game.moves == (4,)


@pytest.mark.parametrize(("keys", "sent"), [(["5"], "Mined: move 1."), ([], "Nothing was sent.")])
def test_node_lost__lists_what_was_sent(local: LocalTable, table: Table, keys: list[str], sent: str) -> None:
    local.new_game()
    with pytest.raises(errors.NodeUnreachable) as caught:
        play(table, Script(*keys, local.anvil.stop, None, "q"), Role.PLAYER_X, patience=1)
    assert sent in caught.value.message
    assert "run the same command again" in caught.value.message


# -- which front end -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "chain_id", "real"),
    [
        ("ethereum:mainnet", 1, True),
        ("base:mainnet", 8453, True),
        ("ethereum:sepolia", SEPOLIA, False),
        ("", 31337, False),
    ],
)
def test_second_key__is_asked_for_where_coins_have_a_price(choice: str, chain_id: int, real: bool) -> None:
    assert costs_money(cast(Node, SimpleNamespace(public_choice=choice, chain_id=chain_id))) is real


def test_hardware_wallet__gets_lines_because_its_plugin_prints(keyfiles: None) -> None:  # noqa: ARG001
    wallet = cast(AccountAPI, SimpleNamespace(address="0x1"))
    accounts = (wallet, Role.PLAYER_X.account, cast(AccountAPI, ape.accounts.load(ANNA.alias)))
    assert [asks_by_itself(account) for account in accounts] == [True, False, False]


def created(local: LocalTable) -> list[int]:
    """The numbers of the games that were started."""
    topic = f"0x{GAME_CREATED.hex()}"
    logs = local.anvil.rpc("eth_getLogs", {"address": local.address, "fromBlock": "0x0", "topics": [topic]})
    return [int(log["topics"][1], 16) for log in logs]
