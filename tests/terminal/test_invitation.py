"""The line that a friend pastes."""

import re
import shlex
from types import SimpleNamespace
from typing import cast

import ape
import pytest

from tests.support.commands import Command
from tests.support.local_table import LocalTable
from tictactoe.node import Node
from tictactoe.terminal.invitation import network_option, page_query, play_command

KEY = "0123456789abcdef0123456789abcdef"


def chosen(network: str, chain_id: int = 7) -> Node:
    """A node as `--network` names it, without a connection."""
    provider = ape.networks.get_provider_from_choice(network)
    public = {1: "ethereum:mainnet", 11155111: "ethereum:sepolia"}.get(chain_id, "")
    by_name = provider.network.name in ("sepolia", "mainnet")
    facts = {"provider": provider, "network": provider.network, "chain_id": chain_id}
    return cast(Node, SimpleNamespace(**facts, chosen_by_name=by_name, public_choice=public, public=bool(public)))


@pytest.mark.parametrize(
    ("typed", "chain_id", "shown"),
    [
        # ape-config.yaml has a node for Sepolia, but a friend has that, too.
        ("ethereum:sepolia", 11155111, "ethereum:sepolia"),
        ("ethereum:sepolia:https://rpc.example.org", 11155111, "ethereum:sepolia:https://rpc.example.org"),
        (f"ethereum:sepolia:https://example.org/v3/{KEY}", 11155111, "ethereum:sepolia"),
        ("ethereum:local:node", 31337, "ethereum:local:node"),
        ("ethereum:local:http://127.0.0.1:8545", 31337, "ethereum:local:http://127.0.0.1:8545"),
        (f"ethereum:local:https://example.org/{KEY}", 7, "NODE-OF-CHAIN-7"),
        ("http://127.0.0.1:8545", 31337, "http://127.0.0.1:8545"),
        ("https://example.org/rpc/v1", 7, "https://example.org/rpc/v1"),
        ("https://ethereum-sepolia-rpc.publicnode.com", 11155111, "https://ethereum-sepolia-rpc.publicnode.com"),
        (f"https://example.org/v3/{KEY}", 1, "ethereum:mainnet"),
        (f"https://example.org/?key={KEY}", 7, "NODE-OF-CHAIN-7"),
        ("https://example.org/?k=1", 7, "NODE-OF-CHAIN-7"),
        (f"https://{KEY}.eth.example.org", 7, "NODE-OF-CHAIN-7"),
        ("https://anna@example.org", 7, "NODE-OF-CHAIN-7"),
        ("https://anna:pw@example.org", 11155111, "ethereum:sepolia"),
        ("https://:pw@example.org", 7, "NODE-OF-CHAIN-7"),
    ],
)
def test_network__is_shown_without_keys(typed: str, chain_id: int, shown: str) -> None:
    assert network_option(chosen(typed, chain_id)) == shown


def test_invitation__is_quoted_for_a_shell() -> None:
    line = play_command("ethereum:sepolia", "0x34", against="0x12")
    assert line == "uv run ape run play --network ethereum:sepolia --table 0x34 --against 0x12"
    hostile = "$(reboot); 'x'"
    assert shlex.split(play_command(hostile, "t", against="0x12"))[6] == hostile
    assert play_command("n", "t", account="anna", invite="").endswith(" --table t --account anna --invite")


@pytest.mark.parametrize(("typed", "chain_id"), [("ethereum:sepolia", 11155111), (f"https://example.org/{KEY}", 7)])
def test_link__is_one_that_the_page_reads(typed: str, chain_id: int) -> None:
    """It names no node: the page has its own."""
    assert page_query(chosen(typed, chain_id), "0x34", "0x12") == f"?chain={chain_id}&table=0x34&with=0x12"


def test_pasted_line__joins_the_game(command: Command, local: LocalTable) -> None:
    """O pastes the line of X, with an account of their own."""
    local.new_game()
    local.play("5")
    with ape.networks.parse_network_choice(local.anvil.url):
        line = play_command(network_option(Node()), local.address, against=local.x)
    *uv, name = shlex.split(line)[:5]
    assert uv == ["uv", "run", "ape", "run"]
    done = command(name, *shlex.split(line)[5:], "--account", "TEST::2", keys="q\n")
    assert done.code == 0, done.err
    assert re.search(rf"O +{local.o}  you", done.out)
