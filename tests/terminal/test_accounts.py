"""Accounts: found, opened by a passphrase, asked before they sign."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from ape_accounts import KeyfileAccount

from tests.support.anvil import Anvil
from tests.support.commands import Command, Running
from tests.support.keyfiles import ANNA, BEN, PASSPHRASE
from tests.support.local_table import LocalTable
from tests.support.roles import Role
from tictactoe import Table, errors
from tictactoe.formatting import aliases, person, short
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import own_account, unlock

VARIABLE = "APE_ACCOUNTS_ben_PASSPHRASE"


@pytest.fixture
def locked(tmp_path_factory: pytest.TempPathFactory) -> KeyfileAccount:
    return KeyfileAccount(keyfile_path=BEN.write(tmp_path_factory.mktemp("accounts")))


def test_locked_account_without_a_terminal__names_the_variable(locked: KeyfileAccount) -> None:
    with pytest.raises(errors.PassphraseMissing, match=VARIABLE):
        unlock(locked)


@pytest.mark.parametrize("passphrase", [PASSPHRASE, "wrong"])
def test_locked_account__is_opened_from_the_environment(
    locked: KeyfileAccount, monkeypatch: pytest.MonkeyPatch, passphrase: str
) -> None:
    monkeypatch.setenv(VARIABLE, passphrase)
    if passphrase == PASSPHRASE:
        unlock(locked)
        assert not locked.locked
    else:
        with pytest.raises(errors.PassphraseWrong, match=VARIABLE):
            unlock(locked)


def test_three_wrong_passphrases__send_nothing(anvil: Anvil, keyfiles: None) -> None:  # noqa: ARG001
    anvil.rpc("anvil_setBalance", BEN.address, hex(10**18))
    args = ("--network", anvil.url, "--account", BEN.alias, "--yes", "--expected-chain-id", "31337")
    with Running("deploy", *args, terminal=True) as deploy:
        for _ in range(3):
            deploy.wait_for(output_text.PASSPHRASE.format(alias=BEN.alias))
            deploy.press("not it\n")
            deploy.wait_for(output_text.WRONG_PASSPHRASE)
        assert deploy.end() == errors.StaysLocked.exit_code
    assert errors.StaysLocked(BEN.alias).message in deploy.text
    assert "not it" not in deploy.text
    assert anvil.height == 0


@pytest.mark.parametrize("answer", ["n", "y"])
def test_passphrase_of_a_deployment__is_asked_for_after_a_yes(
    command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    unlocked: list[str] = []
    monkeypatch.setattr("tictactoe.terminal.deploy.unlock", lambda account: unlocked.append(account.address))
    args = ("--network", anvil.url, "--account", Role.PLAYER_X.alias)
    done = command("deploy", *args, answers=[f"{answer}\n"])
    agreed = answer == "y"
    assert (done.code, unlocked) == ((0, [Role.PLAYER_X.address]) if agreed else (errors.DeclinedToSign.exit_code, []))


def test_unknown_account__is_a_usage_error(command: Command) -> None:
    done = command("play", "--account", "nobody-here")
    assert done.code == 2
    assert "'nobody-here' not found" in done.err


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
    assert command("play", *local.options, "--against", "carl").failed_with(errors.InvalidAddress("carl"))


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


def test_ask_declined__sends_nothing(command: Command) -> None:
    assert command("play", "--ask", keys="n\n").failed_with(errors.DeclinedToSign("new game"))
