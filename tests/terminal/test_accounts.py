"""Accounts: found, opened by a passphrase, asked before they sign."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from ape_accounts import KeyfileAccount

from tests.support.commands import Command
from tests.support.keyfiles import ANNA, BEN
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe import Table
from tictactoe.formatting import aliases, person, short
from tictactoe.terminal.accounts import own_account


@pytest.fixture
def locked(tmp_path_factory: pytest.TempPathFactory) -> KeyfileAccount:
    return KeyfileAccount(keyfile_path=BEN.write(tmp_path_factory.mktemp("accounts")))


def test_no_account_named__is_the_only_one_or_the_chosen_one(
    locked: KeyfileAccount, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a terminal, nobody can be asked: the test's own input is none."""
    anna = KeyfileAccount(keyfile_path=ANNA.write(tmp_path))
    for owned, found in (([], None), ([locked], locked), ([locked, anna], None)):
        monkeypatch.setattr("tictactoe.terminal.accounts.ape", SimpleNamespace(accounts=owned))
        assert own_account() is found
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda _question, **how: how["type"].choices[1])
    assert own_account() is anna


def test_opponent__may_be_named_by_an_alias(
    command: Command,
    local: LocalTable,
    table: Table,
    keyfiles: None,  # noqa: ARG001
) -> None:
    done = command("play", *local.options, "--account", Role.PLAYER_X.alias, "--against", BEN.alias)
    assert done.code == 0, done.err
    assert (table.state().player_x, table.state().player_o) == (Role.PLAYER_X.address, BEN.address)


def test_broken_keyfile__costs_only_its_name(ape_data: Path, keyfiles: None) -> None:  # noqa: ARG001
    broken = ape_data / "accounts" / "aaa.json"
    broken.write_text("{")
    try:
        aliases.cache_clear()
        assert person(ANNA.address) == f"anna ({short(ANNA.address)})"
        assert person(ANNA.address, whole=True) == f"anna ({ANNA.address})"
        assert person(Role.OTHER.address) == short(Role.OTHER.address)
    finally:
        broken.unlink()
