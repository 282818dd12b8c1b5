"""A table at an address: reading it, finding it, and deploying it."""

import errno
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.library.expected import expected
from tests.rules import layout
from tests.rules.games import DRAWN, WON_BY_O, WON_BY_X
from tests.support.clock import Clock
from tests.support.fake_chain import (
    OTHER,
    TABLE,
    FakeChain,
    O,
    RefusedError,
    X,
    forfeit,
    move,
    moves,
    new_game,
    status_word,
)
from tests.support.roles import Role
from tictactoe import Game, Table, deploy, errors, find_table
from tictactoe.compiled import creation_code, runtime_code
from tictactoe.game import ZERO_ADDRESS
from tictactoe.sending import Sender
from tictactoe.table import deploy_prepared, first_block, prepare_deployment
from tictactoe.tracking import Stage

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


def returning(chain: FakeChain, answer: bytes) -> None:
    chain.lies["eth_call"] = lambda _params, _true: "0x" + answer.hex()


# -- its game --------------------------------------------------------------------------------


def histories() -> Iterator[list[Any]]:
    yield []
    for cells in (WON_BY_X, WON_BY_O, DRAWN):
        for length in range(len(cells) + 1):
            yield [new_game(), *moves(*cells[:length])]
            if length < len(cells):
                yield [new_game(), *moves(*cells[:length]), forfeit]
    yield [new_game(), forfeit, new_game(O, O), move(8)]
    chosen = random.Random(1)
    for _ in range(20):
        yield [new_game(), *moves(*chosen.sample(range(9), 4))]


def test_every_game__is_read_as_it_is(chain: FakeChain, table: Table) -> None:
    people = {int(address, 16): address for address in (X, O, ZERO_ADDRESS)}
    for steps in histories():
        chain.mine([], steps)
        game = chain.head.game
        x, o = people[game.player_x], people[game.player_o]
        assert table.state() == Game(game.number, x, o, game.moves, status_word(game.status))


def test_state_of_an_old_block__is_that_of_the_block(chain: FakeChain, table: Table) -> None:
    chain.play(new_game(), *moves(4, 0))
    story = expected(chain)
    assert [table.state(block).moves for block in (2, 3, 4)] == [(), (4,), (4, 0)]
    assert table.state(1) == Game()
    assert table.state(3) == story[1].after
    table.state()
    *_, one, (call, block) = [params for method, params in chain.asked if method == "eth_call"]
    assert one[1] == "0x3"
    assert (call["to"], call["data"], block) == (TABLE, "0x" + layout.call("gameState()").hex(), "latest")


def test_every_other_word__is_refused(chain: FakeChain, table: Table) -> None:
    """One more or one less in each word of the answer, but for the number and the players, which may be any.

    web3 itself would count to 2**256 for one of these lengths.
    """
    for steps in ([], [new_game()], [new_game(), *moves(4, 0, 8)], [new_game(), *moves(*WON_BY_X)]):
        chain.mine(steps)
        answer = layout.game_state(chain.head.game)
        free = {1, 2, 3} if steps else set()
        for index in set(range(len(answer) // 32)) - free:
            for change in (-1, 1):
                value = (int.from_bytes(answer[32 * index :][:32], "big") + change) % 2**256
                lie = answer[: 32 * index] + layout.word(value) + answer[32 * index + 32 :]
                returning(chain, lie)
                with pytest.raises(errors.NodeError):
                    table.state()
        chain.lies.clear()


@pytest.mark.parametrize("answer", ["0x", CODE, None, 7], ids=["nothing", "code", "null", "number"])
def test_answer_that_is_no_game__is_refused(chain: FakeChain, table: Table, answer: object) -> None:
    chain.lies["eth_call"] = lambda _params, _true: answer
    with pytest.raises(errors.MalformedAnswer):
        table.state()


def test_impossible_game__contradicts(chain: FakeChain, table: Table) -> None:
    chain.mine([new_game(), *moves(*WON_BY_X)])
    in_progress = layout.game_state(chain.head.game)
    in_progress = in_progress[: 14 * 32] + layout.word(1) + in_progress[15 * 32 :]
    returning(chain, in_progress)
    with pytest.raises(errors.ContradictoryAnswer) as caught:
        table.state()
    assert caught.value.message == errors.ContradictoryAnswer("a game that cannot be").message


# -- its address -----------------------------------------------------------------------------


def test_table__has_its_address_and_its_calls(table: Table) -> None:
    assert repr(table) == f"Table('{TABLE}')"
    assert Table(TABLE.lower(), table.node).address == TABLE
    assert table.calldata("forfeit", 7) == layout.call("forfeit(uint256)", 7)
    people = (int(X, 16), int(O, 16))
    assert table.calldata("newGame", X, O, 3) == layout.call("newGame(address,address,uint256)", *people, 3)
    assert table.calldata("makeMove", 1, 2, 3) == layout.call("makeMove(uint8,uint8,uint256)", 1, 2, 3)
    assert str(table.contract.address) == table.web3_contract.address == TABLE


def test_contract_of_ape__is_not_looked_up_at_an_explorer(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    at = SimpleNamespace(at=lambda *where, **how: calls.append((where, how)))
    monkeypatch.setattr("tictactoe.table.container", lambda: at)
    assert table.contract is None
    assert calls == [((TABLE,), {"fetch_from_explorer": False})]


def test_code__is_compared_byte_for_byte(chain: FakeChain, table: Table) -> None:
    table.check()
    assert [table.exists(block) for block in (0, 1)] == [False, True]
    code_at(chain, **{TABLE: CODE[:-2] + "00"})
    with pytest.raises(errors.AnotherContract, match=TABLE):
        table.check()
    code_at(chain)
    with pytest.raises(errors.NoContract, match=f"no contract at {TABLE} on node \\(chain 31337\\)"):
        table.check()


# -- finding one -----------------------------------------------------------------------------


def test_address__is_found_if_the_table_is_there(chain: FakeChain) -> None:
    node = chain.node()
    found = find_table(f" {TABLE} ", node)
    assert (found.address, found.node) == (TABLE, node)
    with pytest.raises(errors.NoContract):
        find_table(OTHER, node)


def test_default_node__is_the_connected_one(chain: FakeChain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.table.Node", chain.node)
    assert find_table(TABLE).node.chain_id == 31337
    assert Table(TABLE).node.chain_id == 31337


def test_without_an_address__the_newest_known_table_on_this_chain_is_found(chain: FakeChain, memory: Memory) -> None:
    node = chain.node()
    memory.known = [known(OTHER), known(X), known(O)]
    code_at(chain, **{OTHER: CODE, X: CODE, O: CODE + "00"})
    assert find_table(None, node).address == X
    code_at(chain)
    with pytest.raises(errors.NoTableKnown, match=r"No table is known on this network \(node, chain 31337\)"):
        find_table(None, node)


# -- its first block -------------------------------------------------------------------------


@pytest.mark.parametrize("deployed", [0, 1, 2, 7, 8, 9, 15, 16])
def test_first_block__is_found_by_halving(chain: FakeChain, table: Table, deployed: int) -> None:
    chain.mine_empty(15)
    chain.lies["eth_getCode"] = lambda params, _code: CODE if int(params[1], 16) >= deployed else "0x"
    chain.asked.clear()
    assert first_block(table, chain.head.number) == deployed
    assert len(chain.asked) <= 5


def test_first_block_without_old_states__is_0(chain: FakeChain, table: Table) -> None:
    def forgetful(_params: object, _code: object) -> object:
        raise RefusedError("missing trie node")

    chain.lies["eth_getCode"] = forgetful
    chain.mine_empty(5)
    assert first_block(table, 6) == 0


@pytest.mark.parametrize(
    ("block", "address", "first"),
    [(2, TABLE, 2), (0, TABLE, 0), (3, TABLE, 2), (2, OTHER, 2)],
)
def test_first_block__is_remembered_if_it_is_right(
    chain: FakeChain, table: Table, memory: Memory, block: int, address: str, first: int
) -> None:
    """The table is in block 2. A remembered block is right if there is no code before it."""
    transaction = chain.pool.send("0x01")
    chain.pool.mine(blockNumber=hex(block))
    chain.mine_empty(5)
    chain.lies["eth_getCode"] = lambda params, _code: CODE if int(params[1], 16) >= 2 else "0x"
    memory.known = [known(TABLE), known(OTHER, transaction), known(address, transaction)]
    chain.asked.clear()
    assert first_block(table, 7) == first
    codes = [params[1] for method, params in chain.asked if method == "eth_getCode"]
    if address == TABLE and block != 3:
        assert codes == [hex(block - 1)] * bool(block)  # there is no block before block 0


def test_deployment_of_another_chain__is_not_remembered(chain: FakeChain, table: Table, memory: Memory) -> None:
    memory.known = [known(TABLE, "0x" + "66" * 32)]
    assert first_block(table, chain.head.number) == 1


# -- deploying -------------------------------------------------------------------------------


@pytest.fixture
def sender(chain: FakeChain, clock: Clock) -> Sender:
    """Deployments are mined a second after they were sent."""
    clock.on_sleep = lambda _slept: chain.pool.mine() if chain.pool.waiting else chain.mine_empty(1)
    chain.lies["eth_estimateGas"] = lambda _params, _true: hex(800_000)
    chain.lies["eth_getCode"] = lambda _params, _true: CODE
    return Sender(chain.node())


ME = Role.DEPLOYER.account
CREATED = to_checksum_address(keccak(bytes.fromhex("d694" + ME.address[2:] + "05"))[-20:])


def test_deployment__returns_the_table(chain: FakeChain, sender: Sender, memory: Memory) -> None:
    table = deploy(ME, sender)
    (sent,) = sender.sent
    assert (table.address, table.node) == (CREATED, sender.node)
    assert (sent.contract, sent.stage, sent.label) == (CREATED, Stage.MINED, "table")
    assert memory.added == [(CREATED, "TicTacToe", sent.hash)]
    (asked,) = [params for method, params in chain.asked if method == "eth_estimateGas"]
    assert asked[0]["data"] == "0x" + creation_code().hex()
    assert "to" not in asked[0]
    # The state is read as of the table's own block.
    assert [params[1] for method, params in chain.asked if method == "eth_call"] == [hex(sent.block)]


def test_table__is_remembered_before_it_is_mined(sender: Sender, memory: Memory, clock: Clock) -> None:
    """So that not even a crash loses it."""
    known_then, mine = [], clock.on_sleep

    def on_sleep(slept: float) -> None:
        known_then.append(len(memory.added))
        mine(slept)

    clock.on_sleep = on_sleep
    deploy(ME, sender)
    assert known_then == [1]


def test_default_sender__is_on_the_connected_node(
    chain: FakeChain, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sender.node is not None
    monkeypatch.setattr("tictactoe.table.Node", chain.node)
    assert deploy(ME).address == CREATED


@pytest.mark.parametrize(("confirmations", "blocks"), [(0, 0), (1, 1), (3, 3)])
def test_confirmations__are_waited_for(chain: FakeChain, sender: Sender, confirmations: int, blocks: int) -> None:
    deploy(ME, sender, confirmations)
    (sent,) = sender.sent
    assert chain.head.number - sent.block == blocks
    assert sent.stage is (Stage.CONFIRMED if confirmations else Stage.MINED)


def test_table_that_a_reorg_moves__is_checked_where_it_is_at_last(
    chain: FakeChain, sender: Sender, clock: Clock
) -> None:
    mine = clock.on_sleep

    def move_once(slept: float) -> None:
        mine(slept)
        if slept == 2:
            for receipt in chain.pool.receipts.values():
                receipt["blockNumber"] = hex(chain.head.number)

    clock.on_sleep = move_once
    deploy(ME, sender, confirmations=1)
    assert sender.sent[0].block == 3
    assert [params[1] for method, params in chain.asked if method == "eth_call"] == ["0x3"]


def test_prepared_deployment__is_not_confirmed_unless_asked(sender: Sender) -> None:
    assert deploy_prepared(prepare_deployment(ME, sender), sender).address == CREATED
    assert sender.sent[0].stage is Stage.MINED


def failed(sender: Sender) -> errors.TicTacToeError:
    with pytest.raises(errors.TicTacToeError) as caught:
        deploy(ME, sender)
    return caught.value


def test_wrong_code__is_an_error_with_the_address(chain: FakeChain, sender: Sender) -> None:
    chain.lies["eth_getCode"] = lambda _params, _true: CODE + "00"
    error = failed(sender)
    assert isinstance(error, errors.AnotherContract)
    assert error.message == f"{errors.AnotherContract(CREATED).message} {errors.look_first(CREATED)}"


def test_table_that_is_not_new__is_an_error(chain: FakeChain, sender: Sender) -> None:
    chain.play(new_game())
    error = failed(sender)
    assert isinstance(error, errors.NotANewTable)
    assert error.message == f"{errors.NotANewTable(CREATED).message} {errors.look_first(CREATED)}"


def test_full_disk__is_an_error_after_everything_else(sender: Sender, memory: Memory) -> None:
    memory.failure = OSError(errno.ENOSPC, "No space left on device")
    error = failed(sender)
    assert isinstance(error, errors.NotRemembered)
    assert errors.look_first(CREATED) in error.message
    assert sender.sent[0].stage is Stage.MINED


def test_deployment_that_is_not_sent__names_no_address(chain: FakeChain, sender: Sender) -> None:
    def refuse(_params: object, _answer: object) -> object:
        raise RefusedError("go away")

    chain.lies["eth_sendRawTransaction"] = refuse
    error = failed(sender)
    assert isinstance(error, errors.NotAccepted)
    assert CREATED not in error.message


def test_earlier_transactions__are_not_in_the_error(chain: FakeChain, sender: Sender) -> None:
    deploy(ME, sender)
    chain.lies["eth_call"] = lambda _params, _true: "0x"
    error = failed(sender)
    assert error.message.count("The table's address is") == 1
    assert sender.sent[1].contract in error.message
