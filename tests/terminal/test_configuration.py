"""What ape-config.yaml and the console provide: tables, nodes, and two functions."""

from collections.abc import Iterator
from typing import Any

import ape
import pytest
import yaml

import ape_console_extras
from tests.support.anvil import Anvil
from tests.support.commands import APE, ROOT, Command, run
from tests.support.local_table import LocalTable
from tictactoe import Game, errors
from tictactoe.node import Node
from tictactoe.table import table_address

CONFIG = yaml.safe_load((ROOT / "ape-config.yaml").read_text())


# -- deployments ---------------------------------------------------------------------------


@pytest.fixture
def sepolia() -> Iterator[Anvil]:
    with Anvil(chain_id=11155111) as anvil:
        yield anvil


def deployed(anvil: Anvil, name: str, creation_code: bytes) -> str:
    """At an address that ape does not remember from another test."""
    return LocalTable(anvil, creation_code, name).address


def listed(*addresses: str) -> dict[str, Any]:
    return {"ethereum": {"sepolia": [{"contract_type": "TicTacToe", "address": address} for address in addresses]}}


def test_deployments_of_the_configuration__are_known_tables(
    command: Command, sepolia: Anvil, creation_code: bytes
) -> None:
    addresses = [deployed(sepolia, name, creation_code) for name in ("first", "second")]
    args = ("watch", "--network", f"ethereum:sepolia:{sepolia.url}", "--once")
    assert command(*args).code == 5
    with ape.project.temp_config(deployments=listed(*addresses)):
        done = command(*args)
        assert done.code == 0, done.err
        assert f"Table {addresses[-1]} on sepolia" in done.out
    # Tables of another chain are not there.
    with ape.project.temp_config(deployments=listed(table_address("third"))):
        assert command(*args).code == 5


def test_deployments_of_one_s_own__come_first(command: Command, sepolia: Anvil, creation_code: bytes) -> None:
    with ape.project.temp_config(deployments=listed(deployed(sepolia, "theirs", creation_code))):
        args = ("--network", f"ethereum:sepolia:{sepolia.url}")
        paid = ("--account", "TEST::0", "--yes", "--expected-chain-id", "11155111", "--confirmations", "0")
        assert command("deploy", *args, *paid, "--name", "ours").code == 0
        assert f"Table {table_address('ours')} on" in command("watch", *args, "--once").out


# -- nodes -----------------------------------------------------------------------------------


def test_sepolia_by_its_name__has_one_node() -> None:
    uri = CONFIG["node"]["ethereum"]["sepolia"]["uri"]
    assert uri.startswith("https://")
    for _ in range(3):
        assert ape.networks.get_provider_from_choice("ethereum:sepolia").uri == uri


def test_confirmations__are_those_of_the_configuration(sepolia: Anvil) -> None:
    with ape.networks.parse_network_choice(f"ethereum:sepolia:{sepolia.url}"):
        assert Node().confirmations(None) == CONFIG["ethereum"]["sepolia"]["required_confirmations"]
        with ape.project.temp_config(ethereum={"sepolia": {"required_confirmations": 5}}):
            assert Node().confirmations(None) == 5
            assert Node().confirmations(1) == 1


# -- the console -----------------------------------------------------------------------------


def test_console_on_the_embedded_chain__has_a_table() -> None:
    code = "print('before', state().status)\\n"
    code += "anna, ben = accounts.test_accounts[:2]\\n"
    code += "receipt = table().contract.newGame(anna, ben, sender=anna)\\n"
    code += "print('after', state().status, state().seats(anna.address))"
    done = run([str(APE), "console", "--network", "ethereum:local:test", "-c", code])
    assert "before no_game" in done.out
    assert "after in_progress X" in done.out


def test_console_on_a_network__finds_tables_and_deploys_none(anvil: Anvil, creation_code: bytes) -> None:
    address = deployed(anvil, "console", creation_code)
    with ape.networks.parse_network_choice(anvil.url):
        assert ape_console_extras.table("console").address == address
        assert ape_console_extras.state("console") == Game()
        for where, error in (("other", errors.NotDeployedYet), (None, errors.NoTableKnown)):
            with pytest.raises(error):
                ape_console_extras.table(where)
    assert anvil.height == 1
