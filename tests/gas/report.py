"""The tables of docs/gas.md and of the README."""

from pathlib import Path

from tests.gas.floor import AMSTERDAM, TODAY
from tests.gas.measure import CONTRACT, floor, gas, measured
from tests.gas.variants import CHOICES

ROOT = Path(__file__).parents[2]
# The place of each table in its file is between `<!-- name -->` and `<!-- /name -->`.
FILES = {"costs": ROOT / "docs" / "gas.md", "choices": ROOT / "docs" / "gas.md", "gas": ROOT / "README.md"}


def written(name):
    return FILES[name].read_text().split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]


def rows(games):
    """The transactions of each row. The first one of a game is `newGame`."""
    return {
        "deploy": games["deploy"],
        "`newGame`, a table's first": games["first"][:1],
        "`newGame`, later": games["later"][:1],
        "X's first move": games["later"][1:2],
        "O's first move": games["later"][2:3],
        "fifth move, a win": games["won"][5:],
        "ninth move, a draw": games["later"][9:],
        "forfeit by X": games["X forfeits"][1:],
        "forfeit by O": games["O forfeits"][2:],
        "first game, drawn": games["first"],
        "later game, won in five moves": games["won"],
        "later game, drawn": games["later"],
        "later game, drawn, with `gameId`": games["numbered"],
    }


def costs_tables(contract, plain):
    """By name: all that the games cost, and what the README shows of it."""
    heads = ["", "this contract", "its floor", "plain", "this contract, Amsterdam", "plain, Amsterdam"]
    sizes = code_size(contract), code_size(plain)
    table = {"bytes of code": [sizes[0], "", sizes[1], *sizes]}
    for name, ours in rows(contract).items():
        theirs = rows(plain)[name]
        today = gas(ours, TODAY), floor(ours, TODAY), gas(theirs, TODAY)
        table[name] = [*today, gas(ours, AMSTERDAM), gas(theirs, AMSTERDAM)]
    in_readme = ["bytes of code", "deploy", "first game, drawn", "later game, drawn", "X's first move"]
    shown = {"costs": table, "gas": in_readme}
    return {name: markdown(heads, [[row, *table[row]] for row in names]) for name, names in shown.items()}


def choices_table():
    """How much more each change costs. Without the compiler's metadata, which differs from one source to the next."""
    sources = [source for _, _, source in CHOICES]
    contract, *changed = [
        (code_size(games), gas(games["deploy"], TODAY), gas(games["deploy"], AMSTERDAM), gas(games["later"], TODAY))
        for games in measured(CONTRACT, *sources, no_bytecode_metadata=True)
    ]
    table = [
        [choice, instead, *(f"{new - old:+,}" for new, old in zip(figures, contract, strict=True))]
        for (choice, instead, _), figures in zip(CHOICES, changed, strict=True)
    ]
    return markdown(["choice", "instead", "bytes", "deploy", "deploy, Amsterdam", "later game, drawn"], table, texts=2)


def code_size(games):
    return games["deploy"][0].creates


def markdown(heads, rows, texts=1):
    """A table. The columns after the texts are figures."""
    rule = ["---"] * texts + ["--:"] * (len(heads) - texts)
    rows = [[cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, rule, *rows))
