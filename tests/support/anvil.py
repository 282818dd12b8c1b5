"""A real node for the tests: anvil from npm, on a free port, ended by the process that started it."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.rules.layout import Log
from tests.support.npm import foundry


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


class Anvil:
    """One anvil process. Options are anvil's own, such as `chain_id=11155111, block_time=1`."""

    def __init__(self, port: int | None = None, **options: object) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.options = options
        self.start()

    def start(self, patience: float = 30) -> None:
        command = [str(foundry("anvil")), "--silent", "--port", str(self.port)]
        for name, value in self.options.items():
            command.append("--" + name.replace("_", "-"))
            if value is not True:
                command.append(str(value))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"anvil ended with {self.process.returncode}: {' '.join(command)}")
            try:
                self.rpc("eth_chainId")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"anvil did not answer on {self.url}")

    def rpc(self, method: str, *params: object) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.url, body, {"content-type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            reply = json.load(answer)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def keep_state(self, file: Path) -> None:
        """From now on the node comes back as it went. Only `--state` at its start does that, so it starts again."""
        dump = self.rpc("anvil_dumpState")
        self.stop()
        self.options["state"] = file
        self.start()
        self.rpc("anvil_loadState", dump)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=10)

    def __enter__(self) -> "Anvil":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def decoded(logs: list[dict[str, Any]]) -> list[Log]:
    """What a node tells of logs, raw."""
    return [
        (tuple(bytes.fromhex(topic[2:]) for topic in log["topics"]), bytes.fromhex(log["data"][2:])) for log in logs
    ]
