"""A real node for the tests: anvil from npm, on a free port, ended by the process that started it."""

import socket
import subprocess
from contextlib import AbstractContextManager, suppress
from functools import partial

import requests
from eth_utils.address import to_checksum_address

from tests.support import PATIENCE, wait_until
from tests.support.npm import foundry

SEPOLIA = 11155111  # its chain ID


class Anvil(AbstractContextManager):
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
        wait_until(self.answers, lambda: f"anvil does not answer: {command}", lambda: self.process.poll() is None)

    def answers(self):
        with suppress(OSError):
            return self.rpc("eth_chainId")

    def post(self, question):
        return requests.post(self.url, json=question, timeout=PATIENCE).json()

    def rpc(self, method, *params):
        reply = self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
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

    def __exit__(self, *_):
        self.stop()
