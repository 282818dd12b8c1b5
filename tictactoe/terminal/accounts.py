"""The player's own accounts, and the passphrases of keyfiles."""

from __future__ import annotations

import os
import sys

import ape
import click
from ape.api.accounts import AccountAPI, TestAccountAPI
from ape.exceptions import AccountsError

from tictactoe import errors
from tictactoe.formatting import clean
from tictactoe.terminal import output_text


def own_account() -> AccountAPI | None:
    """For a player who named no account: the only one there is, or on a terminal the one that they choose."""
    owned = list(ape.accounts)
    if len(owned) > 1 and sys.stdin.isatty():
        choice = click.prompt(output_text.WHICH_ACCOUNT, type=click.Choice([str(each.alias) for each in owned]))
        owned = [each for each in owned if each.alias == choice]
    return owned[0] if len(owned) == 1 else None


def no_account() -> errors.AccountError:
    problem = "Which account pays? Give --account ALIAS; `ape accounts list` shows your accounts."
    return errors.AccountError(problem)


def asks_by_itself(account: AccountAPI) -> bool:
    """Whether it prints and asks while it signs, as the plugins of hardware wallets do."""
    return not hasattr(account, "set_autosign") and not isinstance(account, TestAccountAPI)


def unlock(account: AccountAPI) -> None:
    """Let the account sign until the command ends. A keyfile's passphrase is asked for once, before the board."""
    if not hasattr(account, "set_autosign") or not getattr(account, "locked", False):
        return
    alias = str(account.alias)
    variable = f"APE_ACCOUNTS_{alias}_PASSPHRASE"
    if os.environ.get(variable):
        try:
            account.set_autosign(True)
        except AccountsError as err:
            problem = f"The passphrase in {variable} does not unlock the account '{clean(alias, 60)}'."
            raise errors.AccountError(problem) from err
        return
    if not sys.stdin.isatty():
        problem = f"The account '{clean(alias, 60)}' is locked, and there is no terminal to ask for its passphrase."
        raise errors.AccountError(problem, f"Set {variable}.")
    question = output_text.PASSPHRASE.format(alias=clean(alias, 60))
    for _ in range(3):
        try:
            account.set_autosign(True, passphrase=click.prompt(question, hide_input=True))
            return
        except AccountsError:
            click.echo(output_text.WRONG_PASSPHRASE)
    problem = f"Three wrong passphrases: the account '{clean(alias, 60)}' is still locked. Nothing was sent."
    raise errors.AccountError(problem)
