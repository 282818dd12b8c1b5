"""A real node for the tests: anvil from npm, on a free port, ended by the process that started it."""

import json
import socket
import subprocess
import urllib.request
from functools import partial

from eth_utils.address import to_checksum_address

from tests.support import PATIENCE, wait_until
from tests.support.npm import foundry

SEPOLIA = 11155111  # its chain ID


def post(url, question):
    """A node's answer, whatever it is."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(question).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        return json.load(answer)


class Anvil:
    """One anvil process. Options are anvil's own, such as `chain_id=11155111, block_time=1`."""

    def __init__(self, **options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.options = {"port": free.getsockname()[1]} | options
        self.url = f"http://127.0.0.1:{self.options['port']}"
        self.start()

    def start(self):
        command = [str(foundry("anvil")), "--silent"]
        for name, value in self.options.items():
            command += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_until(self.answers, lambda: f"anvil does not answer on {self.url}")

    def answers(self):
        assert self.process.poll() is None, f"anvil ended with {self.process.returncode}: {self.options}"
        try:
            return self.rpc("eth_chainId")
        except OSError:
            return None

    def rpc(self, method, *params):
        reply = post(self.url, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def send(self, sender, data, to=None):
        """A transaction of an account that anvil signs for. Its receipt comes a moment after its hash."""
        gas = hex(2_000_000 if to is None else 200_000)
        transaction = {"from": sender, "data": f"0x{data.hex()}", "gas": gas} | ({"to": to} if to else {})
        look = partial(self.rpc, "eth_getTransactionReceipt", sent := self.rpc("eth_sendTransaction", transaction))
        receipt = wait_until(look, lambda: f"{sent} is not mined")
        assert receipt["status"] == "0x1"
        return receipt

    def create(self, sender, creation_code):
        """Deploy a contract. Returns its address."""
        return to_checksum_address(self.send(sender, creation_code)["contractAddress"])

    def fund(self, address):
        """Give an account a coin, and sign for it."""
        self.rpc("anvil_setBalance", address, hex(10**18))
        self.rpc("anvil_impersonateAccount", address)

    def stop(self):
        """End the process. With `--state`, anvil first writes the chain to the file, and reads it when it starts."""
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
