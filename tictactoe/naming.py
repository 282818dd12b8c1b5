"""
Tables with names.

A factory that every large chain has deploys a contract at an address that follows from a salt and the creation code
alone (CREATE2, EIP-1014). The salt is the hash of the name, and all tables have one creation code. So a name gives
one address, the same on every chain and for every deployer, and no other code can be there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tictactoe import errors
from tictactoe.addresses import looks_like_address

if TYPE_CHECKING:
    from eth_typing import ChecksumAddress

# It takes a salt of 32 bytes and then the creation code. EIP-7997 makes it part of the Amsterdam fork.
FACTORY: ChecksumAddress = "0x4e59b44847b379578588920cA78FbF26c0B4956C"  # type: ignore[assignment]
FACTORY_CODE = bytes.fromhex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b"
    "8082525050506014600cf3"
)

LONGEST = 32
_NAME = re.compile(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*")


def normalised(name: str) -> str:
    """The name in lower case. Raises unless it has 1 to 32 letters and digits, with single hyphens between them."""
    text = name.strip()
    if len(text) > LONGEST or not _NAME.fullmatch(text) or looks_like_address(text):
        raise errors.InvalidName(text, LONGEST)
    return text.lower()


def salt(name: str) -> bytes:
    """The Keccak-256 hash of the normalised name."""
    return keccak(text=normalised(name))


def create2_address(salt: bytes, creation_code: bytes) -> ChecksumAddress:
    """Where the factory deploys this code with this salt."""
    digest = keccak(b"\xff" + bytes.fromhex(FACTORY[2:]) + salt + keccak(creation_code))
    return to_checksum_address(digest[-20:])
