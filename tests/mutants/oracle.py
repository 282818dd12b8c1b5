"""Judges a mutant by its bytecode: the walk's own questions on some positions instead of all, then the edges."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyrevm import EVM
from vyper.compiler import compile_code

from tests.gas.scenarios import DRAWN, WON
from tests.mutants.mutate import Mutant
from tests.rules import layout
from tests.rules.layout import call
from tests.rules.model import LINES, Model, Status
from tests.rules.positions import (
    FORFEIT,
    FORFEIT_IN,
    MIDDLE,
    MOVE,
    MOVE_IN,
    NEW_GAME,
    NUMBER,
    PLAYER_O,
    PLAYER_X,
    STRANGER,
    check_standing,
    mover,
    transactions,
)
from tests.support.revm import DEPLOYER, Refused, RevmTable, address, rules

HERE = Path(__file__).parent

WON_BY_THE_NINTH = (0, 1, 2, 3, 4, 5, 7, 6, 8)
WON_BY_THE_EIGHTH = (0, 3, 1, 4, 6, 2, 8, 5)
FUNCTIONS = (
    call(NEW_GAME, PLAYER_X, PLAYER_O),
    call(MOVE, 1, 1),
    call(MOVE_IN, 1, 1, NUMBER),
    call(FORFEIT),
    call(FORFEIT_IN, NUMBER),
    call("gameState()"),
)
PERSON, WRONG_PREFIX, TOO_LONG, TOO_SHORT, CONTRACT = 0xE1, 0xE2, 0xE3, 0xE4, 0xE5
CODES = {
    PERSON: b"\xef\x01\x00" + b"\x77" * 20,
    WRONG_PREFIX: b"\xef\x01\x01" + b"\x77" * 20,
    TOO_LONG: b"\xef\x01\x00" + b"\x77" * 21,
    TOO_SHORT: b"\xef\x01\x00" + b"\x77" * 19,
    CONTRACT: b"\x60\x00",
}


@dataclass(frozen=True)
class Compiled:
    code: bytes
    abi: str


def compiled(source: str) -> Compiled | None:
    """The bytes without the hash of the source: equal bytes are an equal contract. None if it does not compile."""
    try:
        out = compile_code(source, output_formats=["bytecode", "abi"], no_bytecode_metadata=True)
    except Exception:  # noqa: BLE001
        # Not only its own errors: on some mutants the compiler itself slips. What it cannot digest is no contract.
        return None
    return Compiled(bytes.fromhex(out["bytecode"][2:]), json.dumps(out["abi"], sort_keys=True))


def games() -> Iterator[tuple[int, ...]]:
    """Every line won by X and by O in the order of the cells, the draw, and a line by the ninth mark."""
    for line in LINES:
        others = [cell for cell in range(9) if cell not in line]
        apart = next(
            three
            for three in ((a, b, c) for a in others for b in others for c in others if a < b < c)
            if three not in LINES
        )
        yield (line[0], apart[0], line[1], apart[1], line[2])
        yield (apart[0], line[2], apart[1], line[1], apart[2], line[0])
    yield DRAWN
    yield WON_BY_THE_NINTH
    yield WON_BY_THE_EIGHTH  # the one mark of O that only its third bit shows


def judge(original: Compiled, mutant: Compiled) -> str | None:
    """What shows that the mutant is another contract; None if nothing here does."""
    if mutant.abi != original.abi:
        return "its ABI differs"
    try:
        interrogate(mutant.code)
    except AssertionError:
        return "it breaks a rule"
    except (RuntimeError, OverflowError):
        return "it cannot be played"
    if costs(mutant.code) != costs(original.code):
        return "its gas differs"
    return None


def interrogate(code: bytes) -> None:
    """Asserts on the bytecode what the suite asserts."""
    assert not deploys_with_ether(code)
    table, game = RevmTable(code), Model()
    check_standing(table, game)
    for data in FUNCTIONS[1:5]:
        assert table.send(PLAYER_X, data) == Refused("no game in progress")
    for _ in range(NUMBER):
        check(table, STRANGER, call(NEW_GAME, PLAYER_X, PLAYER_O), game, game.new_game(PLAYER_X, PLAYER_O))
        game = game.new_game(PLAYER_X, PLAYER_O)
    people(table, game)
    malformed(table, game)

    asked: set[tuple[int, ...]] = set()
    for cells in games():
        checkpoint = table.evm.snapshot()
        now = game
        for cell in cells:
            ask(table, now, asked)
            after = now.move(mover(now), cell // 3, cell % 3)
            check(table, mover(now), call(MOVE, cell // 3, cell % 3), now, after)
            now = after
        ask(table, now, asked)
        table.evm.revert(checkpoint)
    forfeits(table, game)
    limits(table)


def deploys_with_ether(code: bytes) -> bool:
    evm = EVM()
    evm.set_balance(DEPLOYER, 10**18)
    try:
        evm.deploy(DEPLOYER, code, value=1)
    except RuntimeError:
        return False
    return True


def check(table: RevmTable, caller: int, data: bytes, before: Model, after: Model) -> None:
    assert table.send(caller, data) == layout.logs(before, after)
    check_standing(table, after)


def ask(table: RevmTable, game: Model, asked: set[tuple[int, ...]]) -> None:
    """Everything that the walk sends to a position."""
    if game.moves in asked:
        return
    asked.add(game.moves)
    standing = table.storage()
    for data in MIDDLE:
        assert table.send(PLAYER_X, data, through_contract=True) == Refused("caller is a contract")
    for caller, data, expected in transactions(game, table):
        checkpoint = table.evm.snapshot()
        outcome = table.send(caller, data)
        if isinstance(expected, Refused):
            assert outcome == expected
            assert table.storage() == standing
        else:
            assert outcome == layout.logs(game, expected)
            check_standing(table, expected)
        table.evm.revert(checkpoint)


def people(table: RevmTable, game: Model) -> None:
    """Who may sit down: accounts without code and those that delegated it, in either seat."""
    for account, code in CODES.items():
        table.set_code(account, code)
    for account in CODES:
        for seats in ((account, PLAYER_O), (PLAYER_X, account), (account, account)):
            checkpoint = table.evm.snapshot()
            if account == PERSON:
                check(table, STRANGER, call(NEW_GAME, *seats), game, game.new_game(*seats))
            else:
                assert table.send(STRANGER, call(NEW_GAME, *seats)) == Refused("player is a contract")
            table.evm.revert(checkpoint)
    for seats in ((0, 0), (PLAYER_X, 0), (0, PLAYER_O), (0, CONTRACT), (CONTRACT, 0)):
        assert table.send(STRANGER, call(NEW_GAME, *seats)) == Refused("player is the zero address")


def malformed(table: RevmTable, game: Model) -> None:
    """Ether, calldata that is too short, bits above an argument's own."""
    table.evm.set_balance(address(PLAYER_X), 10**18)
    for data in FUNCTIONS:
        checkpoint = table.evm.snapshot()
        assert table.send(PLAYER_X, data, value=1) == Refused("")
        assert table.send(PLAYER_X, data[: max(len(data) - 1, 3)]) == Refused("")
        table.evm.revert(checkpoint)
    for dirty in (2**8, 2**255):
        assert table.send(PLAYER_X, call(MOVE, dirty, 0)) == Refused("")
        assert table.send(PLAYER_X, call(MOVE, 0, dirty)) == Refused("")
    for dirty in (2**160, 2**255):
        assert table.send(PLAYER_X, call(NEW_GAME, dirty | PLAYER_X, PLAYER_O)) == Refused("")
        assert table.send(PLAYER_X, call(NEW_GAME, PLAYER_X, dirty | PLAYER_O)) == Refused("")
    check_standing(table, game)


def forfeits(table: RevmTable, game: Model) -> None:
    """By X and by O, after none, one, and several moves; and that nothing can follow."""
    for cells in ((), (4,), (4, 0), (4, 0, 8), DRAWN[:8]):
        checkpoint = table.evm.snapshot()
        now = game
        for cell in cells:
            after = now.move(mover(now), cell // 3, cell % 3)
            check(table, mover(now), call(MOVE, cell // 3, cell % 3), now, after)
            now = after
        ended = now.forfeit(mover(now))
        check(table, mover(now), call(FORFEIT), now, ended)
        ask(table, ended, set())
        table.evm.revert(checkpoint)


def limits(table: RevmTable) -> None:
    """The fields of the word at their limits, and the table's last game."""
    for number in (1, 2**51, 2**52 - 2, 2**52 - 1):
        for player_x, player_o in ((2**160 - 1, 1), (1, 2**160 - 1)):
            game = Model(number, player_x, player_o, (), Status.IN_PROGRESS)
            for cells in (DRAWN, WON_BY_THE_NINTH):
                now = game
                table.set_storage(layout.storage(now))
                for cell in cells:
                    caller = player_x if len(now.moves) % 2 == 0 else player_o
                    after = rules(partial(now.move, caller, cell // 3, cell % 3, number))
                    assert isinstance(after, Model)
                    check(table, caller, call(MOVE_IN, cell // 3, cell % 3, number), now, after)
                    now = after
                if number == 2**52 - 1:
                    assert table.send(1, call(NEW_GAME, 1, 2)) == Refused("")
                else:
                    check(table, 1, call(NEW_GAME, 1, 2), now, now.new_game(1, 2))


def costs(code: bytes) -> list[int]:
    """The gas of every transaction that `tests/gas` compares, but for the deployment's, in which the source's hash and
    so chance has a part.

    This engine takes for warm what an earlier transaction has read. So these figures are no chain's, but they differ
    where the chain's do.
    """
    table = RevmTable(code)
    spent = []

    def send(caller: int, data: bytes) -> None:
        assert not isinstance(table.send(caller, data), Refused)
        assert table.evm.result is not None
        spent.append(table.evm.result.gas_used)

    def play(cells: Iterable[int], *, number: int = 0) -> None:
        for i, cell in enumerate(cells):
            arguments = (cell // 3, cell % 3)
            data = call(MOVE_IN, *arguments, number) if number else call(MOVE, *arguments)
            send((PLAYER_X, PLAYER_O)[i % 2], data)

    begin = call(NEW_GAME, PLAYER_X, PLAYER_O)
    for cells in (DRAWN, DRAWN, WON):
        send(PLAYER_X, begin)
        play(cells)
    send(PLAYER_X, call(NEW_GAME, STRANGER, PLAYER_X))
    for loser in (PLAYER_X, PLAYER_O):
        send(PLAYER_X, begin)
        play([4] if loser == PLAYER_O else [])
        send(loser, call(FORFEIT))
    send(PLAYER_X, begin)
    play(DRAWN, number=7)
    return spent


def verdict(original: Compiled | None, changed: Compiled | None) -> str:
    """`does not compile`, `same bytecode`, why it was killed, or `survives`."""
    assert original is not None
    if changed is None:
        return "does not compile"
    if changed == original:
        return "same bytecode"
    return judge(original, changed) or "survives"


def fingerprint(contract: Compiled) -> str:
    """Tells two compiled contracts apart."""
    return hashlib.sha256(contract.code + contract.abi.encode()).hexdigest()[:16]


def judges_mark() -> str:
    """Tells two judges apart: this file, and all that it asks with."""
    parts = [HERE / name for name in ("oracle.py", "../walk.py", "../model.py", "../layout.py", "../engine.py")]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:16]


# What a judging process compares with.
ORIGINAL: list[Compiled | None] = []


def keep(source: str) -> None:
    ORIGINAL.append(compiled(source))


def judged(mutant: Mutant) -> tuple[str, str]:
    """The verdict on a mutant and the mark of its bytes."""
    changed = compiled(mutant.source)
    return verdict(ORIGINAL[0], changed), fingerprint(changed) if changed else ""
