"""The positions on @ethereumjs/evm, an engine in TypeScript that shares no code with pyrevm, at two forks."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice

from tests.engines.ethereumjs import EthereumJs
from tests.rules.positions import REASONS, everything, judge, reachable

# Mainnet's rules of today, and those of the next fork.
FORKS = ("osaka", "amsterdam")

# Without `--whole`, every eleventh position, other ones for each fork, and every eleventh message to it.
EVERY = 11


def some(game, table):
    return islice(everything(game, table), sum(game.moves) % EVERY, None, EVERY)


def test_positions_at_both_forks__follow_the_rules(creation_code, whole, printer):
    games = reachable()
    shares = [games if whole else games[first::EVERY] for first in range(len(FORKS))]
    progress, done = printer.progress("positions on @ethereumjs/evm", sum(map(len, shares))), count(1)

    def walk(fork, share):
        with EthereumJs(fork, creation_code) as engine:
            return judge(engine, share, lambda _: progress(next(done)), send=everything if whole else some)

    with ThreadPoolExecutor() as pool:
        tallies = list(pool.map(walk, FORKS, shares))
    for fork, share, tally in zip(FORKS, shares, tallies, strict=True):
        printer.counts(f"{len(share):,} of 5,478 positions (all with --whole) on @ethereumjs/evm at {fork}", tally)
        assert tally.total() > (5_478 * 354 if whole else 498 * 32)
        assert min(tally[kind] for kind in ("accepted", *REASONS)) > 100


def test_forks__price_code_differently(creation_code):
    """Each process does run under its fork: a byte of code costs 200 gas under one, and 1,530 under the other."""
    gas = {}
    for fork in FORKS:
        with EthereumJs(fork, creation_code) as engine:
            gas[fork] = engine.deployment_gas
    assert gas["amsterdam"] - gas["osaka"] > 1_300 * len(creation_code)
