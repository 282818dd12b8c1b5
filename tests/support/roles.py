"""The people of the tests, by the part they play."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ape_test.accounts import TestAccount


class Role(IntEnum):
    """One of the test accounts, which ape and anvil derive alike; anvil signs for them."""

    DEPLOYER = 0
    PLAYER_X = 1
    PLAYER_O = 2
    STRANGER = 3
    OTHER = 4

    @property
    def alias(self) -> str:
        """The account's name on the command line."""
        return f"TEST::{self.value}"

    @property
    def account(self) -> TestAccount:
        from ape import accounts  # here, because some tests run without ape

        account: TestAccount = accounts.test_accounts[self.value]
        return account

    @property
    def address(self) -> str:
        return str(self.account.address)
