"""The deployed bytecode on pyrevm: a hundred times faster than a chain, for the tests that try everything."""

from functools import cache

from pyrevm import EVM, AccountInfo

from tests.rules.layout import refused
from tests.rules.model import Refused
from tests.rules.positions import FORWARDER, GAME_STATE, Outcome

DEPLOYER = "0x" + "d0" * 20


@cache
def address(number):
    return f"0x{number:040x}"


def forwarder(target):
    """Code that passes each call on to `target`, and returns or reverts with what comes back."""
    return bytes.fromhex(
        "365f5f37"  # copy the calldata to memory
        + f"5f5f365f3473{target:040x}5af1"  # call the target with it, and with the value
        + "3d5f5f3e"  # copy what it returned
        + "602a573d5ffd"  # revert with it if the call failed,
        + "5b3d5ff3"  # or return it
    )


class RevmTable:
    """One deployed contract, called by accounts and through a forwarder."""

    def __init__(self, creation_code):
        self.evm = EVM()
        self.address = self.evm.deploy(DEPLOYER, creation_code)
        self.set_code(FORWARDER, forwarder(int(self.address, 16)))

    def set_code(self, account, code):
        self.evm.insert_account_info(address(account), AccountInfo(code=code))

    def explore(self, slots, messages):
        self.set_storage(slots)
        for message in messages:
            checkpoint = self.evm.snapshot()
            yield self.outcome(message)
            self.evm.revert(checkpoint)

    def outcome(self, message):
        """Sends the message, and reads what it has left."""
        reply = self.send(*message)
        return Outcome(reply, self.storage(), None if isinstance(reply, Refused) else self.game_state())

    def send(self, caller, data, through_contract=False, *, value=0):
        """A transaction: its logs or its refusal."""
        target = address(FORWARDER) if through_contract else self.address
        try:
            self.evm.message_call(address(caller), target, calldata=data, value=value)
        except RuntimeError as error:
            return refusal(str(error))
        result = self.evm.result
        assert result is not None
        assert all(log.address.lower() == self.address for log in result.logs)
        return [(tuple(topics), data) for topics, data in (log.data for log in result.logs)]

    def game_state(self):
        return self.evm.message_call(DEPLOYER, self.address, calldata=GAME_STATE, is_static=True)

    def storage(self):
        return self.evm.storage(self.address, 0), self.evm.storage(self.address, 1)

    def set_storage(self, slots):
        for index, value in enumerate(slots):
            self.evm.insert_account_storage(self.address, index, value)


@cache
def refusal(error):
    """From the text of pyrevm's exception: it gives the revert data nowhere else."""
    if not error.startswith("Revert {"):
        raise AssertionError(f"not a revert: {error}")
    return refused(bytes.fromhex(error.split("output: 0x", 1)[1].split(" ", 1)[0]))
