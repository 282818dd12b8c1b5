"""A table without an address: the last one that was deployed, or that ape-config.yaml lists."""

import re

import ape
import pytest
import yaml

from tests.support.anvil import SEPOLIA
from tests.support.commands import ROOT
from tests.support.roles import Role
from tests.terminal.world import FIRST_TABLE, Chain
from tictactoe import deploy, errors, find_table
from tictactoe.node import Node

CONFIG = yaml.safe_load((ROOT / "ape-config.yaml").read_text())
STRANGER = Role.STRANGER.address


def listed(*addresses):
    tables = [{"contract_type": "TicTacToe", "address": address} for address in addresses]
    return ape.project.temp_config(deployments={"ethereum": {"sepolia": tables}})


def test_configuration_for_sepolia__has_tables_confirmations_and_one_node(creation_code):
    """Ape would pick one of several nodes at random. One's own tables are newer than those of the configuration."""
    uris = {ape.networks.get_provider_from_choice("ethereum:sepolia").uri for _ in range(3)}
    assert uris == {CONFIG["node"]["ethereum"]["sepolia"]["uri"]}
    with Chain(SEPOLIA) as chain, ape.networks.parse_network_choice(f"ethereum:sepolia:{chain.url}"):
        # The stranger never deploys with ape, so ape does not remember these from another test.
        tables = [chain.create(STRANGER, creation_code) for _ in range(2)]
        with listed(STRANGER), pytest.raises(errors.NoTable):
            find_table()
        with listed(*tables):
            assert find_table().address == tables[-1]
            ours = deploy(Role.DEPLOYER.account)
            assert find_table().address == ours.address
            for code in ("0x", "0x00"):
                chain.rpc("anvil_setCode", ours.address, code)
                assert find_table().address == tables[-1]
        assert Node().confirmations == CONFIG["ethereum"]["sepolia"]["required_confirmations"]
        with ape.project.temp_config(ethereum={"sepolia": {"required_confirmations": 5}}):
            assert Node().confirmations == 5


def test_table__is_remembered_from_before_it_is_mined():
    """It is found without its address, and named before another one is deployed."""
    with Chain() as chain:

        def known(state):
            named = f"You have a table on this chain already: {FIRST_TABLE}{state}. To play there, run:\n  uv run ape"
            assert named in chain.run("$deploys", "n\n").stdout.partition("Deploy?")[0]

        chain.mine_by_hand()
        with chain.type("$deploys --confirmations 2 --yes --expected-chain-id 31337", columns=100) as deploy:
            deploy.sees("the table: sent 0x")
            known(f", whose transaction {chain.node.sent[0]} is not mined yet")
            for followed in range(2):
                chain.mine()
                deploy.sees(f"the table: mined in block 1, {followed} of 2 confirmations")
            chain.mine()
            assert deploy.end().returncode == 0
            assert "of 2 confirmations" not in deploy.text
            assert re.search(r"mined in block 1, for 0\.00\d+ ETH", deploy.text)
        known("")
        for command in ("play $there --account TEST::1", "watch $there --once"):
            assert f"Table {FIRST_TABLE} on" in chain.run(command).stdout
