"""What the commands print, apart from the errors: those are in `tictactoe.errors`."""

from __future__ import annotations

from collections.abc import Iterable

from tictactoe.formatting import clean
from tictactoe.game import Game
from tictactoe.sending import Sent, Stage

HELP = """\
1-9  play that cell      n  new game
f    forfeit             h  history
q    quit                ?  this help"""

# What Ctrl-C reports about a transaction, by stage.
OUTCOMES = {
    "Mined": (Stage.MINED, Stage.CONFIRMED),
    "Mined, paid for and refused": (Stage.FAILED,),
    "Sent and not yet mined, it may still be": (Stage.SENDING, Stage.SENT, Stage.WAITING),
    "Taken back by a reorganisation, it may be mined again": (Stage.TAKEN_BACK,),
    "Another transaction of yours was mined in its place": (Stage.REPLACED,),
    "Dropped by the network": (Stage.DROPPED,),
    "Not sent": (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED, Stage.NOT_SENT),
}


WRONG_PASSPHRASE = "That does not open it."  # noqa: S105


def passphrase_of(alias: str) -> str:
    return f"Passphrase of '{clean(alias, 60)}'"


def result(game: Game) -> str:
    """Whose turn it is, or how the game ended."""
    return {
        "no_game": "no game yet",
        "in_progress": f"{game.turn} to move",
        "x_won": "X wins",
        "o_won": "O wins",
        "draw": "a draw",
        "x_forfeits": "O wins: X gave up",
        "o_forfeits": "X wins: O gave up",
    }[game.status]


def what_was_sent(sent: Iterable[Sent]) -> str:
    """What happened to each transaction."""
    names: dict[Stage, list[str]] = {stage: [] for stage in Stage}
    for one in sent:
        names[one.stage].append(_name(one))
    named = {outcome: [name for stage in stages for name in names[stage]] for outcome, stages in OUTCOMES.items()}
    parts = [f"{outcome}: {', '.join(those)}." for outcome, those in named.items() if those]
    return "Stopped. " + (" ".join(parts) or "Nothing was sent.")


def _name(sent: Sent) -> str:
    if sent.contract:
        return f"{sent.what} at {sent.contract}"
    final = sent.stage in (Stage.MINED, Stage.CONFIRMED)
    return sent.name if sent.hash and not final else sent.what
