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
from tictactoe.table import creation_code, deploy_prepared, first_block, look_first, prepare_deployment, runtime_code

CODE = "0x" + runtime_code().hex()


@pytest.fixture(autouse=True)
def memory(monkeypatch):
    """In place of what Ape remembers of deployments."""
    memory = []
    contracts = SimpleNamespace(
        get_deployments=lambda contract: memory if contract.contract_type.name == "TicTacToe" else [],
        deployments=SimpleNamespace(
            cache_deployment=lambda address, name, transaction_hash: memory.append((address, name, transaction_hash))
        ),
    )
    monkeypatch.setattr("tictactoe.table.ape.chain", SimpleNamespace(contracts=contracts), raising=False)
    return memory


def known(address, transaction=""):
    return SimpleNamespace(address=address, txn_hash=transaction)


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
        chain.say(eth_getCode=code)
        with pytest.raises(errors.NoTable):
            find_table(TABLE, node)


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


@pytest.mark.parametrize(
    ("lie", "found"),
    [({}, 2), ({"contractAddress": OTHER}, 0), ({"contractAddress": None}, 0), ({"blockNumber": None}, 0)],
)
def test_first_block__is_remembered_if_its_receipt_names_the_table(chain, table, memory, lie, found):
    """Without an archive node. It is 0 if nobody knows."""
    transaction = "0x" + "55" * 32
    chain.add(Sent(transaction))
    chain.mine_sent()
    chain.say(eth_getCode=RefusedError("missing trie node"))
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true and true | {"contractAddress": TABLE} | lie
    memory += [known(TABLE), known(OTHER, transaction), known(TABLE, "0x" + "66" * 32), known(TABLE, transaction)]
    assert first_block(table, 7) == found


# -- playing and deploying ---------------------------------------------------------------------


ME = Role.DEPLOYER.account
CREATED = to_checksum_address(keccak(bytes.fromhex("d694" + ME.address[2:] + "05"))[-20:])


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
    """By default on the present one. What would need consent is an error."""
    play = getattr(table, method)
    chain.play(new_game(), *moves(4, 0))
    seen = table.state()
    chain.play(new_game())
    played = [play(ME, *arguments), play(ME, *arguments, seen)]
    assert [(each.label, each.stage, each.block) for each in played] == [
        (labels[0], "mined", 6),
        (labels[1], "mined", 7),
    ]
    assert [bytes(fields(raw)["data"]) for raw in chain.raw()] == [
        layout.call(signature, *words, number) for number in (2, 1)
    ]
    chain.say(eth_maxPriorityFeePerGas=10**10)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        play(ME, *arguments)
    assert table.node.sent == played


@pytest.fixture
def prepared(chain, node):
    chain.say(eth_estimateGas=800_000, eth_getCode=CODE)
    return prepare_deployment(ME, node)


def test_table__is_deployed_and_remembered(chain, memory, prepared):
    """Before it is mined: tests/terminal/test_deploy.py."""
    table = deploy_prepared(prepared)
    assert (table.address, table.node, prepared.contract) == (CREATED, prepared.node, CREATED)
    assert (prepared.stage, prepared.label, prepared.proved) == ("mined", "table", True)
    assert memory == [(CREATED, "TicTacToe", prepared.hash)]
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME.address, "data": "0x" + creation_code().hex()}
    # The state is read as of the table's own block.
    assert asked["eth_call"][1] == hex(prepared.block)


@pytest.mark.usefixtures("prepared")
def test_deploy__returns_the_table_or_raises_what_needs_consent(chain, node):
    assert deploy(ME, node).address == CREATED
    chain.say(eth_maxPriorityFeePerGas=10**10)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        deploy(ME, node)


def test_deployment_that_is_refused__is_not_remembered(chain, prepared, memory):
    chain.before_answer = lambda _method: chain.drop()
    chain.say(eth_sendRawTransaction=RefusedError("go away"))
    with pytest.raises(
        errors.TransactionError, match=r"did not accept table: The node refused: go away\. [^.]*sent\.$"
    ):
        deploy_prepared(prepared)
    assert memory == []


def test_table_that_ape_cannot_remember__is_named(prepared, monkeypatch):
    """The disk is full."""

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tictactoe.table.ape.chain.contracts.deployments.cache_deployment", fail)
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy_prepared(prepared)
    problem = "The table is deployed and checked, but ape cannot remember it: No space left on device."
    assert str(caught.value) == f"{problem} {look_first(CREATED)}"
    assert (caught.value.exit_code, caught.value.stage, prepared.proved) == (1, "mined", True)


def test_node_that_does_not_know_the_newest_block__is_asked_again(chain, prepared, clock):
    """The nodes behind one address differ, and may fail. Seven polls are believed, and no more."""
    codes = iter([*["0x"] * 4, *[None] * 3, CODE])
    chain.lies["eth_getCode"] = lambda *_: next(codes)
    polls = []
    assert deploy_prepared(prepared, lambda each: polls.append(each.stage)).address == CREATED
    assert (polls.count("mined"), round(clock.now - 1000, 3)) == (7, 8)


A_GAME = "0x" + layout.game_state(Model().new_game(1, 2)).hex()


@pytest.mark.parametrize(
    ("lie", "options", "sentence"),
    [
        ({"eth_getCode": CODE + "00"}, {}, f"The contract at {CREATED} is another one"),
        ({"eth_getCode": "0x"}, {}, f"There is no contract at {CREATED}"),
        ({"eth_call": "0x"}, {}, "The node returned an invalid answer"),
        ({"eth_call": A_GAME}, {}, f"The table at {CREATED} does not have the state of a new one. Do not use it."),
        ({}, {"confirmations": 1, "patience": 5}, "table ($hash) was mined in block 2, but no new block confirmed it"),
    ],
    ids=["other code", "no code", "no state", "a game", "no confirmation"],
)
def test_trouble_after_the_deployment__is_an_error_with_its_address(chain, prepared, lie, options, sentence):
    chain.say(**lie)
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy_prepared(prepared, **options)
    assert str(caught.value).startswith(sentence.replace("$hash", prepared.hash))
    assert str(caught.value).endswith(look_first(CREATED))
    assert (prepared.proved, prepared.stage, caught.value.stage) == (False, "mined", "mined")
