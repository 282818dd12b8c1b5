"""
What Ape's own way to send does with nodes that lie, blocks that go and programs that are stopped, beside ours.

Each of these is why `tictactoe.transactions` has code of its own. If one fails after an update of Ape, look whether
Ape does it now.
"""

from collections.abc import Iterator
from typing import Any

import ape
import pytest
from ape_test.accounts import TestAccount

from tests.support.anvil import Anvil
from tests.support.local_table import LocalTable
from tests.support.proxy import Proxy, Real, Request
from tests.support.roles import Role
from tictactoe import Table, deploy, errors
from tictactoe.transactions import send

ETHER, GWEI = 10**18, 10**9
OTHER = "0x" + "66" * 20
ME, FRIEND = Role.PLAYER_X, Role.PLAYER_O


@pytest.fixture
def anvil() -> Iterator[Anvil]:
    with Anvil() as node:
        yield node


class Liar:
    """Between Ape and the node: changes the answers to a method, or does something after them."""

    def __init__(self, anvil: Anvil) -> None:
        self.anvil = anvil
        self.changes: dict[str, Any] = {}

    def __call__(self, request: Request, real: Real) -> Any:
        answer = real()
        change = self.changes.get(request["method"])
        return answer if change is None else answer | {"result": change(answer.get("result"))}


@pytest.fixture
def liar(anvil: Anvil) -> Iterator[Liar]:
    """Ape is connected through it."""
    liar = Liar(anvil)
    with Proxy(anvil.url, liar) as proxy, ape.networks.parse_network_choice(proxy.url):
        yield liar


@pytest.fixture
def table(anvil: Anvil, creation_code: bytes) -> str:
    return LocalTable(anvil, creation_code).address


def apes(table: str) -> Any:
    """The contract as Ape has it."""
    return ape.project.TicTacToe.at(table, fetch_from_explorer=False, detect_proxy=False)


def account() -> TestAccount:
    return ME.account


def balance(anvil: Anvil) -> int:
    return int(anvil.rpc("eth_getBalance", ME.address, "latest"), 16)


def test_fee__ape_signs_whatever_the_node_names(anvil: Anvil, liar: Liar, table: str) -> None:
    before = balance(anvil)
    liar.changes["eth_maxPriorityFeePerGas"] = lambda _: hex(10**15)
    with pytest.raises(errors.TooExpensive, match="1,000,001 gwei for one gas; usual is"):
        Table(table).new_game(account(), ME.address, FRIEND.address)
    assert balance(anvil) == before
    apes(table).newGame(ME.address, FRIEND.address, sender=account())
    assert before - balance(anvil) > 10 * ETHER


def test_waiting_payment__ape_replaces_it(anvil: Anvil, liar: Liar, table: str) -> None:
    anvil.rpc("evm_setAutomine", False)
    payment = anvil.rpc(
        "eth_sendTransaction",
        {"from": ME.address, "to": OTHER, "value": hex(7 * ETHER), "gas": hex(21_000)}
        | {"maxFeePerGas": hex(11 * 10**8), "maxPriorityFeePerGas": hex(10**8)},
    )
    with pytest.raises(errors.TransactionError, match="is waiting in the pool, and this program did not send it"):
        Table(table).new_game(account(), ME.address, FRIEND.address)
    liar.changes["eth_sendRawTransaction"] = lambda sent: (anvil.rpc("evm_mine"), sent)[1]
    apes(table).newGame(ME.address, FRIEND.address, sender=account())
    assert anvil.rpc("eth_getTransactionReceipt", payment) is None
    assert anvil.rpc("eth_getBalance", OTHER, "latest") == "0x0"


def test_address_of_a_receipt__ape_believes_it(liar: Liar) -> None:
    liar.changes["eth_getTransactionReceipt"] = lambda receipt: receipt and {**receipt, "contractAddress": OTHER}
    with pytest.raises(errors.NodeError, match=f"names the table {OTHER}, .* Do not use that table"):
        deploy(account())
    assert account().deploy(ape.project.TicTacToe).address == OTHER


def test_reorg_while_it_waits_for_confirmations__ape_confirms_it_all_the_same(
    anvil: Anvil, liar: Liar, table: str
) -> None:
    """Once the receipt was read, its block is replaced by an empty one, and others follow."""
    done: list[str] = []

    def note(receipt: Any) -> Any:
        done.extend(["receipt"] if receipt and not done else [])
        return receipt

    def reorg(head: Any) -> Any:
        if done == ["receipt"]:
            anvil.rpc("anvil_reorg", 1, [])
            anvil.rpc("anvil_dropAllTransactions")
            done.append("reorg")
        elif done:
            anvil.rpc("evm_mine")
        return head

    liar.changes = {"eth_getTransactionReceipt": note, "eth_getBlockByNumber": reorg, "eth_blockNumber": reorg}
    contract = apes(table)
    receipt = contract.newGame(ME.address, FRIEND.address, sender=account(), required_confirmations=2)
    assert (receipt.status, receipt.ran_out_of_gas) == (1, False)
    assert anvil.rpc("eth_getTransactionReceipt", receipt.txn_hash) is None
    assert contract.gameState().gameId == 0

    done.clear()
    mine = Table(table).prepare_new_game(account(), ME.address, FRIEND.address)
    with pytest.raises(errors.TransactionError, match="A reorg took back new game"):
        send(mine, confirmations=2, patience=4)


def test_ctrl_c__ape_does_not_say_what_it_sent(
    anvil: Anvil, liar: Liar, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    assert liar.anvil is anvil
    anvil.rpc("evm_setAutomine", False)
    ours, contract = Table(table).prepare_new_game(account(), ME.address, FRIEND.address), apes(table)
    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt) as caught:
            send(ours)
    assert caught.value.__notes__ == [f"Sent but not mined yet: new game ({ours.hash})."]
    anvil.rpc("anvil_dropAllTransactions")
    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt) as caught:
            contract.newGame(ME.address, FRIEND.address, sender=account())
    assert (caught.value.args, getattr(caught.value, "__notes__", [])) == ((), [])
    assert len(anvil.rpc("eth_getBlockByNumber", "pending", False)["transactions"]) == 1
