"""
Everything the commands print for people, except why something failed: that is in `tictactoe.errors`.

A sentence with a name in capitals is a template for `str.format`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tictactoe.events import Event
from tictactoe.formatting import coins, gwei, person, short
from tictactoe.game import Game, mark_of
from tictactoe.node import Block
from tictactoe.terminal.changes import Change, GameAdvanced, GameReorged, GameReplaced, MovesReorged
from tictactoe.terminal.seats import State
from tictactoe.transactions import Transaction

# -- a game ----------------------------------------------------------------------

NO_PLAYER = "no player yet"
NO_MOVES = "no moves yet"
MARKS = {"X": "X", "O": "O"}
YOU = "you"
PLAYER = "Player {}"  # of two at this keyboard


def key_of(cell: int) -> str:
    """The key that a person presses for a cell: 1 to 9, left to right and top to bottom."""
    return str(cell + 1)


def title(game: Game) -> str:
    return f"Game {game.number}" if game.number else "No game yet"


def result(game: Game, names: Mapping[str, str] = MARKS, mine: str = "") -> str:
    """Whose turn it is, or how the game ended. `names` are those of the marks, `mine` is the reader's mark."""
    if game.turn:
        return "your turn" if game.turn == mine else f"{names[game.turn]} to move"
    if not game.winner:
        return "a draw" if game.number else "no game yet"
    loser = "O" if game.winner == "X" else "X"
    won, forfeits = f"{names[game.winner]} wins", f"{names[loser]} forfeits"
    if mine:
        won = "you won" if mine == game.winner else "you lost"
    if mine == loser:
        forfeits = "you forfeit"
    return f"{won}: {forfeits}" if game.status.endswith("forfeits") else won


def score(wins: Mapping[str, int], draws: int) -> str:
    return " · ".join(f"{name}: {count}" for name, count in {**wins, "draws": draws}.items())


def moves(game: Game) -> list[str]:
    """For example X5, O1 and X9."""
    return [mark_of(number) + key_of(cell) for number, cell in enumerate(game.moves, start=1)]


def history(game: Game) -> list[str]:
    """The result, the players and the moves of a game."""
    if not game.number:
        return [title(game)]
    players = [f"  {mark} {game.player(mark)}" for mark in "XO"]
    return [f"{title(game)}: {result(game)}", *players, *([f"  {' '.join(moves(game))}"] if game.moves else [])]


# -- a session -------------------------------------------------------------------

HELP = """\
1-9  play that cell (on the screen also arrows and Enter)
n    next game, with swapped seats
s    next game, in the same seats
f    forfeit
h    history
q    quit
?    this help"""
PAGE_KEYS = "Any key: back to the game"
STOP_KEY = "Ctrl-C stop"

NODE_IS_BACK = "The node is back."
SPECTATOR = "You are only watching. To play, give --account ALIAS."
NOT_A_PLAYER = "You are not a player in this game, so you watch. To start your own, give --against ADDRESS."
TABLE = "Table {table.address} on {table.node.name}, chain {table.node.chain_id}."
WINDOW_TITLE = "{status} - tic-tac-toe"
UNKNOWN_KEY = "{key!r} is not a key."
TRYING_AGAIN = "{trouble} Trying again… Ctrl-C stops."
INVITE = "Your friend pastes this line in a clone of this project. It starts the game:"
WAITING_FOR_FRIEND = "waiting for your friend · {clock} · Ctrl-C stops"
QUESTION = "{question} [y/N] "
CONFIRM_FORFEIT = "Forfeit game {game.number} as {game.turn}?"
STARTED = "You started game {game.number}. If the other player asked for a new game, too, only yours counts."


def prompt(state: State, game: Game) -> str:
    """For lines, which end with Enter."""
    return {
        State.MY_TURN: f"{game.turn}, your move (1-9, ? for help): ",
        State.NO_TURN: "n for the next game, q to quit: ",
    }.get(state, "")


def clock(head: Block, now: float) -> str:
    """The newest block, to show that the program is alive."""
    return f"block {head.number}, {max(0, now - head.time):.0f} s ago"


def keys(state: State, width: int) -> str:
    """The keys that make sense now, as many as fit in one line."""
    first, more = {
        State.MY_TURN: ("1-9 play  ", "arrows and Enter too  f forfeit  "),
        State.NO_TURN: ("n next game  ", "s same seats  "),
    }.get(state, ("", ""))
    long = f"{first}{more}h history  ? help  q quit"
    return long if len(long) <= width else f"{first}? help  q quit"


def answers(chosen: int | None) -> str:
    again = "" if chosen is None else f", Enter or {key_of(chosen)}"
    return f"y{again}: yes  any other key: no"


def sign(prepared: Transaction) -> str:
    symbol = prepared.node.symbol
    cost = f" for about {coins(prepared.cost)} {symbol}, at most {coins(prepared.max_cost)} {symbol}"
    return f"Sign {prepared.label}{'' if prepared.node.embedded else cost}?"


def confirm_replacing(game: Game, others: bool) -> str:
    players = f" between {person(game.player_x)} and {person(game.player_o)}" if others else ""
    return f"Game {game.number}{players} is not finished. Start a new game in its place?"


def change(change: Change, own: Collection[str]) -> list[str]:
    """What happened at the table, for a player with these addresses."""
    match change:
        case GameAdvanced(moves):
            return [f"{move.mark} played {key_of(move.cell)}." for move in moves]
        case MovesReorged([]):
            return ["A reorg took back the end of the game. This is the board now."]
        case MovesReorged(moves):
            names = ", ".join(f"{move.number} ({move.mark}{key_of(move.cell)})" for move in moves)
            return [f"A reorg took back move {names}. This is the board now."]
        case GameReorged(number):
            return [f"A reorg took back game {number}. This is the board now."]
        case GameReplaced(old, new):
            unfinished = f", replacing unfinished game {old.number}" if old.in_progress else ""
            started = [f"Another player started game {new.number}{unfinished}."]
            seated = not own or any(new.seats(address) for address in own)
            return started if seated else [*started, "You are not a player in it, so you watch."]


# -- transactions ----------------------------------------------------------------

# The next stage usually follows soon.
PASSING = ("prepared", "sent", "confirmed")


def progress(sent: Transaction, waited: float | None = None) -> str:
    """How far a transaction has come. `waited`, in seconds, is for a live line, which has a short hash."""
    confirming = (
        f"in block {sent.block}, {min(sent.followed, sent.confirmations)} of {sent.confirmations} confirmations"
    )
    shown_hash = sent.hash if waited is None else short(sent.hash)
    waiting = "" if waited is None else f" · waiting for a block, {waited:.0f} s"
    mined = f"mined in block {sent.block}, {sent.gas_used or 0:,} gas, {coins(sent.paid or 0)} {sent.node.symbol}"
    described = {
        "prepared": "signing…",
        "sending": f"sending {shown_hash}; the node cannot be reached, but it may have arrived",
        "sent": f"sent {shown_hash}{waiting}",
        "mined": mined if waited is None or not sent.confirmations else confirming,
        "failed": f"failed in block {sent.block}",
        "taken back": "taken back by a reorg, may be mined again",
        "confirmed": confirming,
    }.get(sent.stage, sent.stage)
    return f"{sent.label}: {described}"


# -- accounts --------------------------------------------------------------------

WHICH_ACCOUNT = "Which account do you play with?"
PASSPHRASE = "Passphrase of '{alias}'"  # noqa: S105
WRONG_PASSPHRASE = "Wrong passphrase."  # noqa: S105


# -- a deployment ----------------------------------------------------------------

ENDS_WITH_THE_PROGRAM = (
    "This chain is inside the program and ends with it, and so does the table. "
    "To deploy a table that stays, choose a network with --network."
)
DEPLOY = "Deploy?"
DEPLOYED = "table        {address}"
CHECKED = "checked      the code on chain is the compiled code, and no game has been played"


def plan(prepared: Transaction) -> list[str]:
    node = prepared.node
    # Without what is less than a thousandth gwei.
    price = round(prepared.price, -6) if prepared.price >= 10**9 else prepared.price
    return [
        f"A table on {node.name} (chain {node.chain_id}), paid by {person(prepared.address)}:",
        f"address  {prepared.contract}",
        f"gas      {prepared.gas:,}",
        f"fee      {gwei(price)}",
        f"cost     {coins(prepared.cost)} {node.symbol}, at most {coins(prepared.max_cost)} {node.symbol}",
    ]


def next_steps(mine: str, friend: str, page: str) -> list[str]:
    return [
        "",
        "To play, run:",
        f"  {mine}",
        "Your friend runs, in a clone of this project:",
        f"  {friend}",
        "Or you both play in a browser. Put this after the address of the page:",
        f"  {page}",
    ]


# -- watching --------------------------------------------------------------------

RESTARTED = "A deep reorg: discard everything above, it is read again."
READING = "block {done:,} of {blocks:,}"
NOT_MINED_YET = "Block {block} of --from-block is not mined yet: the newest block is {head}."
CAUGHT_UP = "Caught up with block {block}."
ALIVE = "{clock} · Ctrl-C leaves"
TAKEN_BACK = "Taken back by a reorg: {event}"


def past_game(game: Game) -> str:
    """A game that another one has replaced, in one line."""
    ending = "unfinished" if game.in_progress else result(game)
    moves = " ".join(key_of(cell) for cell in game.moves)
    return f"Game {game.number}: {ending}. {_players(game.player_x, game.player_o)}. {moves}".rstrip()


def _players(x: str, o: str) -> str:
    return f"X {person(x)}, O {person(o)}"


def event_line(event: Event, wins: Mapping[str, int] | None = None) -> str:
    """What happened; with `wins`, also how many games the winner has won."""
    fields, number = event.fields, event.fields["gameId"]
    match event.kind:
        case "GameCreated":
            over = f" over game {event.before.number}, unfinished" if event.before.in_progress else ""
            return f"Game {number} starts{over}: {_players(fields['playerX'], fields['playerO'])}"
        case "MoveMade":
            cell = key_of(fields["row"] * 3 + fields["col"])
            where = f"cell {cell}, move {fields['sequenceNumber']} of game {number}, block {event.block}"
            return f"{fields['mark']} {person(fields['player'])} takes {where}"
        case _:
            # The game is not known if its start was not read.
            ending = result(event.after) if event.after.number else fields["status"].replace("_", " ")
            winner = fields["winner"]
            won = f" {person(winner)} has won {wins[winner]}." if wins and winner else ""
            return f"Game {number}: {ending}.{won}"


def totals(games: int, moves: int, draws: int) -> str:
    counts = (("game", games), ("move", moves), ("draw", draws))
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts)


def won_by(player: str, wins: int) -> str:
    return f"{wins:>6} won by {person(player, whole=True)}"
