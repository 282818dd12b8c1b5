"""The deployed bytecode on pyrevm: a hundred times faster than a chain, for the tests that try everything."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pyrevm import EVM, AccountInfo

from tests.rules.layout import Log, call
from tests.rules.model import Model, RefusedError

DEPLOYER = "0x" + "d0" * 20

# An error of Solidity's `Error(string)`, which is how Vyper gives a reason.
ERROR = "08c379a0"


@dataclass(frozen=True)
class Refused:
    """A refusal with its reason; empty where the contract gave none, as for malformed calldata."""

    reason: str


def rules(outcome: Callable[[], Model]) -> Model | Refused:
    """What the rules make of a transaction, in the engine's terms."""
    try:
        return outcome()
    except RefusedError as refused:
        return Refused(str(refused))


class Place(Protocol):
    """Whatever a contract is deployed on."""

    address: str


def address(number: int) -> str:
    return f"0x{number:040x}"


def forwarder(target: int) -> bytes:
    """Code that calls `target` with whatever it is called with, and hands back whatever comes of it."""
    return bytes.fromhex(
        "365f5f37"  # copy the calldata to memory
        + f"5f5f365f3473{target:040x}5af1"  # call the target with it, and with the value
        + "3d5f5f3e"  # copy what it returned
        + "602a573d5ffd"  # revert with it if the call failed,
        + "5b3d5ff3"  # or return it
    )


class RevmTable:
    """One deployed contract, called as accounts and as contracts in front of them."""

    def __init__(self, creation_code: bytes) -> None:
        self.evm = EVM()
        self.address = self.evm.deploy(DEPLOYER, creation_code)
        # Contracts in front of people: a call to one of them arrives with its caller as the origin.
        self.middle = address(0xF0)
        self.set_code(int(self.middle, 16), forwarder(int(self.address, 16)))

    def set_code(self, account: int, code: bytes) -> None:
        self.evm.insert_account_info(address(account), AccountInfo(code=code))

    def send(self, caller: int, data: bytes, *, value: int = 0, through_contract: bool = False) -> list[Log] | Refused:
        """A transaction: the logs it left, or how it was refused."""
        target = self.middle if through_contract else self.address
        try:
            self.evm.message_call(address(caller), target, calldata=data, value=value)
        except RuntimeError as error:
            return Refused(reason_of(str(error)))
        result = self.evm.result
        assert result is not None
        assert all(log.address.lower() == self.address for log in result.logs)
        return [(tuple(topics), data) for topics, data in (log.data for log in result.logs)]

    def game_state(self) -> bytes:
        return self.evm.message_call(DEPLOYER, self.address, calldata=GAME_STATE, is_static=True)

    def storage(self) -> tuple[int, int]:
        return self.evm.storage(self.address, 0), self.evm.storage(self.address, 1)

    def set_storage(self, slots: tuple[int, int]) -> None:
        for index, value in enumerate(slots):
            self.evm.insert_account_storage(self.address, index, value)


GAME_STATE = call("gameState()")


def reason_of(error: str) -> str:
    """The reason in the text of pyrevm's exception, which is the only place it stands in."""
    if not error.startswith("Revert {"):
        raise AssertionError(f"not a revert: {error}")
    output = bytes.fromhex(error.split("output: 0x", 1)[1].split(" ", 1)[0])
    if not output:
        return ""
    assert output[:4].hex() == ERROR, error
    length = int.from_bytes(output[36:68], "big")
    assert output[68 + length :].strip(b"\0") == b"", error
    return output[68 : 68 + length].decode()
