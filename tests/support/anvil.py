"""A real node for the tests: anvil from npm, on a free port, ended by the process that started it."""

import json
import socket
import subprocess
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

from eth_typing import ChecksumAddress
from eth_utils.address import to_checksum_address

from tests.rules.layout import Log
from tests.support import PATIENCE, wait_until
from tests.support.npm import foundry


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


SEPOLIA = 11155111  # its chain ID


def post(url: str, question: object) -> Any:
    """A node's answer, whatever it is."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(question).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        return json.load(answer)


class Anvil:
    """One anvil process. Options are anvil's own, such as `chain_id=11155111, block_time=1`."""

    def __init__(self, port: int | None = None, **options: object) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.options = options
        self.start()

    def start(self) -> None:
        command = [str(foundry("anvil")), "--silent", "--port", str(self.port)]
        for name, value in self.options.items():
            command.append("--" + name.replace("_", "-"))
            if value is not True:
                command.append(str(value))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

        def answers() -> bool:
            assert self.process.poll() is None, f"anvil ended with {self.process.returncode}: {' '.join(command)}"
            try:
                return bool(self.rpc("eth_chainId"))
            except (urllib.error.URLError, ConnectionError):
                return False

        wait_until(answers, lambda: f"anvil did not answer on {self.url}")

    def rpc(self, method: str, *params: object) -> Any:
        reply = post(self.url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def send(self, sender: str, data: bytes, to: str | None = None, **fields: str) -> Any:
        """A transaction of an account that anvil signs for, and its receipt."""
        gas = hex(2_000_000 if to is None else 200_000)
        transaction = {"from": sender, "data": f"0x{data.hex()}", "gas": gas} | ({"to": to} if to else {}) | fields
        return self.receipt(self.rpc("eth_sendTransaction", transaction))

    def create(self, sender: str, creation_code: bytes) -> ChecksumAddress:
        """Deploy a contract. Returns its address."""
        return to_checksum_address(self.send(sender, creation_code)["contractAddress"])

    def receipt(self, transaction: str) -> Any:
        """anvil returns the hash a moment before the receipt is there."""
        look = partial(self.rpc, "eth_getTransactionReceipt", transaction)
        return wait_until(look, lambda: f"{transaction} is not mined")

    @property
    def height(self) -> int:
        return int(self.rpc("eth_blockNumber"), 16)

    def keep_state(self, file: Path) -> None:
        """Restart with `--state`, so that later restarts keep the chain."""
        dump = self.rpc("anvil_dumpState")
        self.stop()
        self.options["state"] = file
        self.start()
        self.rpc("anvil_loadState", dump)

    def stop(self) -> None:
        """End the process. With `--state`, anvil first writes the chain to the file."""
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=PATIENCE)

    def __enter__(self) -> "Anvil":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def decoded(logs: list[dict[str, Any]]) -> list[Log]:
    """The logs of a node as raw bytes."""
    return [
        (tuple(bytes.fromhex(topic[2:]) for topic in log["topics"]), bytes.fromhex(log["data"][2:])) for log in logs
    ]
