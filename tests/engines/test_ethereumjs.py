"""Every position on @ethereumjs/evm, an engine in TypeScript that shares no code with pyrevm, at two forks."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from tests.engines.ethereumjs import EthereumJs
from tests.rules.positions import REASONS, judge, reachable
from tests.support.progress import Printer

# Mainnet's rules of today, and those of the next fork.
FORKS = ("osaka", "amsterdam")

# The engine needs half a millisecond for each message, so most refusals are left out. A prime, so that the turn of a
# refusal does not depend on the number of moves.
ONE_IN = 23


def test_every_position_at_both_forks__follows_the_rules(creation_code: bytes, printer: Printer) -> None:
    games = reachable()
    progress, done = printer.progress("positions on @ethereumjs/evm", len(FORKS) * len(games)), count(1)

    def walk(fork: str) -> Counter[str]:
        with EthereumJs(fork, creation_code) as engine:
            return judge(engine, games, lambda _: progress(next(done)), one_in=ONE_IN)

    with ThreadPoolExecutor() as pool:
        tallies = list(pool.map(walk, FORKS))
    for fork, tally in zip(FORKS, tallies, strict=True):
        printer.counts(f"positions on @ethereumjs/evm at {fork}", tally)
        assert tally.total() == 5_478 * 355
        assert min(tally[kind] for kind in ("accepted", *REASONS)) > 1_000


def test_forks__price_code_differently(creation_code: bytes) -> None:
    """Each process does run under its fork: a byte of code costs 200 gas under one, and 1,530 under the other."""
    gas = {}
    for fork in FORKS:
        with EthereumJs(fork, creation_code) as engine:
            gas[fork] = engine.deployment_gas
    assert gas["amsterdam"] - gas["osaka"] > 1_300 * len(creation_code)
