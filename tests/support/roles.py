"""The people of the tests, by the part they play."""

from enum import IntEnum


class Role(IntEnum):
    """One of the test accounts, which ape and anvil derive alike; anvil signs for them."""

    DEPLOYER = 0
    PLAYER_X = 1
    PLAYER_O = 2
    STRANGER = 3
    OTHER = 4

    @property
    def account(self):
        from ape import accounts  # here, because some tests run without ape

        return accounts.test_accounts[self.value]

    @property
    def address(self):
        return str(self.account.address)
