"""The tables of docs/gas.md and of the README."""

from pathlib import Path

from tests.gas.floor import AMSTERDAM, PRICES, TODAY
from tests.gas.measure import (
    DEPLOY,
    DEPLOY_CODE,
    FIRST,
    LATER,
    NAMED,
    O_FORFEITS,
    WON,
    X_FORFEITS,
    floor,
    gas,
    measured,
)
from tests.gas.variants import CHOICES

ROOT = Path(__file__).parents[2]
# The place of each table in its file is between `<!-- name -->` and `<!-- /name -->`.
FILES = dict.fromkeys(("prices", "costs", "choices"), ROOT / "docs" / "gas.md") | {"gas": ROOT / "README.md"}

ALL = slice(None)
# A game's transactions in each row. The first one is newGame.
ROWS = {
    "deploy": (DEPLOY, ALL),
    "`newGame`, a table's first": (FIRST, slice(1)),
    "`newGame`, later": (LATER, slice(1)),
    "X's first move": (LATER, slice(1, 2)),
    "O's first move": (LATER, slice(2, 3)),
    "fifth move, a win": (WON, slice(5, 6)),
    "ninth move, a draw": (LATER, slice(9, 10)),
    "forfeit by X": (X_FORFEITS, slice(1, 2)),
    "forfeit by O": (O_FORFEITS, slice(2, 3)),
    **{game: (game, ALL) for game in (FIRST, WON, LATER, NAMED)},
}


def written(name):
    return FILES[name].read_text().split(f"<!-- {name} -->\n")[1].split(f"<!-- /{name} -->")[0]


def write(name, table):
    start = f"<!-- {name} -->\n"
    FILES[name].write_text(FILES[name].read_text().replace(start + written(name), start + table))


def tables(contract, plain):
    """All but that of the choices."""
    return {
        "prices": prices_table(contract),
        "costs": costs_table(contract, plain),
        "gas": readme_table(contract, plain),
    }


def prices_table(contract):
    """Every price, and how often three transactions pay it at least."""
    columns = [transaction.parts for transaction in contract[LATER][:3]]
    rows = [[part, *prices, *(parts[part] or "" for parts in columns)] for part, prices in PRICES.items()]
    return markdown(["gas for", "today", "Amsterdam", "a later `newGame`", "X's first move", "O's first move"], rows)


def costs_table(contract, plain):
    sizes = code_size(contract), code_size(plain)
    rows = [["bytes of code", sizes[0], "", sizes[1], *sizes]]
    for name, (game, part) in ROWS.items():
        ours, theirs = contract[game][part], plain[game][part]
        figures = gas(ours, TODAY), floor(ours, TODAY), gas(theirs, TODAY), gas(ours, AMSTERDAM), gas(theirs, AMSTERDAM)
        rows.append([name, *figures])
    return markdown(["", "this contract", "its floor", "plain", "this contract, Amsterdam", "plain, Amsterdam"], rows)


def choices_table(contract):
    """How much more each change costs. Without the compiler's metadata, which differs from one source to the next."""

    def figures(games):
        deploy, later = games[DEPLOY_CODE], games[LATER]
        return code_size(games), gas(deploy, TODAY), gas(deploy, AMSTERDAM), gas(later, TODAY)

    changed = measured(*(source for _, _, source in CHOICES))
    rows = [
        [choice, instead, *(f"{new - old:+,}" for new, old in zip(figures(games), figures(contract), strict=True))]
        for (choice, instead, _), games in zip(CHOICES, changed, strict=True)
    ]
    return markdown(["choice", "instead", "bytes", "deploy", "deploy, Amsterdam", LATER], rows, texts=2)


def readme_table(contract, plain):
    rows = {
        "deploy a table": [contract[DEPLOY]],
        "the first game at it, a draw": [contract[FIRST]],
        "a later game, a draw": [contract[LATER]],
        "the later game in a [plain contract](tests/gas/Plain.vy)": [plain[LATER]],
        "one move": [[move] for move in contract[LATER][1:] + contract[WON][1:]],
    }
    heads = ["gas (ether at 1 gwei)", "mainnet today", "Sepolia (Amsterdam fork)"]
    return markdown(heads, [[name, spread(costs, TODAY), spread(costs, AMSTERDAM)] for name, costs in rows.items()])


def spread(costs, prices):
    """The lowest and the highest of them, in gas and in ether."""
    totals = [gas(transactions, prices) for transactions in costs]
    ends = sorted({min(totals), max(totals)})
    return f"{' to '.join(f'{end:,}' for end in ends)} ({' to '.join(f'{end * 1e-9:.6f}' for end in ends)})"


def code_size(games):
    return games[DEPLOY][0].parts["a byte of stored code"]


def markdown(heads, rows, texts=1):
    """A table. The columns after the texts are figures."""
    rule = ["---"] * texts + ["--:"] * (len(heads) - texts)
    rows = [[cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, rule, *rows))
