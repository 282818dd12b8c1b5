"""A table at an address: reading it, playing at it, finding it, and deploying it."""

from functools import partial

import ape
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
from tictactoe.table import first_block, prepare_deployment, runtime_code
from tictactoe.transactions import look_first, send

CODE = "0x" + runtime_code().hex()
CREATION_CODE = ape.project.TicTacToe.contract_type.get_deployment_bytecode()


@pytest.fixture(autouse=True)
def memory():
    """What Ape remembers of deployments."""
    deployments = ape.chain.contracts.deployments
    deployments.clear_local()
    return deployments


# -- its game --------------------------------------------------------------------------------


def test_every_game__is_read_as_it_is(chain, table):
    """The newest, and that of each old block."""
    assert table.state() == Game()
    chain.play(new_game(), forfeit, new_game(O, O), move(8), forfeit)
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        chain.play(new_game(), *moves(*cells))
    assert table.state() == as_game(chain.head.game)
    for block in chain.blocks[2:]:
        assert table.state(block.number) == as_game(block.game)
    call, block = chain.asked[-1][1]
    assert (call["to"], call["data"]) == (TABLE, "0x" + layout.call("gameState()").hex())


def test_game_of_another_length__is_not_used(chain, table):
    chain.play(new_game(), *moves(4, 0))
    whole = layout.game_state(chain.head.game)
    for cut in (whole[:-128], whole[:-64], whole + bytes(128)):
        chain.say(eth_call="0x" + cut.hex())
        with pytest.raises(errors.NodeError, match="invalid answer"):
            table.state()


# -- finding it ------------------------------------------------------------------------------


def test_table__has_the_address_that_was_typed(table):
    """`failures.txt` of `tests/terminal` has what is not an address."""
    for typed in (f" {TABLE} ", TABLE.lower(), f"0x{TABLE[2:].upper()}"):
        assert Table(typed, table.node).address == TABLE
    assert str(table.contract.address) == TABLE


def test_contract_with_other_code__is_not_a_table(chain, node):
    assert find_table(TABLE, node).address == TABLE
    chain.say(eth_getCode=CODE + "00")
    with pytest.raises(errors.NoTable, match="is another one"):
        find_table(TABLE, node)


# -- its first block -------------------------------------------------------------------------


def test_first_block__is_found_by_halving(chain, table):
    chain.begin(900)
    chain.mine_empty(100)
    chain.asked.clear()
    assert first_block(table, 1000) == 900
    assert len(chain.asked) <= 10


def test_first_block__is_remembered(chain, table, memory):
    """Without an archive node. It is 0 if nobody knows."""
    transaction = "0x" + "55" * 32
    chain.add(Sent(transaction))
    chain.mine_sent()
    chain.say(eth_getCode=RefusedError("missing trie node"))
    for address, known in ((TABLE, None), (OTHER, transaction), (TABLE, "0x" + "66" * 32)):
        memory.cache_deployment(address, "TicTacToe", transaction_hash=known)
    assert first_block(table, 7) == 0
    memory.cache_deployment(TABLE, "TicTacToe", transaction_hash=transaction)
    assert first_block(table, 7) == 2


# -- playing and deploying ---------------------------------------------------------------------


ME = Role.DEPLOYER.account
CREATED = to_checksum_address(keccak(bytes.fromhex("d694" + ME.address[2:] + "05"))[-20:])


@pytest.fixture(autouse=True)
def mine_soon(chain, clock):
    """Each transaction is mined a moment after it was sent."""
    clock.on_sleep = chain.mine_sent


def test_transaction__acts_on_the_game_that_the_player_saw(chain, table):
    """By default on the present one. What would need consent is an error."""
    plays = [partial(table.new_game, ME, X, O), partial(table.move, ME, 5), partial(table.forfeit, ME)]
    chain.play(new_game(), *moves(4, 0))
    seen = table.state()
    chain.play(new_game())
    for game, number, label in ((None, 2, "move 1"), (seen, 1, "move 3")):
        played = [play(game=game) for play in plays]
        assert [(each.label, each.stage) for each in played] == [
            (name, "mined") for name in ("the new game", label, "the forfeit")
        ]
        assert [bytes(fields(raw)["data"]) for raw in chain.raw()[-3:]] == [
            layout.call("newGame(address,address,uint256)", int(X, 16), int(O, 16), number),
            layout.call("makeMove(uint8,uint8,uint256)", 1, 2, number),
            layout.call("forfeit(uint256)", number),
        ]
    chain.say(eth_maxPriorityFeePerGas=10**10)
    for play in [*plays, partial(deploy, ME, table.node)]:
        with pytest.raises(errors.TooExpensive, match="unusually high fee"):
            play()
    for play, sentence in (
        (partial(table.new_game, ME, X, "ben"), "'ben' is not an address"),
        (partial(table.new_game, ME, X.lower().replace("b", "B", 1), O), "The checksum of"),
        *((partial(table.move, ME, cell), "off the grid") for cell in (-1, 9)),
    ):
        with pytest.raises(errors.TicTacToeError, match=sentence):
            play()
    assert len(chain.raw()) == 6


@pytest.fixture
def prepared(chain, node):
    chain.say(eth_estimateGas=800_000, eth_getCode=CODE)
    return prepare_deployment(ME, node)


@pytest.mark.usefixtures("prepared")
def test_table__is_deployed_and_remembered_before_it_is_sent(chain, node, memory):
    remembered = []
    chain.lies["eth_sendRawTransaction"] = lambda _params, sent: remembered.extend(memory["TicTacToe"]) or sent
    table = deploy(ME, node)
    (sent,) = node.sent
    assert (table.address, table.node, sent.contract) == (CREATED, node, CREATED)
    assert (sent.stage, sent.label, sent.proved) == ("mined", "the table", True)
    assert [(each.address, each.transaction_hash) for each in remembered] == [(CREATED, sent.hash)]
    asked = dict(chain.asked)
    assert asked["eth_estimateGas"][0] == {"from": ME.address, "data": "0x" + CREATION_CODE.hex()}
    # The code and the state are read as of the table's own block.
    assert asked["eth_getCode"][1] == asked["eth_call"][1] == hex(sent.block)


def test_node_that_does_not_know_the_newest_block__is_asked_again(chain, prepared):
    """The nodes behind one address differ, and may fail."""
    codes = iter([*["0x"] * 4, *[None] * 3, CODE])
    chain.lies["eth_getCode"] = lambda *_: next(codes)
    assert send(prepared).proved


A_GAME = "0x" + layout.game_state(Model().new_game(1, 2)).hex()


@pytest.mark.parametrize(
    ("lie", "confirmations", "kind", "sentence"),
    [
        ({"eth_getCode": CODE + "00"}, 0, errors.NoTable, f"The contract at {CREATED} is another one: its code is"),
        ({"eth_getCode": "0x"}, 1, errors.NoTable, f"There is no contract at {CREATED}"),
        ({"eth_call": "0x"}, 0, errors.NodeError, "The node returned an invalid answer"),
        ({"eth_call": A_GAME}, 0, errors.NoTable, f"The table at {CREATED} does not have the state of a new one. Do"),
    ],
    ids=["other code", "no code", "no state", "a game"],
)
def test_wrong_table__is_an_error_with_its_address(chain, prepared, lie, confirmations, kind, sentence):
    """It ends after the patience, although the chain goes on."""
    chain.say(**lie)
    with pytest.raises(kind) as caught:
        send(prepared, patience=5, confirmations=confirmations)
    assert str(caught.value).startswith(f"Mined: the table ({prepared.hash}). {sentence}")
    assert str(caught.value).endswith(f"The check of the table did not succeed. {look_first(prepared)}")
    assert CREATED in look_first(prepared)
    assert (prepared.proved, prepared.stage, caught.value.stage) == (False, "mined", "mined")
