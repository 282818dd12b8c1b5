"""What ape-config.yaml and the console provide: tables, nodes, and two functions."""

import ape
import pytest
import yaml

import ape_console_extras
from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT
from tests.support.roles import Role
from tests.terminal.world import new_chain
from tictactoe import Game, deploy, errors, find_table
from tictactoe.node import Node

CONFIG = yaml.safe_load((ROOT / "ape-config.yaml").read_text())


@pytest.fixture
def sepolia(creation_code):
    """Two tables, by an account that never deploys with ape: ape does not remember them from another test."""
    with new_chain(SEPOLIA) as chain:
        chain.tables = [chain.anvil.create(Role.STRANGER.address, creation_code) for _ in range(2)]
        with ape.networks.parse_network_choice(f"ethereum:sepolia:{chain.anvil.url}"):
            yield chain


def deployments(*addresses):
    listed = [{"contract_type": "TicTacToe", "address": address} for address in addresses]
    return ape.project.temp_config(deployments={"ethereum": {"sepolia": listed}})


def test_deployments_of_the_configuration__are_known_tables_after_one_s_own(sepolia):
    for addresses in ([], [Role.STRANGER.address]):
        with deployments(*addresses), pytest.raises(errors.NoTable):
            find_table()
    with deployments(*sepolia.tables):
        assert find_table().address == sepolia.tables[-1]
        ours = deploy(Role.DEPLOYER.account)
        assert find_table().address == ours.address


def test_sepolia_by_its_name__has_one_node():
    uri = CONFIG["node"]["ethereum"]["sepolia"]["uri"]
    assert uri.startswith("https://")
    for _ in range(3):
        assert ape.networks.get_provider_from_choice("ethereum:sepolia").uri == uri


@pytest.mark.usefixtures("sepolia")
def test_confirmations__are_those_of_the_configuration():
    assert Node().confirmations(None) == CONFIG["ethereum"]["sepolia"]["required_confirmations"]
    with ape.project.temp_config(ethereum={"sepolia": {"required_confirmations": 5}}):
        assert (Node().confirmations(None), Node().confirmations(1)) == (5, 1)


def test_console_on_the_embedded_chain__has_a_table(player_x, player_o):
    assert ape_console_extras.state() == Game()
    ape_console_extras.table().contract.newGame(player_x, player_o, sender=player_x)
    assert ape_console_extras.state().seats(player_x.address) == "X"


def test_console_on_a_network__finds_tables_and_deploys_none(sepolia):
    address = sepolia.tables[0]
    assert ape_console_extras.table(address).address == address
    assert ape_console_extras.state(address) == Game()
    for where in (Role.STRANGER.address, None):
        with pytest.raises(errors.NoTable):
            ape_console_extras.table(where)
    assert sepolia.anvil.height == 2
