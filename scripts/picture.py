"""`ape run picture`: draw docs/play.svg and docs/won.svg from games that are really played."""

from __future__ import annotations

from pathlib import Path

import click
from ape.cli import network_option

from scripts._command import TableCommand


@click.command(cls=TableCommand)
@network_option()
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default=Path("docs"), show_default=True)
def cli(folder: Path) -> None:
    """Draw the pictures of the documentation."""
    import io
    import re

    from ape import accounts, networks
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console

    from scripts._chain import Node, Table
    from scripts._view import console, position
    from scripts.deploy import deploy

    x, o = accounts.test_accounts[0], accounts.test_accounts[1]
    contract = deploy(x)
    table = Table(Node(networks.active_provider), contract.address)
    contract.newGame(x, o, sender=x)

    def draw(name: str, title: str, commands: str, score: str, notes: tuple[str, ...] = ()) -> None:
        screen = Console(record=True, width=78, file=io.StringIO(), force_terminal=True, highlight=False)
        screen.print(f"$ {commands}", style="bold")
        game = table.state()
        screen.print(position(game, screen, score=score, notes=notes))
        screen.print(f"{game.turn}, your move (1-9, ? for help):" if game.in_progress else f"{game.result}.")
        folder.mkdir(exist_ok=True)
        # A fixed id, and no fonts from elsewhere: the same game gives the same file, and the file needs no network.
        local = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
        screen.save_svg(str(folder / name), title=title, unique_id="tictactoe", code_format=local)
        console().print(folder / name)

    for i, cell in enumerate((5, 1, 9, 3, 2)):
        contract.makeMove((cell - 1) // 3, (cell - 1) % 3, 1, sender=(x, o)[i % 2])
    draw("play.svg", "tic-tac-toe", "uv run ape run play", "")
    contract.makeMove(2, 1, 1, sender=o)
    contract.newGame(o, x, sender=o)
    for i, cell in enumerate((1, 2, 5, 3, 9)):
        contract.makeMove((cell - 1) // 3, (cell - 1) % 3, 2, sender=(o, x)[i % 2])
    draw("won.svg", "tic-tac-toe", "uv run ape run play", "0x7099…79C8 1 · 0xf39F…2266 0 · draws 0")
