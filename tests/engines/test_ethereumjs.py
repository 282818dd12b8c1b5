"""The positions on @ethereumjs/evm, an engine in TypeScript that shares no code with pyrevm, at two forks."""

from itertools import islice

import pytest

from tests.engines.ethereumjs import EthereumJs
from tests.rules.positions import REASONS, everything, judge, reachable

# Without `--whole`, every eleventh position, other ones for each fork, and every eleventh message to it.
EVERY = 11


def some(game, table):
    return islice(everything(game, table), sum(game.moves) % EVERY, None, EVERY)


# Mainnet's rules of today, and those of the next fork, by which a byte of code costs more.
@pytest.mark.parametrize(("fork", "first", "byte_of_code"), [("osaka", 0, 200), ("amsterdam", 1, 1_530)])
def test_positions__follow_the_rules(creation_code, whole, print_counts, fork, first, byte_of_code):
    games, send = (reachable(), everything) if whole else (reachable()[first::EVERY], some)
    with EthereumJs(fork, creation_code) as engine:
        tally = judge(engine, games, send=send)
    print_counts(f"{len(games):,} of 5,478 positions (all with --whole) on @ethereumjs/evm at {fork}", tally)
    assert tally.total() > (5_478 * 354 if whole else 498 * 32)
    assert min(tally[kind] for kind in ("accepted", *REASONS)) > 100
    assert engine.deployment_gas / len(creation_code) == pytest.approx(byte_of_code, rel=0.1)
