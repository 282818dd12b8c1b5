"""The figures in the documents are the measured ones, and keep the limits of the specification."""

import re

import pytest

from tests.gas.floor import AMSTERDAM, TODAY
from tests.gas.measure import PLAIN, floor, gas, measured
from tests.gas.report import choices_table, code_size, costs_tables, written

WRITE = "run `uv run python -m tests.gas`"


@pytest.fixture(scope="module")
def both(contract_source):
    """The games at the contract and at the plain one."""
    return measured(contract_source, PLAIN)


def test_tables__have_the_measured_figures(both):
    for name, table in costs_tables(*both).items():
        for old, new in zip(written(name).splitlines(), table.splitlines(), strict=True):
            if new.startswith("| deploy"):
                # A comment in the source changes the hash in the metadata, and zero bytes cost less than others.
                assert numbers(old) == pytest.approx(numbers(new), abs=100), WRITE
            else:
                assert old == new, WRITE


def numbers(row):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,.]*", row)]


def test_table_of_choices__has_the_measured_figures():
    assert written("choices") == choices_table(), WRITE


def test_gas_on_ape__is_the_same(both, networks):
    """Ape's embedded chain shares no code with @ethereumjs/vm, the engine that has Amsterdam's prices, too."""
    table = None
    for sent in (sent for games in both for game in games.values() for sent in game):
        to = None if sent.creates else table
        receipt = sent.sender.account.call(networks.ethereum.create_transaction(data=sent.data, receiver=to))
        assert receipt.gas_used == gas([sent], TODAY), sent
        table = receipt.contract_address or table


def test_gas_and_floors__are_within_the_specification(both):
    contract, _ = both
    new_game, moves = contract["later"][:1], contract["later"][1:]
    assert code_size(contract) <= 2_640
    assert gas(contract["deploy"], TODAY) <= 621_000
    assert gas(contract["later"], TODAY) <= 309_230
    assert gas(contract["won"], TODAY) <= 187_090
    assert (floor(new_game, TODAY), floor(moves, TODAY)) == (33_463, 267_592)
    assert gas(moves, TODAY) <= 267_592 * 1.0281


def test_gas_above_the_floor__is_equal_under_both_price_lists(both):
    """Instructions have the same prices, so a price that is wrong or missing in a floor shows here.

    One write is in no floor: a later newGame writes O's address, which does not change. It costs 100 gas today, and
    nothing under Amsterdam's prices.
    """
    contract, _ = both
    for name, game in contract.items():
        for i, sent in enumerate(game):
            today, amsterdam = (gas([sent], prices) - floor([sent], prices) for prices in (TODAY, AMSTERDAM))
            unchanged = i == 0 and name not in ("deploy", "first")
            assert 0 < amsterdam == today - 100 * unchanged, (name, i)
