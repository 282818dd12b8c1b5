"""A connection: what it knows about the chain, and what becomes of every answer and every failure."""

import ape
import pytest
from ape.exceptions import ProviderNotConnectedError
from web3.exceptions import CannotHandleRequest, ContractLogicError, Web3RPCError

from tests.library.simulation import TABLE, FakeChain, Sent, X, moves, new_game
from tests.support.anvil import SEPOLIA
from tictactoe import Game, Table, errors
from tictactoe.node import Block, Node

HASH = "0x" + "66" * 32


# -- connecting ----------------------------------------------------------------------------


BARE = {"name": "node", "symbol": "ETH", "embedded": False, "public_choice": "", "chosen_by_name": False, "pace": 1.0}
PACES = {None: 0.25, 0: 0.25, 0.4: 0.2, 1: 0.25, 2: 0.5, 4: 1.0, 12: 1.0}  # by the time between two blocks


@pytest.mark.parametrize(
    ("chain_id", "network", "known"),
    [
        (31337, {}, BARE | {"confirmations": 2}),
        # `failures.txt` of `tests/terminal` has public chains, with and without a name.
        (SEPOLIA, {"named": True, "chain_id": 1}, {"public_choice": "ethereum:sepolia", "chosen_by_name": False}),
        (31337, {"is_local": True, "provider": "test"}, {"embedded": True, "pace": 0.1, "confirmations": 0}),
        (31337, {"is_local": False, "provider": "test"}, {"embedded": False}),
        (31337, {"is_local": True, "provider": "node"}, {"embedded": False}),
        *((31337, {"block_time": seconds}, {"pace": pace}) for seconds, pace in PACES.items()),
    ],
)
def test_connection__knows_its_chain(chain_id, network, known):
    chain = FakeChain(chain_id)
    node = chain.node(**network)
    assert {name: getattr(node, name) for name in known} == known
    assert chain.asked == [("eth_chainId", [])]


def test_default_connection__is_ape_s(monkeypatch):
    assert Node().provider is Table(TABLE).node.provider is ape.networks.active_provider
    monkeypatch.setattr(ape.networks, "active_provider", None)
    with pytest.raises(ProviderNotConnectedError):
        Node()


# -- answers -------------------------------------------------------------------------------


def test_block__is_asked_for_by_number_or_latest(chain, node):
    chain.mine_empty(3)
    head, one = chain.head, chain.blocks[1]
    assert node.block() == node.block(4) == Block(4, head.hash, head.parent, 1_700_000_048, 100)
    assert node.block(1) == Block(1, one.hash, one.parent, 1_700_000_012, 100)


VALUES = (0, 1, 2, 7, 9, 10, 2**8, 2**52, 2**160, 2**255)
NONSENSE = (None, 7, -1, "hello", "", "0x", "0xzz", "0x" + "f" * 65, [1], {"a": None}, "\x1b[2J", True)


def lies(truth, kind):
    """Nonsense in place of an answer and of each of its fields; another value in place of each word of a game."""
    yield from NONSENSE
    if isinstance(truth, dict):
        yield from (truth | {field: value} for field in truth for value in NONSENSE)
    if kind is Game:
        words = range(2, len(truth), 64)
        yield from (f"{truth[:at]}{value:064x}{truth[at + 64 :]}" for at in words for value in VALUES)


def test_nonsense__is_an_error_of_the_node_or_changes_nothing(chain, node):
    chain.play(new_game(), *moves(4, 0))
    chain.add(Sent(HASH))
    chain.mine_sent()
    table = Table(TABLE, node)
    questions = {
        "eth_chainId": (lambda: Node(node.provider).chain_id, int),
        "eth_getBlockByNumber": (node.block, Block),
        "eth_getCode": (lambda: node.code(table.address), bytes),
        "eth_getBalance": (lambda: node.balance(X), int),
        "eth_getTransactionCount": (lambda: node.nonce(X), int),
        "eth_getTransactionReceipt": (lambda: node.receipt(HASH), type(node.receipt(HASH))),
        "eth_getTransactionByHash": (lambda: node.knows(HASH), bool),
        "eth_call": (table.state, Game),
    }
    refused, truth = 0, []
    for method, (question, kind) in questions.items():
        chain.lies[method] = lambda _params, answer: truth.append(answer) or answer
        question()
        for lie in lies(truth[-1], kind):
            chain.lies[method] = lie
            try:
                found = question()
            except errors.NodeError as error:
                refused, found = refused + 1, str(error)
            assert found is None or isinstance(found, kind) or found.isprintable(), (method, lie, found)
            assert not isinstance(found, Game) or found.is_possible, lie
            assert not isinstance(found, Block) or min(found.number, found.time) >= 0, lie
        chain.lies.clear()
    assert refused > 200


# -- failures ------------------------------------------------------------------------------------


def rpc_error(message, error=None):
    raised = Web3RPCError(message)
    raised.rpc_response = error and {"error": error}
    return raised


UNREACHABLE = f"NodeUnreachable: {errors.OUT_OF_REACH} {errors.TRY_AGAIN}"
INVALID = f"NodeError: The node returned an invalid answer ({{}}). {errors.TRY_AGAIN}"


@pytest.mark.parametrize(
    ("raised", "found"),
    [
        (errors.WrongChain("own"), "WrongChain: own"),
        (OSError("refused"), UNREACHABLE),
        (CannotHandleRequest("no"), UNREACHABLE),
        (rpc_error("slow\x1b[2J down"), "NodeRefused: The node refused: slow down."),
        (rpc_error("raw", {"message": "quota."}), "NodeRefused: The node refused: quota."),
        (rpc_error("raw", "text"), "NodeRefused: The node refused: raw."),
        (rpc_error("execution reverted: not your turn"), f"Reverted: {errors.REASONS['not your turn']}"),
        (rpc_error("execution reverted, 'off the grid'"), f"Reverted: {errors.REASONS['off the grid']}"),
        (rpc_error('execution reverted: "cell is taken" '), f"Reverted: {errors.REASONS['cell is taken']}"),
        (rpc_error("VM: execution reverted"), "Reverted: The contract refused: it gave no reason."),
        (rpc_error("execution reverted: X before X"), "Reverted: The contract refused: X before X."),
        (ContractLogicError("own words", "0x"), INVALID.format("ContractLogicError: own words")),
        (KeyError("hash"), INVALID.format("KeyError: 'hash'")),
    ],
)
def test_every_failure__becomes_one_of_ours(node, raised, found):
    def fail():
        raise raised

    with pytest.raises(errors.TicTacToeError) as caught:
        node.ask(fail)
    assert f"{type(caught.value).__name__}: {caught.value}" == found
    assert raised in (caught.value, caught.value.__cause__)
