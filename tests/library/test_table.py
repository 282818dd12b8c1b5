"""A table at an address: reading it, playing at it, finding it, and deploying it."""

import errno
from types import SimpleNamespace

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.library.expected import as_game
from tests.library.simulation import OTHER, TABLE, O, RefusedError, Sent, X, fields, forfeit, move, moves, new_game
from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.rules.model import Model
from tests.support.roles import Role
from tictactoe import Game, Table, deploy, errors, find_table
from tictactoe.table import (
    creation_code,
    deploy_prepared,
    first_block,
    look_first,
    prepare_deployment,
    runtime_code,
)
from tictactoe.transactions import Limits

CODE = "0x" + runtime_code().hex()


@pytest.fixture(autouse=True)
def memory(monkeypatch):
    """Ape's memory of deployments: what it knows, what is added, and how that fails."""
    memory = SimpleNamespace(known=[], added=[], failure=None)

    def add(*deployment, transaction_hash):
        memory.added.append((*deployment, transaction_hash))
        if memory.failure is not None:
            raise memory.failure

    contracts = SimpleNamespace(
        get_deployments=lambda contract: memory.known if contract.contract_type.name == "TicTacToe" else [],
        deployments=SimpleNamespace(cache_deployment=add),
    )
    monkeypatch.setattr("tictactoe.table.ape.chain", SimpleNamespace(contracts=contracts), raising=False)
    return memory


def known(address, transaction=""):
    return SimpleNamespace(address=address, txn_hash=transaction)


def code_at(chain, **codes):
    """The code at these addresses; at others there is none."""
    chain.lies["eth_getCode"] = lambda params, _code: codes.get(params[0], "0x")


# -- its game --------------------------------------------------------------------------------


def test_every_game__is_read_as_it_is(chain, table):
    """The newest, and that of each old block."""
    assert table.state() == Game()
    chain.play(*[new_game(), forfeit], *[new_game(O, O), move(8)])
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        chain.play(*[new_game(), *moves(*cells[:3]), forfeit], *[new_game(), *moves(*cells)])
    assert table.state() == as_game(chain.head.game)
    for block in chain.blocks[2:]:
        assert table.state(block.number) == as_game(block.game)
    call, block = chain.asked[-1][1]
    assert (call["to"], call["data"]) == (TABLE, "0x" + layout.call("gameState()").hex())


# -- finding it ------------------------------------------------------------------------------


def test_table__has_its_address(table):
    assert repr(table) == f"Table('{TABLE}')"
    for typed in (f" {TABLE.lower()} ", f"0x{TABLE[2:].upper()}"):
        assert Table(typed, table.node).address == TABLE
    with pytest.raises(errors.UsageError, match=r"^'carl' is not an address: 0x and 40 hexadecimal digits"):
        Table("\x1b[2Jcarl", table.node)
    assert str(table.contract.address) == TABLE


def test_table__is_found_if_its_code_is_there_byte_for_byte(chain, node):
    found = find_table(f" {TABLE} ", node)
    assert (found.address, found.node) == (TABLE, node)
    assert [found.exists(block) for block in (0, 1)] == [False, True]
    for code in (CODE[:-2] + "00", CODE + "00", "0x"):
        code_at(chain, **{TABLE: code})
        with pytest.raises(errors.NoTable):
            find_table(TABLE, node)


def test_without_an_address__the_newest_known_table_on_this_chain_is_found(chain, node, memory):
    memory.known = [known(OTHER), known(X), known(O)]
    code_at(chain, **{OTHER: CODE, X: CODE, O: CODE + "00"})
    assert find_table(None, node).address == Table(node=node).address == X
    code_at(chain)
    for find in (find_table, Table):
        with pytest.raises(errors.NoTable, match=r"No table is known on this network \(node, chain 31337\)"):
            find(None, node)


def test_contract_that_is_not_compiled__is_reported(monkeypatch):
    monkeypatch.setattr("tictactoe.table.ape.project", SimpleNamespace(), raising=False)  # Ape raises AttributeError
    with pytest.raises(AttributeError):
        runtime_code()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(errors.UsageError, match="Put `uv run` before the command"):
        runtime_code()


# -- its first block -------------------------------------------------------------------------


def test_first_block__is_found_by_halving(chain, table):
    for deployed in range(17):
        chain.lies["eth_getCode"] = lambda params, _code, first=deployed: CODE if int(params[1], 16) >= first else "0x"
        chain.asked.clear()
        assert first_block(table, 16) == deployed
        assert len(chain.asked) <= 5


@pytest.mark.parametrize("failure", [RefusedError("missing trie node"), RefusedError("execution reverted", code=3)])
def test_first_block__is_0_if_the_node_does_not_know(chain, table, failure):
    chain.say(eth_getCode=failure)
    assert first_block(table, 7) == 0


@pytest.mark.parametrize(
    ("lie", "found"),
    [({}, 2), ({"contractAddress": OTHER}, 0), ({"contractAddress": None}, 0), ({"blockNumber": None}, 0)],
)
def test_first_block__is_remembered_if_its_receipt_names_the_table(chain, table, memory, lie, found):
    """Without an archive node."""
    transaction = "0x" + "55" * 32
    chain.add(Sent(transaction))
    chain.mine_sent()
    chain.say(eth_getCode=RefusedError("missing trie node"))
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true and true | {"contractAddress": TABLE} | lie
    memory.known = [known(TABLE), known(OTHER, transaction), known(TABLE, "0x" + "66" * 32), known(TABLE, transaction)]
    assert first_block(table, 7) == found


# -- playing and deploying ---------------------------------------------------------------------


ME = Role.DEPLOYER.account
CREATED = to_checksum_address(keccak(bytes.fromhex("d694" + ME.address[2:] + "05"))[-20:])
UNUSUAL = 10**10  # for one gas


@pytest.fixture(autouse=True)
def mine_soon(chain, clock):
    """Each transaction is mined a moment after it was sent."""
    clock.on_sleep = lambda _slept: chain.mine_sent() if chain.pool else None


@pytest.mark.parametrize(
    ("method", "arguments", "labels", "signature", "words"),
    [
        ("new_game", (X, O), ["new game"] * 2, "newGame(address,address,uint256)", (int(X, 16), int(O, 16))),
        ("move", (5,), ["move 1", "move 3"], "makeMove(uint8,uint8,uint256)", (1, 2)),
        ("forfeit", (), ["forfeit"] * 2, "forfeit(uint256)", ()),
    ],
)
def test_transaction__acts_on_the_game_that_the_player_saw(chain, table, method, arguments, labels, signature, words):
    """By default on the present one. What would need consent is an error, and limits are heeded."""
    prepare, play = getattr(table, f"prepare_{method}"), getattr(table, method)
    chain.play(new_game(), *moves(4, 0))
    seen = table.state()
    chain.play(new_game())
    data = [layout.call(signature, *words, number) for number in (2, 1)]
    prepared = [prepare(ME, *arguments), prepare(ME, *arguments, seen)]
    assert [(each.label, bytes(each.request.data)) for each in prepared] == list(zip(labels, data, strict=True))
    played = [play(ME, *arguments), play(ME, *arguments, seen)]
    assert [(each.stage, each.block) for each in played] == [("mined", 6), ("mined", 7)]
    assert [bytes(fields(raw)["data"]) for raw in chain.raw()] == data
    assert table.node.sent == played

    chain.say(eth_maxPriorityFeePerGas=UNUSUAL)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        play(ME, *arguments)
    with pytest.raises(errors.TooExpensive, match="--max-cost allows"):
        play(ME, *arguments, seen, Limits(max_fee=10 * UNUSUAL, max_cost=1))
    assert table.node.sent == played


@pytest.fixture
def prepared(chain, node):
    chain.say(eth_estimateGas=800_000, eth_getCode=CODE)
    return prepare_deployment(ME, node)


def test_table__is_deployed_and_remembered_before_it_is_mined(chain, memory, prepared):
    """So that not even a crash loses it."""
    known_then = []
    table = deploy_prepared(prepared, lambda each: known_then.append((each.stage, memory.added[:])))
    assert (table.address, table.node, prepared.contract) == (CREATED, prepared.node, CREATED)
    assert (prepared.stage, prepared.label, prepared.proved) == ("mined", "table", True)
    assert known_then[0] == ("sent", [(CREATED, "TicTacToe", prepared.hash)])
    assert len(memory.added) == 1
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME.address, "data": "0x" + creation_code().hex()}
    # The state is read as of the table's own block.
    assert asked["eth_call"][1] == hex(prepared.block)


@pytest.mark.usefixtures("prepared")
def test_deploy__returns_the_table_or_raises_what_needs_consent(chain, node):
    assert deploy(ME, node).address == CREATED
    chain.say(eth_maxPriorityFeePerGas=UNUSUAL)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        deploy(ME, node)


def test_deployment_that_is_refused__is_not_remembered(chain, prepared, memory):
    chain.before_answer = lambda _method: chain.drop()
    chain.say(eth_sendRawTransaction=RefusedError("go away"))
    with pytest.raises(errors.TransactionError, match="The node did not accept table"):
        deploy_prepared(prepared)
    assert memory.added == []


def test_node_that_does_not_know_the_newest_block__is_asked_again(chain, prepared, clock):
    """The nodes behind one address differ, and may fail. Seven polls are believed, and no more."""
    codes = iter([*["0x"] * 4, *[None] * 3, CODE])
    chain.lies["eth_getCode"] = lambda *_: next(codes)
    polls = []
    assert deploy_prepared(prepared, lambda each: polls.append(each.stage)).address == CREATED
    assert (polls.count("mined"), round(clock.now - 1000, 3)) == (7, 8)


def test_confirmations_and_patience__are_those_of_the_deployment(prepared):
    with pytest.raises(errors.TransactionError, match="no new block confirmed it for 5 s"):
        deploy_prepared(prepared, confirmations=1, patience=5)


DISK = OSError(errno.ENOSPC, "No space left on device")
FULL = "The table is deployed and checked, but ape cannot remember it: No space left on device. Name it with --table."


@pytest.mark.parametrize(
    ("lie", "failure", "sentence"),
    [
        ({"eth_getCode": CODE + "00"}, DISK, f"The contract at {CREATED} is another one"),
        ({"eth_getCode": "0x"}, None, f"There is no contract at {CREATED}"),
        ({"eth_call": "0x"}, None, "The node returned an invalid answer"),
        (
            {"eth_call": "0x" + layout.game_state(Model().new_game(1, 2)).hex()},
            None,
            f"The table at {CREATED} does not have the state of a new one. Do not use it.",
        ),
        ({}, DISK, FULL),
    ],
    ids=["other code", "no code", "no state", "a game", "full disk"],
)
def test_trouble_after_the_deployment__is_an_error_with_its_address(chain, prepared, memory, lie, failure, sentence):
    chain.say(**lie)
    memory.failure = failure
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy_prepared(prepared)
    assert caught.value.message.startswith(sentence)
    assert caught.value.message.endswith(look_first(CREATED))
    assert (prepared.proved, prepared.stage, caught.value.stage) == (sentence is FULL, "mined", "mined")
    assert (caught.value.exit_code == 1) == (sentence is FULL)
