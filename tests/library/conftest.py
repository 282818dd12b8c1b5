"""A chain in this process, the table on it, and time that passes only when somebody sleeps."""

import sys

import pytest

from tests.library.simulation import Clock, FakeChain


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def node(chain):
    return chain.node()


@pytest.fixture
def table(chain):
    return chain.table()


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in ("events", "transactions"):
        # By its module: the package has a function `events`.
        monkeypatch.setattr(sys.modules[f"tictactoe.{module}"], "time", clock)
    return clock
