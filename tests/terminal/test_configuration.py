"""What ape-config.yaml and the console provide: tables, nodes, and two functions."""

from collections.abc import Iterator
from typing import Any

import ape
import pytest
import yaml

import ape_console_extras
from tests.support.anvil import Anvil
from tests.support.commands import ROOT
from tests.support.roles import Role
from tictactoe import Game, deploy, errors, find_table
from tictactoe.node import Node

CONFIG = yaml.safe_load((ROOT / "ape-config.yaml").read_text())


# -- deployments ---------------------------------------------------------------------------


@pytest.fixture
def sepolia() -> Iterator[Anvil]:
    with Anvil(chain_id=11155111) as anvil:
        yield anvil


def deployed(anvil: Anvil, creation_code: bytes) -> str:
    """By an account that never deploys with ape, so ape does not remember the address from another test."""
    return anvil.create(Role.STRANGER.address, creation_code)


def listed(*addresses: str) -> dict[str, Any]:
    return {"ethereum": {"sepolia": [{"contract_type": "TicTacToe", "address": address} for address in addresses]}}


def test_deployments_of_the_configuration__are_known_tables_after_one_s_own(
    sepolia: Anvil, creation_code: bytes
) -> None:
    addresses = [deployed(sepolia, creation_code) for _ in range(2)]
    with ape.networks.parse_network_choice(f"ethereum:sepolia:{sepolia.url}"):
        for deployments in (listed(), listed(Role.STRANGER.address)):
            with ape.project.temp_config(deployments=deployments), pytest.raises(errors.NoTable):
                find_table()
        with ape.project.temp_config(deployments=listed(*addresses)):
            assert find_table().address == addresses[-1]
            ours = deploy(Role.DEPLOYER.account)
            assert find_table().address == ours.address


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


def test_console_on_the_embedded_chain__has_a_table(player_x: Any, player_o: Any) -> None:
    assert ape_console_extras.state() == Game()
    ape_console_extras.table().contract.newGame(player_x, player_o, sender=player_x)
    assert ape_console_extras.state().seats(player_x.address) == "X"


def test_console_on_a_network__finds_tables_and_deploys_none(sepolia: Anvil, creation_code: bytes) -> None:
    address = deployed(sepolia, creation_code)
    with ape.networks.parse_network_choice(sepolia.url):
        assert ape_console_extras.table(address).address == address
        assert ape_console_extras.state(address) == Game()
        for where in (Role.STRANGER.address, None):
            with pytest.raises(errors.NoTable):
                ape_console_extras.table(where)
    assert sepolia.height == 1
