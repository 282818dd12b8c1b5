"""`ape run deploy`: estimates, asks, waits, proves and remembers."""

import json
import re
from collections.abc import Callable
from typing import Any

import ape
import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address

from tests.support.anvil import Anvil
from tests.terminal.proxy import Proxy
from tests.terminal.terminal import Done, Running, ape_run
from tictactoe import deploy
from tictactoe.node import Node
from tictactoe.sending import Sender, Sent, Stage
from tictactoe.table import runtime_code

Command = Callable[..., Done]
STATE_TYPE = "(uint256,address,address,uint8[3][3],uint8,uint8,(uint8,uint8,uint8,uint8)[])"
OLD_TABLE: tuple[Any, ...] = (7, "0x" + "12" * 20, "0x" + "34" * 20, [[0] * 3] * 3, 1, 1, [])


def test_deploy__tests_and_command__share_one_function(deployer: Any, project: Any) -> None:
    table = deploy(deployer).contract
    assert table.contract_type.name == "TicTacToe"
    assert table.code == runtime_code()
    assert project.TicTacToe.deployments[-1].address == table.address
    assert table.gameState().gameId == 0


def test_deploy__dry_run__estimates_and_sends_nothing(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--dry-run")
    assert done.code == 0
    for words in ("gas   ", "fee   ", "cost  0.00", "at most"):
        assert words in done.out
    assert anvil.rpc("eth_blockNumber") == "0x0"
    assert anvil.rpc("eth_getTransactionCount", anvil.rpc("eth_accounts")[0], "pending") == "0x0"


def test_deploy__dry_run_json__estimates_within_the_margin(command: Command, anvil: Anvil) -> None:
    account = ("--network", anvil.url, "--account", "TEST::0")
    plan = json.loads(command("deploy", *account, "--dry-run", "--json").out)
    told = json.loads(
        command("deploy", *account, "--yes", "--expected-chain-id", "31337", "--confirmations", "0", "--json").out
    )
    assert plan["dryRun"] is True
    assert told["gas"] <= plan["gas"] <= told["gas"] * 1.05
    assert int(told["cost"]) <= int(plan["mostCost"])


def test_deploy__on_a_live_network__asks_before_it_spends(command: Command, anvil: Anvil) -> None:
    args = ("deploy", "--network", anvil.url, "--account", "TEST::0", "--confirmations", "0")
    done = command(*args, keys="n\n")
    assert done.code == 6
    assert "You declined. Nothing was sent." in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"
    done = command(*args, keys="y\n")
    assert done.code == 0, done.err
    assert "proved       the code on chain is the compiled code, and no game has been played" in done.out
    assert anvil.rpc("eth_blockNumber") == "0x1"


def test_deploy__yes_without_a_chain__is_refused(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--yes")
    assert done.code == 2
    assert "--expected-chain-id" in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"


def test_deploy__no_account__names_the_option(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url)
    assert done.code == 6
    assert "Which account pays? Give --account ALIAS" in done.err


def test_deploy__json__has_the_documented_fields(command: Command, anvil: Anvil) -> None:
    args = ("--network", anvil.url, "--account", "TEST::0", "--yes", "--expected-chain-id", "31337")
    done = command("deploy", *args, "--confirmations", "0", "--json")
    (line,) = done.out.splitlines()
    told = json.loads(line)
    assert set(told) == {
        *("network", "chainId", "deployer", "address", "transaction", "block", "gas", "cost", "confirmations", "proved")
    }
    receipt = anvil.rpc("eth_getTransactionReceipt", told["transaction"])
    assert told["address"].lower() == receipt["contractAddress"]
    assert told["block"] == int(receipt["blockNumber"], 16)
    assert told["gas"] == int(receipt["gasUsed"], 16)
    assert told["cost"] == str(told["gas"] * int(receipt["effectiveGasPrice"], 16))


def test_deploy__is_remembered__play_and_watch_find_it(command: Command, anvil: Anvil) -> None:
    args = ("--network", anvil.url, "--account", "TEST::0", "--yes", "--expected-chain-id", "31337")
    told = json.loads(command("deploy", *args, "--confirmations", "0", "--json").out)
    for name in ("play", "watch"):
        done = command(name, "--network", anvil.url, *(["--once"] if name == "watch" else []))
        assert f"Table {told['address']} on" in done.out
        assert done.code == 0


def made_by(anvil: Anvil, block: str) -> str:
    """The address of the table that the block's one transaction created."""
    (hash_,) = anvil.rpc("eth_getBlockByNumber", block, False)["transactions"]
    return str(to_checksum_address(anvil.rpc("eth_getTransactionReceipt", hash_)["contractAddress"]))


def test_deploy__fees_rise_at_the_question__sends_what_was_confirmed(anvil: Anvil) -> None:
    args = ("deploy", "--network", anvil.url, "--account", "TEST::0", "--confirmations", "0")
    with Running(*args, terminal=True) as deploy:
        deploy.wait_for("Deploy? [y/N]")
        base_fee = int(anvil.rpc("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16)
        anvil.rpc("anvil_setNextBlockBaseFeePerGas", hex(base_fee * 3 // 2))
        anvil.rpc("evm_mine")
        deploy.press("y\n")
        assert deploy.end() == 0
    (most,) = re.findall(r"at most ([\d.]+) ETH", deploy.text)
    (sent,) = anvil.rpc("eth_getBlockByNumber", "latest", True)["transactions"]
    assert f"{int(sent['gas'], 16) * int(sent['maxFeePerGas'], 16) / 10**18:.9f}".rstrip("0") == most


def test_deploy__nobody_to_answer__is_a_usage_error(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", keys="")
    assert done.code == 2
    assert "There was no answer, so nothing was sent." in done.err
    assert "--yes and --expected-chain-id ID" in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"


# -- paid for, and not yet confirmed -------------------------------------------------------

UNASKED = ("--account", "TEST::0", "--yes", "--expected-chain-id", "31337")


def test_deploy__ctrl_c_while_confirming__names_the_table_and_remembers_it(anvil: Anvil) -> None:
    with Running("deploy", "--network", anvil.url, *UNASKED, "--confirmations", "3") as deploy:
        deploy.wait_for("mined in block 1")
        deploy.interrupt()
        assert deploy.end() == 130
    address = made_by(anvil, "0x1")
    assert f" ETH, at {address}" in deploy.text
    assert f"Stopped. Mined: table at {address}." in deploy.text
    assert "check it before you deploy another" in deploy.text
    assert f"Table {address} on" in ape_run("watch", "--network", anvil.url, "--once").out


def test_deploy__no_block_comes_to_confirm_it__ends_and_names_the_table(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, *UNASKED, "--confirmations", "3", "--patience", "1", "--json")
    address = made_by(anvil, "0x1")
    assert done.code == 9
    assert "no new block confirmed it for 1 s" in done.err
    assert f"The table's address is {address}: check it before you deploy another" in done.err
    told = json.loads(done.out)
    assert (told["address"], told["proved"]) == (address, False)
    assert f"Table {address} on" in command("play", "--network", anvil.url).out


def test_deploy__each_block_that_confirms__begins_patience_anew(anvil: Anvil, connect: Callable[[str], Node]) -> None:
    """Three blocks, each within patience of the one before, and all of them later than it."""
    mined = 0

    def show(sent: Sent, waited: float) -> None:
        nonlocal mined
        if sent.stage is Stage.MINED and waited > 0.7 * (mined + 1):
            mined += 1
            anvil.rpc("evm_mine")

    sender = Sender(connect(anvil.url), show, patience=1)
    deploy(ape.accounts.test_accounts[0], sender, confirmations=3)
    assert (sender.sent[0].stage, mined) == (Stage.CONFIRMED, 3)


def test_deploy__node_away_while_confirming__names_the_table_and_asks_for_no_second(anvil: Anvil) -> None:
    args = ("deploy", "--network", anvil.url, *UNASKED, "--confirmations", "3", "--patience", "1")
    with Running(*args) as deploy:
        deploy.wait_for("mined in block 1")
        address = made_by(anvil, "0x1")
        anvil.stop()
        assert deploy.end() == 3
    assert "the node became unreachable before it was confirmed" in deploy.text
    assert f"The table's address is {address}: check it before you deploy another" in deploy.text
    assert "Try again" not in deploy.text


def test_deploy__taken_back_while_confirming__says_so_and_where_it_would_be(command: Command, anvil: Anvil) -> None:
    """A reorganisation leaves it out, and blocks go on without it."""

    def reorganise(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == "eth_getTransactionReceipt":
            receipts.append(real())
            if len(receipts) == 1:
                anvil.rpc("anvil_reorg", 1, [])
                anvil.rpc("anvil_mine", "0x3")
                return receipts[0]
        return real()

    receipts: list[Any] = []
    with Proxy(anvil.url, reorganise) as proxy:
        done = command("deploy", "--network", proxy.url, *UNASKED, "--confirmations", "2", "--patience", "1")
    assert done.code == 9
    assert "A reorg took back table (0x" in done.err
    assert "check it before you deploy another" in done.err


@pytest.mark.parametrize(
    ("method", "lie", "sentence"),
    [
        ("eth_getCode", "0x6001", "The contract at"),
        ("eth_getCode", "0x", "There is no contract at"),
        ("eth_call", "0x" + encode([STATE_TYPE], [OLD_TABLE]).hex(), "does not have the state of a new one"),
    ],
    ids=["other-code", "no-code", "another-state"],
)
def test_deploy__the_proof__can_fail(command: Command, anvil: Anvil, method: str, lie: str, sentence: str) -> None:
    def behave(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == method:
            return {"jsonrpc": "2.0", "id": request["id"], "result": lie}
        return real()

    with Proxy(anvil.url, behave) as proxy:
        args = ("--network", proxy.url, "--account", "TEST::0", "--yes", "--expected-chain-id", "31337")
        done = command("deploy", *args, "--confirmations", "0")
    assert done.code == 5
    assert sentence in done.err
    # It is paid for: whatever the proof says, its address is not lost.
    assert f"The table's address is {made_by(anvil, '0x1')}: check it before you deploy another" in done.err
