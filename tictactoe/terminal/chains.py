"""Public chains, and what the commands know about each. `dapp/src/chains.json` has those of the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chain:
    explorer: str
    free: bool = False  # a testnet, whose coin has no price


CHAINS = {
    1: Chain("https://etherscan.io"),
    11155111: Chain("https://sepolia.etherscan.io", free=True),
    560048: Chain("https://hoodi.etherscan.io", free=True),
    84532: Chain("https://sepolia.basescan.org", free=True),
    11155420: Chain("https://sepolia-optimism.etherscan.io", free=True),
    421614: Chain("https://sepolia.arbiscan.io", free=True),
}
