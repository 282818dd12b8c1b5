"""The positions on @ethereumjs/evm, an engine in TypeScript that shares no code with pyrevm, at two forks."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from tests.engines.ethereumjs import EthereumJs
from tests.rules.model import Model
from tests.rules.positions import REASONS, judge, reachable
from tests.support.progress import Printer

# Mainnet's rules of today, and those of the next fork.
FORKS = ("osaka", "amsterdam")

# The engine needs half a millisecond for each message, so most refusals are left out. A prime, so that the turn of a
# refusal does not depend on the number of moves.
ONE_IN = 23

# In a run that is not whole, each fork has one position in so many, and not the same ones.
EVERY = 11


def test_positions_at_both_forks__follow_the_rules(creation_code: bytes, whole: bool, printer: Printer) -> None:
    games = reachable()
    shares = [games if whole else games[first::EVERY] for first in range(len(FORKS))]
    progress, done = printer.progress("positions on @ethereumjs/evm", sum(map(len, shares))), count(1)

    def walk(fork: str, share: list[Model]) -> Counter[str]:
        with EthereumJs(fork, creation_code) as engine:
            return judge(engine, share, lambda _: progress(next(done)), one_in=ONE_IN)

    with ThreadPoolExecutor() as pool:
        tallies = list(pool.map(walk, FORKS, shares))
    for fork, share, tally in zip(FORKS, shares, tallies, strict=True):
        printer.counts(f"{len(share):,} of 5,478 positions (all with --whole) on @ethereumjs/evm at {fork}", tally)
        assert len(share) == (5_478 if whole else 498)
        assert tally.total() == len(share) * 355
        assert min(tally[kind] for kind in ("accepted", *REASONS)) > 100


def test_forks__price_code_differently(creation_code: bytes) -> None:
    """Each process does run under its fork: a byte of code costs 200 gas under one, and 1,530 under the other."""
    gas = {}
    for fork in FORKS:
        with EthereumJs(fork, creation_code) as engine:
            gas[fork] = engine.deployment_gas
    assert gas["amsterdam"] - gas["osaka"] > 1_300 * len(creation_code)
