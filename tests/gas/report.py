"""The measurements as Markdown: two tables of every scenario, the blocks of docs/gas.md, and the README's."""

from pathlib import Path

import vyper

from tests.gas.prices import AMSTERDAM, MAINNET
from tests.gas.scenarios import Cost, Measurement

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs" / "gas.md"
README = ROOT / "README.md"
TABLES = {MAINNET.name: HERE / "mainnet.md", AMSTERDAM.name: HERE / "amsterdam.md"}

NEW_GAME = "newGame, same players"
NAMED_NEW_GAME = "newGame, naming the game it replaces"
MOVES = "nine moves, drawn"
FIRST_GAME = "whole first game, drawn"
WON_GAME = "whole second game, won in five"
DRAWN_GAME = "whole second game, drawn"

# EVM instructions scheduled by hand in a study of 18 November 2026: see docs/gas.md.
BY_HAND = {NEW_GAME: 33_768, WON_GAME: 184_575, DRAWN_GAME: 305_009}

GWEI = 1e-9


def table(measured: Measurement) -> str:
    """Every scenario under one price list."""
    heading = f"Prices: {measured.prices.name}. Compiler: vyper {vyper.__long_version__}.\n\n"
    rows = [
        ["bytes of runtime code", f"{measured.runtime:,}", "", ""],
        ["bytes of creation code", f"{measured.creation:,}", "", ""],
    ]
    for name, cost in measured.costs.items():
        above = f"{(cost.gas - cost.floor) / cost.floor:.1%}"
        rows.append([name, f"{cost.gas:,}", f"{cost.floor:,}", above])
    return heading + markdown(["scenario", "gas", "floor", "above it"], rows)


def readme_block(mainnet: Measurement, amsterdam: Measurement) -> str:
    rows = [
        [what, *(f"{spread(measured, names)} ({spread(measured, names, GWEI)})" for measured in (mainnet, amsterdam))]
        for what, names in (
            ("deploy a table", ["deploy"]),
            ("the first game at it, a draw", [FIRST_GAME]),
            ("a later game, a draw", [DRAWN_GAME]),
            ("one move", one_move(mainnet)),
        )
    ]
    return markdown(["gas (ether at 1 gwei)", "mainnet today", "Sepolia (Amsterdam fork)"], rows)


def docs_blocks(mainnet: Measurement, amsterdam: Measurement) -> dict[str, str]:
    return {
        "prices": prices_block(),
        "parts": parts_block(mainnet, amsterdam),
        "floors": floors_block(mainnet, amsterdam),
    }


def prices_block() -> str:
    rows = [
        [what, *(f"{price:,}" for price in prices)]
        for what, *prices in (
            ("a transaction", MAINNET.call, AMSTERDAM.call),
            ("a transaction that creates a contract", MAINNET.creation, AMSTERDAM.creation),
            ("a byte of stored code", MAINNET.code_byte, AMSTERDAM.code_byte),
            ("the first use of a slot in a transaction", MAINNET.slot, AMSTERDAM.slot),
            ("to fill an empty slot", MAINNET.filled_slot, AMSTERDAM.filled_slot),
            ("to change a slot", MAINNET.changed_slot, AMSTERDAM.changed_slot),
            ("extra for either, if the slot was read before", MAINNET.second_access, AMSTERDAM.second_access),
            ("the code size at an address, the first time", MAINNET.cold_code, AMSTERDAM.cold_code),
            ("the same, if the address was used before", MAINNET.warm_code, AMSTERDAM.warm_code),
        )
    ]
    return markdown(["gas", "mainnet today", "Sepolia (Amsterdam)"], rows)


def parts_block(mainnet: Measurement, amsterdam: Measurement) -> str:
    moves = [
        with_instructions(measured.costs[name])
        for measured in (mainnet, amsterdam)
        for name in ("drawn game, move 1 by X", "drawn game, move 2 by O")
    ]
    rows = [[part, *(f"{move[part]:,}" for move in moves)] for part in moves[0]]
    rows.append(["**sum**", *(f"**{sum(move.values()):,}**" for move in moves)])
    return markdown(["", "X, mainnet today", "O, mainnet today", "X, Amsterdam", "O, Amsterdam"], rows)


def with_instructions(cost: Cost) -> dict[str, int]:
    """The parts that the move has, and last what the contract adds to the floor."""
    return {part: gas for part, gas in cost.parts.items() if gas} | {"instructions": cost.gas - cost.floor}


def floors_block(mainnet: Measurement, amsterdam: Measurement) -> str:
    rows = []
    for measured in (mainnet, amsterdam):
        costs = [measured.costs[name] for name in BY_HAND]
        rows.append([f"{measured.prices.name}: floor", *(f"{cost.floor:,}" for cost in costs)])
        if measured is mainnet:
            rows.append(["mainnet today: instructions by hand (quoted)", *(f"{gas:,}" for gas in BY_HAND.values())])
        rows.append([f"{measured.prices.name}: this contract", *(f"{cost.gas:,}" for cost in costs)])
    return markdown(["", *BY_HAND], rows)


def one_move(measured: Measurement) -> list[str]:
    return [name for name in measured.costs if ", move " in name]


def spread(measured: Measurement, names: list[str], unit: float = 1) -> str:
    """The lowest and the highest of these scenarios, in gas or in ether."""
    figures = [measured.costs[name].gas * unit for name in names]
    texts = [f"{figure:.6f}" if unit == GWEI else f"{figure:,}" for figure in (min(figures), max(figures))]
    return " to ".join(dict.fromkeys(texts))


def markdown(heads: list[str], rows: list[list[str]]) -> str:
    """A table. All columns but the first have figures."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    lines.insert(1, "| --- |" + " --: |" * (len(heads) - 1))
    return "\n".join(lines) + "\n"


def filled(text: str, blocks: dict[str, str]) -> str:
    """The text with each block between its two marks, `<!-- name -->` and `<!-- /name -->`, which it must have."""
    for name, block in blocks.items():
        head, rest = text.split(f"<!-- {name} -->\n", 1)
        _, tail = rest.split(f"<!-- /{name} -->", 1)
        text = f"{head}<!-- {name} -->\n{block}<!-- /{name} -->{tail}"
    return text


def files(mainnet: Measurement, amsterdam: Measurement) -> dict[Path, str]:
    """Every file with figures of gas, and the text that it must have."""
    return {
        **{TABLES[measured.prices.name]: table(measured) for measured in (mainnet, amsterdam)},
        DOCS: filled(DOCS.read_text(), docs_blocks(mainnet, amsterdam)),
        README: filled(README.read_text(), {"gas": readme_block(mainnet, amsterdam)}),
    }
