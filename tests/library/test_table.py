"""A table at an address: reading it, playing at it, finding it, and deploying it."""

import errno
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from tests.library.expected import as_game
from tests.library.simulation import (
    FIRST_NONCE,
    OTHER,
    TABLE,
    Clock,
    FakeChain,
    O,
    RefusedError,
    Sent,
    Step,
    X,
    forfeit,
    move,
    moves,
    new_game,
)
from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.roles import Role
from tictactoe import Game, Table, deploy, errors, find_table
from tictactoe.table import (
    creation_code,
    deploy_prepared,
    first_block,
    look_first,
    prepare_deployment,
    runtime_code,
)
from tictactoe.transactions import Limits, Transaction

CODE = "0x" + runtime_code().hex()


class Memory:
    """ape's memory of deployments."""

    def __init__(self) -> None:
        self.known: list[Any] = []
        self.added: list[tuple[str, str, str]] = []
        self.failure: OSError | None = None

    def get_deployments(self, contract: Any) -> list[Any]:
        assert contract.contract_type.name == "TicTacToe"
        return self.known

    @property
    def deployments(self) -> Any:
        return SimpleNamespace(cache_deployment=self.add)

    def add(self, address: str, name: str, transaction_hash: str) -> None:
        self.added.append((address, name, transaction_hash))
        if self.failure is not None:
            raise self.failure


@pytest.fixture(autouse=True)
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    memory = Memory()
    monkeypatch.setattr("tictactoe.table.ape.chain", SimpleNamespace(contracts=memory), raising=False)
    return memory


def known(address: str, transaction: str = "") -> Any:
    return SimpleNamespace(address=address, txn_hash=transaction)


def code_at(chain: FakeChain, **codes: str) -> None:
    """The code at these addresses; at others there is none."""
    chain.lies["eth_getCode"] = lambda params, _code: codes.get(params[0], "0x")


# -- its game --------------------------------------------------------------------------------


def histories() -> Iterator[list[Step]]:
    yield []
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        for length in range(len(cells) + 1):
            yield [new_game(), *moves(*cells[:length])]
        yield [new_game(), *moves(*cells[:3]), forfeit]
    yield [new_game(), forfeit, new_game(O, O), move(8)]


def test_every_game__is_read_as_it_is(chain: FakeChain, table: Table) -> None:
    for steps in histories():
        chain.mine([], steps)
        assert table.state() == (as_game(chain.head.game) if steps else Game())


def test_state_of_an_old_block__is_that_of_the_block(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), *moves(4, 0))
    assert [table.state(block).moves for block in (1, 2, 3, 4)] == [(), (), (4,), (4, 0)]
    table.state()
    call, block = chain.asked[-1][1]
    assert (call["to"], call["data"], block) == (TABLE, "0x" + layout.call("gameState()").hex(), "latest")


@pytest.mark.parametrize(
    ("word", "value"),
    [(1, 2**52), (2, 0), (3, 0), (14, 0), (14, 2), (14, 7), (16, 10), (16, 2**255), (17, 3), (18, 2**8), (22, 1)],
    ids=["number", "x", "o", "no-game", "x-won", "no-status", "moves", "very-many-moves", "row", "byte", "cell-twice"],
)
def test_game_that_cannot_be__is_an_error_of_the_node(chain: FakeChain, table: Table, word: int, value: int) -> None:
    """X has taken cell 4, and O cell 3."""
    chain.play(new_game(), *moves(4, 3))
    answer = bytearray(layout.game_state(chain.head.game))
    answer[32 * word : 32 * word + 32] = layout.word(value)
    chain.lies["eth_call"] = lambda _params, _true: "0x" + answer.hex()
    with pytest.raises(errors.NodeError):
        table.state()


# -- its address -----------------------------------------------------------------------------


def test_table__has_its_address(table: Table) -> None:
    assert repr(table) == f"Table('{TABLE}')"
    for typed in (f" {TABLE.lower()} ", f"0x{TABLE[2:].upper()}"):
        assert Table(typed, table.node).address == TABLE
    with pytest.raises(errors.UsageError, match=r"^'carl' is not an address: 0x and 40 hexadecimal digits"):
        Table("\x1b[2Jcarl", table.node)
    assert str(table.contract.address) == table.web3_contract.address == TABLE


def test_code__is_compared_byte_for_byte(chain: FakeChain, table: Table) -> None:
    table.check()
    assert [table.exists(block) for block in (0, 1)] == [False, True]
    for code in (CODE[:-2] + "00", CODE + "00", "0x"):
        code_at(chain, **{TABLE: code})
        with pytest.raises(errors.NoTable):
            table.check()


def test_contract_that_is_not_compiled__is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncompiled:
        """Ape's project, when a contract did not compile."""

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"{name} - vyper 0.4.3 has not been installed.")

    monkeypatch.setattr("tictactoe.table.ape.project", Uncompiled(), raising=False)
    with pytest.raises(AttributeError):
        runtime_code()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(errors.UsageError, match="Put `uv run` before the command"):
        runtime_code()


# -- finding one -----------------------------------------------------------------------------


def test_address__is_found_if_the_table_is_there(chain: FakeChain) -> None:
    node = chain.node()
    found = find_table(f" {TABLE} ", node)
    assert (found.address, found.node) == (TABLE, node)
    with pytest.raises(errors.NoTable):
        find_table(OTHER, node)


def test_without_an_address__the_newest_known_table_on_this_chain_is_found(chain: FakeChain, memory: Memory) -> None:
    node = chain.node()
    memory.known = [known(OTHER), known(X), known(O)]
    code_at(chain, **{OTHER: CODE, X: CODE, O: CODE + "00"})
    assert find_table(None, node).address == Table(node=node).address == X
    code_at(chain)
    for find in (find_table, Table):
        with pytest.raises(errors.NoTable, match=r"No table is known on this network \(node, chain 31337\)"):
            find(None, node)


# -- its first block -------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [RefusedError("missing trie node"), RefusedError("execution reverted", code=3)])
def test_first_block__is_0_if_the_node_does_not_know(chain: FakeChain, table: Table, failure: Exception) -> None:
    def fail(_params: object, _code: object) -> object:
        raise failure

    chain.lies["eth_getCode"] = fail
    assert first_block(table, 7) == 0


def deployed_in(chain: FakeChain, block: int) -> None:
    chain.lies["eth_getCode"] = lambda params, _code: CODE if int(params[1], 16) >= block else "0x"


@pytest.mark.parametrize("deployed", [0, 1, 2, 7, 8, 9, 15, 16])
def test_first_block__is_found_by_halving(chain: FakeChain, table: Table, deployed: int) -> None:
    chain.mine_empty(15)
    deployed_in(chain, deployed)
    chain.asked.clear()
    assert first_block(table, chain.head.number) == deployed
    assert len(chain.asked) <= 5


@pytest.mark.parametrize(
    ("block", "address", "asked"), [(2, TABLE, [1]), (0, TABLE, []), (3, TABLE, [2, 3, 1, 2]), (2, OTHER, [3, 1, 2])]
)
def test_first_block__is_remembered_if_it_is_right(
    chain: FakeChain, table: Table, memory: Memory, block: int, address: str, asked: list[int]
) -> None:
    """The table is in block 2. A remembered block is right if there is no code before it."""
    transaction = "0x" + "55" * 32
    chain.add(Sent(transaction, FIRST_NONCE))
    chain.mine_sent()
    deployed_in(chain, 2)
    chain.lies["eth_getTransactionReceipt"] = lambda _params, true: true | {"blockNumber": hex(block)}
    memory.known = [known(TABLE), known(OTHER, transaction), known(address, transaction)]
    assert first_block(table, 7) == min(block, 2)
    assert [int(params[1], 16) for method, params in chain.asked if method == "eth_getCode"] == asked


# -- playing -----------------------------------------------------------------------------------


ANNA, BEN = Role.PLAYER_X, Role.PLAYER_O


def data(chain: FakeChain) -> bytes:
    """Of the last transaction."""
    fields = TypedTransaction.from_bytes(HexBytes(list(chain.raw.values())[-1])).as_dict()
    return bytes(fields["data"])


def test_whole_game__is_played(chain: FakeChain, table: Table, clock: Clock) -> None:
    """Each transaction is mined a moment after it was sent."""
    clock.on_sleep = lambda _slept: chain.mine_sent() if chain.pool else None
    assert table.new_game(ANNA.account, ANNA.address, BEN.address).label == "new game"
    assert data(chain) == layout.call(
        "newGame(address,address,uint256)", *(int(each.address, 16) for each in (ANNA, BEN)), 0
    )
    for number, cell in enumerate((3, 0, 7), start=1):
        mine = table.move((BEN, ANNA)[number % 2].account, cell)
        assert (mine.label, mine.stage, mine.block) == (f"move {number}", "mined", 2 + number)
        assert data(chain) == layout.call("makeMove(uint8,uint8,uint256)", cell // 3, cell % 3, 1)
    assert table.forfeit(BEN.account).label == "forfeit"
    assert data(chain) == layout.call("forfeit(uint256)", 1)
    assert table.state() == Game(1, ANNA.address, BEN.address, (3, 0, 7), "o_forfeits")
    assert [each.stage for each in table.node.sent] == ["mined"] * 5


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    "play",
    [
        lambda table, *more: table.new_game(ANNA.account, ANNA.address, BEN.address, *more),
        lambda table, *more: table.move(ANNA.account, 4, *more),
        lambda table, *more: table.forfeit(ANNA.account, *more),
    ],
    ids=["new game", "move", "forfeit"],
)
def test_what_the_player_saw_and_allows__is_heeded(chain: FakeChain, table: Table, play: Callable[..., object]) -> None:
    """A game has begun since, so the node refuses it. Then the fee is unusual; then the cost is above the limit."""
    chain.play(new_game(ANNA.address, BEN.address))
    seen = table.state()
    chain.play(new_game(ANNA.address, BEN.address))
    with pytest.raises(errors.Reverted) as caught:
        play(table, seen)
    assert caught.value.reason == "not the current game"
    chain.lies["eth_maxPriorityFeePerGas"] = lambda _params, _true: hex(10**10)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        play(table)
    with pytest.raises(errors.TooExpensive, match="--max-cost allows"):
        play(table, None, Limits(max_fee=10**11, max_cost=1))
    assert chain.raw == {}


# -- deploying -------------------------------------------------------------------------------


ME = Role.DEPLOYER.account
CREATED = to_checksum_address(keccak(bytes.fromhex("d694" + ME.address[2:] + "05"))[-20:])


@pytest.fixture
def prepared(chain: FakeChain, clock: Clock) -> Transaction:
    """A deployment, which is mined a moment after it was sent."""
    clock.on_sleep = lambda _slept: chain.mine_sent() if chain.pool else None
    chain.lies["eth_estimateGas"] = lambda _params, _true: hex(800_000)
    chain.lies["eth_getCode"] = lambda _params, _true: CODE
    return prepare_deployment(ME, chain.node())


def test_deployment__returns_the_table(chain: FakeChain, prepared: Transaction) -> None:
    table = deploy(ME, prepared.node)
    (mine,) = prepared.node.sent
    assert (table.address, table.node) == (CREATED, prepared.node)
    assert (mine.contract, mine.stage, mine.label, mine.proved) == (CREATED, "mined", "table", True)
    (asked, _), *_ = [params for method, params in chain.asked if method == "eth_estimateGas"]
    assert asked == {"from": ME.address, "data": "0x" + creation_code().hex()}
    # The state is read as of the table's own block.
    assert [params[1] for method, params in chain.asked if method == "eth_call"] == [hex(mine.block or 0)]
    chain.lies["eth_maxPriorityFeePerGas"] = lambda _params, _true: hex(10**10)
    with pytest.raises(errors.TooExpensive, match="unusually high fee"):
        deploy(ME, prepared.node)


def test_table__is_remembered_before_it_is_mined(prepared: Transaction, memory: Memory) -> None:
    """So that not even a crash loses it."""
    known_then: list[tuple[str, object]] = []
    deploy_prepared(prepared, lambda each: known_then.append((each.stage, memory.added[:])))
    assert known_then[0] == ("sent", [(CREATED, "TicTacToe", prepared.hash)])
    assert len(memory.added) == 1


def test_deployment_that_is_refused__is_not_remembered(chain: FakeChain, prepared: Transaction, memory: Memory) -> None:
    def refuse(_params: object, _answer: object) -> object:
        chain.drop()
        raise RefusedError("go away")

    chain.lies["eth_sendRawTransaction"] = refuse
    with pytest.raises(errors.TransactionError, match="The node did not accept table"):
        deploy_prepared(prepared)
    assert memory.added == []


def test_node_that_does_not_know_the_newest_block__is_asked_again(
    chain: FakeChain, prepared: Transaction, clock: Clock
) -> None:
    """The nodes behind one address differ, and may fail. Seven polls are believed, and no more."""
    codes = iter([*["0x"] * 4, *[None] * 3, CODE])
    chain.lies["eth_getCode"] = lambda _params, _true: next(codes)
    polls: list[str] = []
    assert deploy_prepared(prepared, lambda each: polls.append(each.stage)).address == CREATED
    assert (polls.count("mined"), round(clock.now - 1000, 3)) == (7, 8)


def test_confirmations_and_patience__are_those_of_the_deployment(prepared: Transaction) -> None:
    with pytest.raises(errors.TransactionError, match="no new block confirmed it for 5 s"):
        deploy_prepared(prepared, confirmations=1, patience=5)


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        ({"eth_getCode": CODE + "00"}, f"The contract at {CREATED} is another one"),
        ({"eth_getCode": "0x"}, f"There is no contract at {CREATED}"),
        ({"eth_call": "0x"}, "The node returned an invalid answer"),
        ({}, f"The table at {CREATED} does not have the state of a new one. Do not use it."),
    ],
)
def test_table_that_cannot_be_proved__is_an_error_with_its_address(
    chain: FakeChain, prepared: Transaction, lie: dict[str, str], sentence: str
) -> None:
    chain.lies |= {method: lambda _params, _true, answer=answer: answer for method, answer in lie.items()}
    chain.play(new_game())
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy_prepared(prepared)
    assert caught.value.message.startswith(sentence)
    assert caught.value.message.endswith(look_first(CREATED))
    assert (prepared.proved, prepared.stage) == (False, "mined")


def test_full_disk__is_an_error_after_everything_else(prepared: Transaction, memory: Memory) -> None:
    memory.failure = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy_prepared(prepared)
    assert (caught.value.exit_code, caught.value.stage, prepared.proved) == (1, "mined", True)
    assert caught.value.message == (
        "The table is deployed and checked, but ape cannot remember it: No space left on device. "
        f"Name it with --table. {look_first(CREATED)}"
    )
