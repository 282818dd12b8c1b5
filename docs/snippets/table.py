"""A table on a chain, for an app in Python."""

import time
from collections.abc import Callable
from typing import Any

from web3 import Web3


class Table:
    def __init__(self, url: str, address: str, abi: list[dict[str, Any]]) -> None:
        self.web3 = Web3(Web3.HTTPProvider(url))
        self.contract = self.web3.eth.contract(Web3.to_checksum_address(address), abi=abi)

    def state(self) -> Any:
        """Everything about the game in one call."""
        return self.contract.functions.gameState().call()

    def move(self, key: str, row: int, col: int, game_id: int) -> Any:
        """Place a mark. Give the game's number: a move meant for one game can then never land in the next."""
        account = self.web3.eth.account.from_key(key)
        transaction = self.contract.functions.makeMove(row, col, game_id).build_transaction(
            {"from": account.address, "nonce": self.web3.eth.get_transaction_count(account.address)}
        )
        signed = account.sign_transaction(transaction)
        return self.web3.eth.wait_for_transaction_receipt(self.web3.eth.send_raw_transaction(signed.raw_transaction))

    def events(self) -> dict[bytes, Any]:
        """The contract's events by the topic that a log begins with."""
        names = [entry["name"] for entry in self.contract.abi if entry["type"] == "event"]
        events = [self.contract.events[name]() for name in names]
        return {bytes.fromhex(event.topic.removeprefix("0x")): event for event in events}

    def games(self, from_block: int = 0) -> dict[int, dict[str, Any]]:
        """Every game ever played at this table, rebuilt from its logs alone."""
        games: dict[int, dict[str, Any]] = {}
        events = self.events()
        for log in self.web3.eth.get_logs({"address": self.contract.address, "fromBlock": from_block}):
            event = events[bytes(log["topics"][0])].process_log(log)
            args = event["args"]
            if event["event"] == "GameCreated":
                games[args["gameId"]] = {**args, "moves": [], "status": 1}
            elif event["event"] == "MoveMade":
                games[args["gameId"]]["moves"].append((args["row"], args["col"]))
            else:
                games[args["gameId"]]["status"] = args["status"]
        return games

    def follow(self, on_state: Callable[[Any], None], stop: Callable[[], bool], every: float = 1) -> None:
        """The state at every new head, after a reorg too. Raises when the node is away: begin again."""
        seen = None
        while not stop():
            head = self.web3.eth.get_block("latest")["hash"]
            if head != seen:
                on_state(self.state())
            seen = head
            time.sleep(every)
