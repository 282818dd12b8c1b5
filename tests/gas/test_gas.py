"""The figures are those of the committed table: a change in gas is a change that somebody looks at."""

from pathlib import Path
from typing import Any

import pytest
from ape import networks

from scripts._gas import Cost, Scenarios, peers_of, table_of
from scripts.deploy import deploy
from scripts.gas import GAS_FILE, in_readme
from tests.support.anvil import Anvil


@pytest.fixture(scope="module")
def costs(accounts: Any) -> list[Cost]:
    return Scenarios(deploy, accounts).run()


@pytest.fixture(scope="module")
def named(costs: list[Cost]) -> dict[str, Cost]:
    assert len({cost.name for cost in costs}) == len(costs)
    return {cost.name: cost for cost in costs}


def test_gas__of_every_scenario__is_the_committed_figure(costs: list[Cost]) -> None:
    assert table_of(costs) == GAS_FILE.read_text(), "`uv run ape run gas --write` writes the new figures down"


def test_gas__on_a_real_node__is_the_same(accounts: Any) -> None:
    """anvil's engine has nothing in common with the embedded chain's."""
    with Anvil() as anvil, networks.parse_network_choice(anvil.url):
        assert table_of(Scenarios(deploy, accounts).run()) == GAS_FILE.read_text()


def test_gas__in_the_readme__is_the_same(costs: list[Cost]) -> None:
    readme = Path("README.md").read_text()
    assert in_readme(readme, table_of(costs) + "\n" + peers_of(costs)) == readme
    assert f"deploy your own table: it costs {costs[0].gas:,} gas" in readme


def test_floors__computed_from_the_rules_of_the_evm__are_the_specifications(named: dict[str, Cost]) -> None:
    """The two floors that the specification states, reached here by another way."""
    assert named["newGame, same players"].floor == 33_463
    assert named["nine moves, drawn"].floor == 267_592


def test_goals__of_the_specification__are_met(costs: list[Cost], named: dict[str, Cost]) -> None:
    moves = named["nine moves, drawn"]
    assert moves.gas <= moves.floor * 1.033
    assert named["whole second game, drawn"].gas <= 310_000
    assert named["whole second game, won in five"].gas <= 188_000
    assert costs[0].name.startswith("deploy")
    assert costs[0].gas < 770_516  # the cheapest sound peer's


def test_gas__of_every_scenario__is_above_its_floor(costs: list[Cost]) -> None:
    for cost in costs:
        assert cost.gas > cost.floor > 0, cost


def test_gas__of_a_move__depends_only_on_who_moves_and_how_far_the_game_is(named: dict[str, Cost]) -> None:
    """Where on the grid a mark goes must not change what it costs, apart from the zero bytes of its calldata."""
    for mark, moves in (("X", (1, 3)), ("X", (5, 7)), ("O", (2, 4)), ("O", (6, 8))):
        above = {
            named[f"drawn game, move {move} by {mark}"].gas - named[f"drawn game, move {move} by {mark}"].floor
            for move in moves
        }
        assert len(above) == 1, mark
