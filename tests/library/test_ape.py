"""
What Ape's own way to send does with nodes that lie, blocks that go and programs that are stopped.

Each of these is why `tictactoe.transactions` has code of its own; `tests/terminal` shows what that does in the same
situation, in `failures.txt`. If one fails after an update of Ape, look whether Ape does it now.
"""

import ape
import pytest
from eth_abi.abi import decode

from tests.support.anvil import Anvil
from tests.support.roles import Role
from tests.support.wrong_node import WrongNode

ETHER = 10**18
OTHER = "0x" + "66" * 20
ME = Role.PLAYER_X.account
PLAYERS = str(ME.address), Role.PLAYER_O.address


@pytest.fixture
def anvil():
    with Anvil() as node:
        yield node


@pytest.fixture
def liar(anvil):
    """Ape is connected through it."""
    with WrongNode(anvil) as node, ape.networks.parse_network_choice(node.url):
        yield node


@pytest.fixture
def table(liar, creation_code):
    address = liar.real.create(Role.DEPLOYER.address, creation_code)
    return ape.project.TicTacToe.at(address, fetch_from_explorer=False, detect_proxy=False)


def test_fee__is_signed_whatever_the_node_names(liar, table):
    before = ME.balance
    liar.wrong = {"eth_maxPriorityFeePerGas": hex(10**15)}
    table.newGame(*PLAYERS, sender=ME)
    assert before - ME.balance > 10 * ETHER


def test_waiting_payment__is_replaced(anvil, liar, table):
    anvil.rpc("evm_setAutomine", False)
    fees = {"maxFeePerGas": hex(11 * 10**8), "maxPriorityFeePerGas": hex(10**8)}
    payment = {"from": PLAYERS[0], "to": OTHER, "value": hex(7 * ETHER), "gas": hex(21_000)} | fees
    paid = anvil.rpc("eth_sendTransaction", payment)
    liar.after["eth_sendRawTransaction"] = lambda _sent: anvil.rpc("evm_mine")
    table.newGame(*PLAYERS, sender=ME)
    assert anvil.rpc("eth_getTransactionReceipt", paid) is None
    assert anvil.rpc("eth_getBalance", OTHER, "latest") == "0x0"


def test_reorg_while_it_waits_for_confirmations__is_not_noticed(anvil, liar, table):
    """Once the receipt was read, its block is replaced by an empty one, and others follow."""

    def begin(_receipt):
        liar.wrong = dict.fromkeys(("eth_getBlockByNumber", "eth_blockNumber"), reorg)

    def reorg(_params, ask):
        anvil.rpc("anvil_reorg", 1, [])
        anvil.rpc("anvil_dropAllTransactions")
        liar.wrong = dict.fromkeys(liar.wrong, mine)
        return ask()

    def mine(_params, ask):
        anvil.rpc("evm_mine")
        return ask()

    liar.after["eth_getTransactionReceipt"] = begin
    receipt = table.newGame(*PLAYERS, sender=ME, required_confirmations=2)
    assert (receipt.status, receipt.ran_out_of_gas) == (1, False)
    assert anvil.rpc("eth_getTransactionReceipt", receipt.txn_hash) is None
    assert table.gameState().gameId == 0


def test_ctrl_c__does_not_say_what_was_sent(anvil, table, monkeypatch):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    anvil.rpc("evm_setAutomine", False)
    monkeypatch.setattr("time.sleep", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        table.newGame(*PLAYERS, sender=ME)
    assert (caught.value.args, getattr(caught.value, "__notes__", [])) == ((), [])
    monkeypatch.undo()
    assert len(anvil.rpc("eth_getBlockByNumber", "pending", False)["transactions"]) == 1


def test_missing_data__are_zeros_of_any_number():
    """Why a game is decoded by hand, and an event's length is checked: Ape changes eth_abi."""
    claimed = (32).to_bytes(32, "big") + (2**16).to_bytes(32, "big")
    assert decode(["uint8[]"], claimed) == ((0,) * 2**16,)
