"""A table at an address, with web3.py."""

import time
from collections.abc import Callable
from typing import Any

from web3 import Web3


class TableClient:
    def __init__(self, url: str, address: str, abi: list[dict[str, Any]]) -> None:
        self.web3 = Web3(Web3.HTTPProvider(url))
        self.contract: Any = self.web3.eth.contract(Web3.to_checksum_address(address), abi=abi, decode_tuples=True)

    def state(self) -> Any:
        """The whole game in one call."""
        return self.contract.functions.gameState().call()

    def move(self, key: str, row: int, col: int, game_id: int) -> Any:
        """Place a mark in the game `game_id`, and in no other."""
        account = self.web3.eth.account.from_key(key)
        transaction = self.contract.functions.makeMove(row, col, game_id).build_transaction(
            {"from": account.address, "nonce": self.web3.eth.get_transaction_count(account.address)}
        )
        signed = account.sign_transaction(transaction)
        return self.web3.eth.wait_for_transaction_receipt(self.web3.eth.send_raw_transaction(signed.raw_transaction))

    def decoded(self, logs: list[Any]) -> list[Any]:
        events = {bytes.fromhex(event.topic[2:]): event for event in self.contract.events}
        return [events[bytes(log["topics"][0])].process_log(log) for log in logs]

    def games(self, from_block: int = 0) -> dict[int, dict[str, Any]]:
        """Every game since `from_block`, rebuilt from the logs."""
        games: dict[int, dict[str, Any]] = {}
        for event in self.decoded(self.web3.eth.get_logs({"address": self.contract.address, "fromBlock": from_block})):
            args = event["args"]
            if event["event"] == "GameCreated":
                games[args["gameId"]] = {**args, "moves": [], "status": 1}
            elif args["gameId"] not in games:
                continue  # it began before `from_block`
            elif event["event"] == "MoveMade":
                games[args["gameId"]]["moves"].append(args["row"] * 3 + args["col"])
            else:
                games[args["gameId"]]["status"] = args["status"]
        return games

    def follow(self, on_state: Callable[[Any], None], stop: Callable[[], bool], pace: float = 1) -> None:
        """Call `on_state` at every new head, also after a reorg. Raises when the node fails: call it again."""
        seen = None
        while not stop():
            head = self.web3.eth.get_block("latest")["hash"]
            if head != seen:
                on_state(self.state())
            seen = head
            time.sleep(pace)
