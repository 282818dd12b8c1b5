"""A new chain, a node in front of it whose answers may be wrong, and commands at that node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from string import Template
from typing import Any

from tests.support.anvil import Anvil
from tests.support.commands import Command, Done
from tests.support.local_table import LocalTable
from tests.support.wrong_node import WrongNode


class Chain:
    """In what is typed, `$node` is the URL of the node."""

    def __init__(self, anvil: Anvil) -> None:
        self.anvil, self.node = anvil, WrongNode(anvil)

    def add_table(self, creation_code: bytes, keys: str | None = None) -> None:
        """With keys, a game is in progress there, and these moves were made."""
        self.local = LocalTable(self.anvil, creation_code)
        if keys is not None:
            self.local.new_game()
            self.local.play(keys)

    def type(self, typed: str, **more: Any) -> Command:
        return Command(*Template(typed).substitute(node=self.node.url).split(), **more)

    def run(self, typed: str, keys: str = "", **more: Any) -> Done:
        with self.type(typed, keys=keys, **more) as command:
            return command.end()


@contextmanager
def new_chain(chain_id: int = 31337, **options: object) -> Iterator[Chain]:
    with Anvil(chain_id=chain_id, **options) as anvil:
        chain = Chain(anvil)
        with chain.node:
            yield chain
