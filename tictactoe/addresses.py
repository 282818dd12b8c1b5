"""Addresses that people write, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eth_utils.address import is_address, is_checksum_address, to_checksum_address

from tictactoe import errors
from tictactoe.formatting import aliases

if TYPE_CHECKING:
    from eth_typing import ChecksumAddress


def player_address(text: str) -> str:
    """The address of a player who is named by it, or by the alias of an account of the user's own."""
    named = {alias: address for address, alias in aliases().items()}
    return named.get(text.strip()) or checked_address(text)


def checked_address(text: str) -> ChecksumAddress:
    """The address with its checksum; raises if the text is not an address, or has a wrong checksum."""
    text = text.strip()
    body = text[2:]
    mixed = body != body.lower() and body != body.upper()
    if not is_address(text.lower()) or not text.startswith("0x"):
        raise errors.InvalidAddress(text)
    if mixed and not is_checksum_address(text):
        raise errors.WrongChecksum(text)
    return to_checksum_address(text)
