"""Two people with keyfiles: accounts of ape's own kind, locked by a passphrase."""

import json
from dataclasses import dataclass
from pathlib import Path

from eth_account import Account

PASSPHRASE = "correct horse"


@dataclass(frozen=True)
class Keyfile:
    alias: str
    key: bytes

    @property
    def address(self) -> str:
        return str(Account.from_key(self.key).address)

    @property
    def unlocked(self) -> dict[str, str]:
        """The environment in which ape opens the account without a question."""
        return {f"APE_ACCOUNTS_{self.alias}_PASSPHRASE": PASSPHRASE}

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.alias}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        # Few rounds: the tests are about the questions, not the cipher.
        path.write_text(json.dumps(Account.encrypt(self.key, PASSPHRASE, kdf="pbkdf2", iterations=2)))
        return path


ANNA = Keyfile("anna", b"\x0a" * 32)
BEN = Keyfile("ben", b"\x0b" * 32)
