"""The committed figures are the measured ones, and they keep the limits of the specification."""

import re

import pytest

from tests.gas import chains, report
from tests.gas.prices import MAINNET
from tests.gas.scenarios import Measurement


@pytest.fixture(scope="module")
def measured() -> tuple[Measurement, Measurement]:
    return chains.both()


@pytest.fixture(scope="module")
def mainnet(measured: tuple[Measurement, Measurement]) -> Measurement:
    return measured[0]


@pytest.fixture(scope="module")
def amsterdam(measured: tuple[Measurement, Measurement]) -> Measurement:
    return measured[1]


def test_files_with_figures__are_up_to_date(mainnet: Measurement, amsterdam: Measurement) -> None:
    for file, text in report.files(mainnet, amsterdam).items():
        for written, measured in zip(file.read_text().splitlines(), text.splitlines(), strict=True):
            same = written == measured or is_close(written, measured)
            assert same, f"{file.name}: run `uv run python -m tests.gas --write`"


def is_close(written: str, measured: str) -> bool:
    """A deployment has the source's hash in its data, where each byte costs 4 or 16 gas. A comment changes it."""
    pairs = zip(gas_in(written), gas_in(measured), strict=True)
    return written.startswith("| deploy") and all(abs(a - b) <= 100 for a, b in pairs)


def gas_in(line: str) -> list[int]:
    """Its figures with thousands: neither the ether nor the percentage."""
    return [int(figure.replace(",", "")) for figure in re.findall(r"\d+(?:,\d{3})+", line)]


def test_table_of_other_contracts__has_this_one(mainnet: Measurement) -> None:
    """The others were measured once, so no command writes that table."""
    won, drawn = (mainnet.costs[name].gas for name in (report.WON_GAME, report.DRAWN_GAME))
    assert f"| **this one** | **{won:,}** | **{drawn:,}** |" in report.DOCS.read_text()


def test_gas_on_another_engine__is_the_same(mainnet: Measurement) -> None:
    """@ethereumjs/vm shares no code with the embedded chain. It is also the engine that measures Amsterdam."""
    assert chains.on_fork(MAINNET) == mainnet


def test_gas_on_mainnet__is_within_the_limits(mainnet: Measurement) -> None:
    costs = mainnet.costs
    assert mainnet.runtime <= 2_640
    assert costs["deploy"].gas <= 621_000
    assert costs[report.DRAWN_GAME].gas <= 309_230
    assert costs[report.WON_GAME].gas <= 187_090
    assert costs[report.MOVES].gas <= costs[report.MOVES].floor * 1.0281


def test_floors_on_mainnet__are_the_specifications(mainnet: Measurement) -> None:
    assert mainnet.costs[report.NEW_GAME].floor == 33_463
    assert mainnet.costs[report.MOVES].floor == 267_592


def test_floors_under_both_lists__leave_the_same_gas_above(mainnet: Measurement, amsterdam: Measurement) -> None:
    """Instructions have one price under both lists, so a floor with a wrong or a missing price shows here.

    One write is no instruction and in no floor: newGame for the same players writes O's address, which does not change.
    Mainnet charges 100 gas for it, and Amsterdam nothing.
    """
    for name, cost in mainnet.costs.items():
        unchanged = name in (report.NEW_GAME, report.NAMED_NEW_GAME) or "second game" in name
        other = amsterdam.costs[name]
        assert 0 < other.gas - other.floor == cost.gas - cost.floor - 100 * unchanged, name


def test_gas_of_a_move__does_not_depend_on_the_cell(mainnet: Measurement) -> None:
    """Only the zero bytes of its calldata differ, and the floor counts them."""
    for mark, moves in (("X", (1, 3)), ("X", (5, 7)), ("O", (2, 4)), ("O", (6, 8))):
        costs = [mainnet.costs[f"drawn game, move {move} by {mark}"] for move in moves]
        assert len({cost.gas - cost.floor for cost in costs}) == 1, mark
