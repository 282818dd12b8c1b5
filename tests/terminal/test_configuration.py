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
STRANGER = Role.STRANGER.address


def deployments(*addresses):
    listed = [{"contract_type": "TicTacToe", "address": address} for address in addresses]
    return ape.project.temp_config(deployments={"ethereum": {"sepolia": listed}})


def test_configuration_for_sepolia__has_tables_confirmations_and_one_node(creation_code):
    """Ape would pick one of several nodes at random. One's own tables are newer than those of the configuration."""
    uris = {ape.networks.get_provider_from_choice("ethereum:sepolia").uri for _ in range(3)}
    assert uris == {CONFIG["node"]["ethereum"]["sepolia"]["uri"]}
    with new_chain(SEPOLIA) as chain, ape.networks.parse_network_choice(f"ethereum:sepolia:{chain.anvil.url}"):
        # The stranger never deploys with ape, so ape does not remember these from another test.
        tables = [chain.anvil.create(STRANGER, creation_code) for _ in range(2)]
        for addresses in ([], [STRANGER]):
            with deployments(*addresses), pytest.raises(errors.NoTable):
                find_table()
        with deployments(*tables):
            assert find_table().address == tables[-1]
            ours = deploy(Role.DEPLOYER.account)
            assert find_table().address == ours.address
            for code in ("0x", "0x00"):
                chain.anvil.rpc("anvil_setCode", ours.address, code)
                assert find_table().address == tables[-1]
        assert Node().confirmations == CONFIG["ethereum"]["sepolia"]["required_confirmations"]
        with ape.project.temp_config(ethereum={"sepolia": {"required_confirmations": 5}}):
            assert Node().confirmations == 5
        # The console deploys no table where one costs something.
        with pytest.raises(errors.NoTable):
            ape_console_extras.table(STRANGER)
        with pytest.raises(errors.NoTable):
            ape_console_extras.table()


def test_console_on_the_embedded_chain__has_a_table(player_x, player_o):
    assert ape_console_extras.state() == Game()
    ape_console_extras.table().contract.newGame(player_x, player_o, sender=player_x)
    assert ape_console_extras.state().seats(player_x.address) == "X"
