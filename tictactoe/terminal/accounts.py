"""Passphrases of keyfile accounts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click
from ape.exceptions import AccountsError

from tictactoe import errors
from tictactoe.terminal import output_text

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


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
            raise errors.PassphraseWrong(alias, variable) from err
        return
    if not sys.stdin.isatty():
        raise errors.PassphraseMissing(alias, variable)
    for _ in range(3):
        try:
            account.set_autosign(True, passphrase=click.prompt(output_text.passphrase_of(alias), hide_input=True))
            return
        except AccountsError:
            click.echo(output_text.WRONG_PASSPHRASE)
    raise errors.StaysLocked(alias)
