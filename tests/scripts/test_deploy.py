"""`ape run deploy`: estimates, asks, waits, proves, remembers; and the source that an explorer verifies."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from eth_abi.abi import encode
from vyper.cli.vyper_json import compile_json

from scripts._chain import STATE_TYPE, contract_type, runtime_code
from scripts.deploy import deploy, deployment_data, verification_input
from tests.node import Anvil
from tests.scripts.chain import LocalTable
from tests.scripts.proxy import Proxy
from tests.scripts.terminal import Done

Command = Callable[..., Done]
OLD_TABLE: tuple[Any, ...] = (7, "0x" + "12" * 20, "0x" + "34" * 20, [[0] * 3] * 3, 1, 1, [])


def test_deploy__tests_and_command__share_one_function(deployer: Any, project: Any) -> None:
    table = deploy(deployer)
    assert table.contract_type.name == "TicTacToe"
    assert bytes(table.code) == runtime_code()
    assert project.TicTacToe.deployments[-1].address == table.address
    assert table.gameState().gameId == 0


def test_deploy__dry_run__estimates_and_sends_nothing(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--dry-run")
    assert done.code == 0
    for words in ("gas   7", "fee   ", "cost  0.00", "at most"):
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
    assert "proved       the code on chain is the compiled code, and gameState() answers" in done.out
    assert anvil.rpc("eth_blockNumber") == "0x1"


def test_deploy__yes_without_a_chain__is_refused(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--yes")
    assert done.code == 2
    assert "--expected-chain-id" in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"


def test_deploy__no_account__names_the_option(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url)
    assert done.code == 6
    assert "Who deploys? Say --account ALIAS" in done.err


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


@pytest.mark.parametrize(
    ("method", "lie", "sentence"),
    [
        ("eth_getCode", "0x6001", "Another contract stands at"),
        ("eth_getCode", "0x", "There is no contract at"),
        ("eth_call", "0x" + encode([STATE_TYPE], [OLD_TABLE]).hex(), "does not answer as a new one should"),
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
    assert done.code != 0
    assert sentence in done.err + done.out


def test_deploy__publish_without_the_plugin__says_how_before_it_spends(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--publish")
    assert done.code == 1
    assert "--publish needs ape's explorer plugin" in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"


def test_publish__verification_input__recompiles_to_the_deployed_bytecode(local: LocalTable) -> None:
    """What an explorer would do, offline: the standard JSON alone gives the code on chain and the code that made it."""
    standard = json.loads(json.dumps(verification_input()))
    (source,) = standard["sources"]
    compiled = compile_json(standard)["contracts"][source][contract_type().name]["evm"]
    on_chain = local.anvil.rpc("eth_getCode", local.address, "latest")
    assert "0x" + compiled["deployedBytecode"]["object"].removeprefix("0x") == on_chain
    created = local.anvil.rpc("eth_getBlockByNumber", "0x1", True)["transactions"][0]["input"]
    assert "0x" + compiled["bytecode"]["object"].removeprefix("0x") == created
    assert bytes.fromhex(created[2:]) == deployment_data()
