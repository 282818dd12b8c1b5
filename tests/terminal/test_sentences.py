"""Every failure is one sentence with a way out, and an exit code of its own."""

import io
import json
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import ape
import pytest
from ape.api.accounts import AccountAPI
from ape.exceptions import ConfigError
from ape.logging import logger
from eth_utils.address import to_checksum_address
from rich.live import _RefreshThread

from tests.support.anvil import Anvil, free_port
from tests.support.revm import forwarder
from tests.terminal.chain import LocalTable, calldata
from tests.terminal.proxy import Proxy, error
from tests.terminal.terminal import ROOT, Done, ape_run
from tictactoe import Table, TicTacToeError, errors
from tictactoe.errors import REASONS, AccountError, InsufficientFunds, Reverted, TransactionError
from tictactoe.formatting import clean
from tictactoe.node import Node
from tictactoe.sending import Sender, Sent, Stage
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.command import translated
from tictactoe.terminal.console import Screen
from tictactoe.terminal.explorer import explorer_link
from tictactoe.terminal.status import StatusLine
from tictactoe.terminal.text import what_was_sent
from tictactoe.terminal.watch import Backfill

Command = Callable[..., Done]
STRANGER = "0x" + "12" * 20
HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"  # what a terminal is told of its cursor


def test_refusals__every_reason_of_the_contract__has_its_sentence() -> None:
    source = (ROOT / "contracts" / "TicTacToe.vy").read_text()
    reasons = set(re.findall(r'_refuse\("([^"]+)"\)', source))
    assert reasons == set(REASONS)
    for reason, sentence in REASONS.items():
        assert Reverted(reason).message == sentence
        assert sentence.endswith(".")


@pytest.mark.parametrize("hook", ["set_live", "show_cursor", "push_render_hook", "clear_live", "pop_render_hook"])
@pytest.mark.parametrize("kind", ["spinner", "bar"])
def test_interrupt__in_the_middle_of_a_start_or_a_stop__leaves_nothing_moving(
    monkeypatch: pytest.MonkeyPatch, hook: str, kind: str
) -> None:
    """What rich keeps moving cannot be stopped when its start was cut in two: that then fails, the cursor hidden."""
    out = io.StringIO()
    screen = Screen(file=out, force_terminal=True)
    status, bar = StatusLine(screen, Node(ape.networks.active_provider)), Backfill(screen)
    done, ctrl_c = getattr(Screen, hook), iter([True])

    def interrupted(*arguments: Any) -> Any:
        if next(ctrl_c, False):
            signal.raise_signal(signal.SIGINT)
        return done(*arguments)

    def stop() -> None:
        status.close()
        bar.close()

    def start_and_stop() -> None:
        if kind == "spinner":
            status.spin("waiting")
        else:
            bar.progress(1, 2)
        stop()

    monkeypatch.setattr(Screen, hook, interrupted)
    # As the commands take Ctrl-C; ape would end the process.
    apes = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        start_and_stop()
    stop()
    signal.signal(signal.SIGINT, apes)
    assert out.getvalue().rfind(SHOWN) > out.getvalue().rfind(HIDDEN) > -1
    for thread in threading.enumerate():
        if isinstance(thread, _RefreshThread):
            thread.join(10)
            assert not thread.is_alive()


def test_exit_codes__each_kind_of_failure__has_one_that_is_documented() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TicTacToeError)]
    table = (ROOT / "docs" / "playing.md").read_text().partition("## Exit codes")[2].partition("## ")[0]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert {kind.exit_code for kind in kinds} | {0} == documented


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\nb\tc", "a b c"),
        ("bell\x07 null\x00 del\x7f c1\x9b2J", "bell null del c12J"),
        ("\u202eevil\u2066", "evil"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_clean__text_from_outside__loses_what_a_terminal_would_obey(text: str, plain: str) -> None:
    assert clean(text) == plain


# -- the contract's refusals, as the chain gives them ------------------------------


@pytest.fixture
def sender(table: Table) -> Sender:
    return Sender(table.node, patience=3)


def people() -> tuple[Any, Any, Any]:
    x, o, stranger = (ape.accounts.test_accounts[i] for i in range(3))
    return x, o, stranger


@pytest.mark.parametrize(
    ("reason", "method", "values"),
    [
        ("player is the zero address", "newGame(address,address)", (STRANGER, "0x" + "0" * 40)),
        ("player is a contract", "newGame(address,address)", (STRANGER, "table")),
        ("not the current game", "makeMove(uint8,uint8,uint256)", (0, 0, 7)),
        ("off the grid", "makeMove(uint8,uint8,uint256)", (3, 0, 1)),
        ("cell is taken", "makeMove(uint8,uint8,uint256)", (1, 1, 1)),
        ("not your turn", "forfeit(uint256)", (1,)),
    ],
)
def test_refused__by_the_contract__is_its_sentence_and_sends_nothing(
    local: LocalTable, table: Table, sender: Sender, reason: str, method: str, values: tuple[Any, ...]
) -> None:
    local.new_game()
    local.move(5, 1)
    values = tuple(to_checksum_address(local.address) if value == "table" else value for value in values)
    x, o, _ = people()
    who = o if reason == "not your turn" else x
    with pytest.raises(Reverted) as caught:
        sender.send(who, "move", table.calldata(method, *values), table.address)
    assert caught.value.message == REASONS[reason]
    assert caught.value.exit_code == 8
    assert sender.sent == []


def test_refused__through_a_contract__is_its_sentence(local: LocalTable, table: Table, sender: Sender) -> None:
    """What a smart account does with its owner's transactions: a contract passes them on."""
    local.new_game()
    code = forwarder(int(local.address, 16))
    # Copies what follows it, from byte 11 on, and returns it as the code.
    creation = bytes.fromhex(f"60{len(code):02x}80600b5f395ff30000") + code
    middle = to_checksum_address(local.send(local.x, None, "0x" + creation.hex())["contractAddress"])
    with pytest.raises(Reverted) as caught:
        sender.send(people()[0], "move", table.calldata("makeMove", 1, 1, 1), middle)
    assert caught.value.message == REASONS["caller is a contract"]
    assert sender.sent == []


def test_refused__no_game_in_progress(table: Table, sender: Sender) -> None:
    with pytest.raises(Reverted, match=re.escape(REASONS["no game in progress"])):
        sender.send(people()[0], "forfeit", table.calldata("forfeit", 1), table.address)


# -- transactions that do not arrive -------------------------------------------------


@pytest.fixture
def slow(local: LocalTable) -> Anvil:
    """A node that mines only when told to, with a game on and X to move."""
    local.new_game()
    local.anvil.rpc("evm_setAutomine", False)
    return local.anvil


def sending(table: Table, patience: float, on_sent: Callable[[Sent], None]) -> Sender:
    """A sender that lets the test do something once the transaction is in the pool."""
    done: list[Sent] = []

    def show(sent: Sent, _waited: float) -> None:
        if sent.stage == "sent" and not done:
            done.append(sent)
            on_sent(sent)

    return Sender(table.node, show, patience=patience)


def move(table: Table, cell: int = 0) -> bytes:
    return table.calldata("makeMove", cell // 3, cell % 3, 1)


def test_transaction__dropped__says_so(slow: Anvil, table: Table) -> None:
    sender = sending(table, 4, lambda sent: slow.rpc("anvil_dropTransaction", sent.hash))
    with pytest.raises(TransactionError, match=r"The network dropped move 1 .*It cost nothing. Try again") as caught:
        sender.send(people()[0], "move 1", move(table), table.address)
    assert caught.value.exit_code == 9
    assert sender.sent[0].hash in caught.value.message


def test_transaction__replaced__says_so(slow: Anvil, table: Table) -> None:
    x = people()[0]

    def replace(sent: Sent) -> None:
        nonce = slow.rpc("eth_getTransactionByHash", sent.hash)["nonce"]
        fees = {"maxFeePerGas": hex(10**12), "maxPriorityFeePerGas": hex(10**11)}
        slow.rpc("eth_sendTransaction", {"from": x.address, "to": x.address, "nonce": nonce, "gas": hex(21000)} | fees)
        slow.rpc("evm_mine")

    sender = sending(table, 4, replace)
    with pytest.raises(TransactionError, match="Another transaction of yours replaced move 1"):
        sender.send(x, "move 1", move(table), table.address)


def test_transaction__one_node_behind_another__is_not_taken_for_replaced(
    local: LocalTable, connect: Callable[[str], Node]
) -> None:
    """Behind a load balancer one node has counted the transaction, and the next has not heard of it."""

    def behind(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] in ("eth_getTransactionReceipt", "eth_getTransactionByHash"):
            looks.append(request["method"])
            if len(looks) < 5:
                return {"jsonrpc": "2.0", "id": request["id"], "result": None}
        return real()

    looks: list[str] = []
    local.new_game()
    with Proxy(local.anvil.url, behind) as proxy:
        seen = Table(local.address, connect(proxy.url))
        sender = Sender(seen.node, patience=60)
        assert sender.send(people()[0], "move 1", move(seen), seen.address).stage is Stage.MINED
    assert len(looks) >= 5


def test_transaction__an_earlier_one_still_waits__says_which_way_out(
    local: LocalTable, connect: Callable[[str], Node]
) -> None:
    """The same command again, while the first one's transaction is stuck: what geth says then."""

    def geth(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == "eth_sendRawTransaction":
            return error(request, "replacement transaction underpriced", -32000)
        return real()

    local.new_game()
    with Proxy(local.anvil.url, geth) as proxy:
        seen = Table(local.address, connect(proxy.url))
        sender = Sender(seen.node)
        with pytest.raises(TransactionError, match="An earlier transaction of yours is still waiting") as caught:
            sender.send(people()[0], "move 1", move(seen), seen.address)
    assert "Nothing was sent. Wait until it is mined, or speed it up or cancel it in a wallet." in caught.value.message


@pytest.mark.parametrize("stage", Stage)
def test_what_was_sent__every_stage__is_told_once(stage: Stage) -> None:
    signed = stage not in (Stage.SIGNING, Stage.DECLINED, Stage.NOT_SIGNED)
    told = what_was_sent([Sent("move 1", "0x12" if signed else "", stage)])
    assert told.count("move 1") == 1
    assert "Nothing was sent" not in told
    assert ("Not sent" in told) == (not signed or stage is Stage.NOT_SENT)


def test_what_was_sent__nothing__says_so() -> None:
    assert what_was_sent([]) == "Stopped. Nothing was sent."


def test_transaction__too_long_in_the_pool__says_so(slow: Anvil, table: Table) -> None:
    sender = sending(table, 1, lambda _sent: None)
    with pytest.raises(TransactionError, match=r"move 1 .* is still waiting after 1 s. It may still be mined"):
        sender.send(people()[0], "move 1", move(table), table.address)
    assert slow.rpc("eth_getTransactionByHash", sender.sent[0].hash) is not None


def test_transaction__game_overwritten_in_flight__costs_but_changes_nothing(
    slow: Anvil, local: LocalTable, table: Table
) -> None:
    """The move is in the pool; before it somebody starts another game. Its game number keeps it out of that one."""

    def overwrite(_sent: Sent) -> None:
        data = calldata("newGame(address,address)", local.x, local.people[3])
        fees = {"maxFeePerGas": hex(10**12), "maxPriorityFeePerGas": hex(10**11), "gas": hex(200_000)}
        slow.rpc("eth_sendTransaction", {"from": local.people[3], "to": local.address, "data": data} | fees)
        slow.rpc("evm_mine")

    sender = sending(table, 30, overwrite)
    with pytest.raises(
        TransactionError, match=r"was mined in block .* but the contract refused it: another transaction came first"
    ):
        sender.send(people()[0], "move 1", move(table), table.address)
    assert (table.state().number, table.state().moves) == (2, ())
    # Whoever leaves now has paid for it.
    assert what_was_sent(sender.sent).startswith("Stopped. Mined and paid for, but refused: move 1 (0x")


def test_transaction__node_gone_while_it_waits__says_it_was_sent(slow: Anvil, table: Table) -> None:
    sender = sending(table, 1, lambda _sent: slow.stop())
    with pytest.raises(
        TicTacToeError, match=r"The node became unreachable after move 1 .* was sent. It may still be mined"
    ) as caught:
        sender.send(people()[0], "move 1", move(table), table.address)
    assert caught.value.exit_code == 3


def test_transaction__node_dies_as_it_is_handed_over__is_still_found(
    local: LocalTable, connect: Callable[[str], Node]
) -> None:
    """The worst moment: the node took it, but its answer never came. The hash is known, so the wait finds it."""

    def swallow(request: dict[str, Any], real: Callable[[], dict[str, Any]]) -> Any:
        if request["method"] == "eth_sendRawTransaction":
            real()
            raise ConnectionError
        return real()

    local.new_game()
    with Proxy(local.anvil.url, swallow) as proxy:
        seen = Table(local.address, connect(proxy.url))
        sent = Sender(seen.node, patience=20).send(people()[0], "move 1", move(seen), seen.address)
    assert sent.stage == "mined"


def test_transaction__no_funds__says_how_much_there_is(local: LocalTable, table: Table, sender: Sender) -> None:
    x = people()[0]
    local.new_game()
    for balance, words in ((0, "has 0 ETH"), (10**9, "has 0.000000001 ETH and move 1 may cost up to 0.0")):
        local.anvil.rpc("anvil_setBalance", x.address, hex(balance))
        with pytest.raises(InsufficientFunds, match=words) as caught:
            sender.send(x, "move 1", move(table), table.address)
        assert "Nothing was sent" in caught.value.message
        assert caught.value.exit_code == 7


class Declines:
    """A wallet whose owner says no, as hardware wallets and keyfiles tell ape."""

    def __init__(self, address: str) -> None:
        self.address = address

    def sign_transaction(self, _transaction: Any) -> None:
        return None


def test_transaction__declined__nothing_was_sent(local: LocalTable, table: Table, sender: Sender) -> None:
    local.new_game()
    with pytest.raises(AccountError, match=r"You declined to sign move 1. Nothing was sent") as caught:
        sender.send(cast(AccountAPI, Declines(people()[0].address)), "move 1", move(table), table.address)
    assert caught.value.exit_code == 6
    assert sender.sent[0].hash == ""


# -- the commands ---------------------------------------------------------------------


def test_command__something_unforeseen__shows_where_when_asked(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unforeseen(_node: Node, _address: str | None) -> Table:
        raise RuntimeError("nobody thought of this")

    # `ape run` itself knows the option and gives it to every command.
    assert ape_run("watch", "-v", "DEBUG").code == 5
    monkeypatch.setattr("tictactoe.terminal.watch.find_table", unforeseen)
    for asked in ([], ["-v", "DEBUG"]):
        monkeypatch.setattr("sys.argv", ["ape", "run", "watch", *asked])
        if asked:
            logger.set_level("DEBUG")
        done = command("watch")
        assert done.code == 1
        assert "Unexpected error (RuntimeError: nobody thought of this)." in done.err
        assert ("in unforeseen" in done.out + done.err) == bool(asked)


def test_foreseen__the_configuration__is_a_mistake_of_use() -> None:
    failure = translated(ConfigError("'nowhere' is no network."))
    assert failure.exit_code == 2
    assert failure.message == "'nowhere' is no network. See ape-config.yaml."


def test_command__no_node__is_a_sentence(command: Command) -> None:
    for name in ("play", "watch", "deploy"):
        done = command(name, "--network", f"http://127.0.0.1:{free_port()}")
        assert done.code == 3
        assert "Is it running, and is --network right?" in done.err


def test_command__no_contract_at_the_address(command: Command, anvil: Anvil) -> None:
    for name in ("play", "watch"):
        done = command(name, "--network", anvil.url, "--table", STRANGER)
        assert done.code == 5
        assert "There is no contract at 0x1212121212121212121212121212121212121212 on" in done.err


def test_command__another_contract_at_the_address(command: Command, local: LocalTable) -> None:
    other = local.send(local.x, None, "0x600160005260016000f3")["contractAddress"]
    done = command("play", "--network", local.anvil.url, "--table", other)
    assert done.code == 5
    assert "The contract at" in done.err


def test_command__network_forgotten__names_the_option(command: Command, keyfiles: dict[str, str]) -> None:
    """On the chain inside the program no faucet and no deployment would ever help."""
    poor = ape_run("play", "--account", "anna")
    assert poor.code == 7
    assert f"Not enough funds: {keyfiles['anna']} has 0 ETH." in poor.err
    unknown = ape_run("watch")
    assert unknown.code == 5
    nothing_there = command("watch", "--table", STRANGER)
    assert nothing_there.code == 5
    for done in (poor, unknown, nothing_there):
        assert "This is the chain inside the program, which is new at every start" in done.err
        assert "--network" in done.err
        assert "faucet" not in done.err
        assert "ape run deploy" not in done.err


def test_command__no_table_known(command: Command, anvil: Anvil) -> None:
    done = command("watch", "--network", anvil.url)
    assert done.code == 5
    assert "No table is known on this network" in done.err
    assert "`ape run deploy`" in done.err


@pytest.mark.parametrize("text", ["nobody", "0x12", STRANGER[2:]])
def test_command__no_address__is_a_usage_error(command: Command, text: str) -> None:
    done = command("play", "--against", text)
    assert done.code == 2
    assert "is not an address: 0x and 40 hexadecimal digits" in done.err


def test_command__wrong_chain(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, "--account", "TEST::0", "--yes", "--expected-chain-id", "1")
    assert done.code == 4
    assert "This is chain 31337, not 1. Nothing was sent." in done.err
    assert anvil.rpc("eth_blockNumber") == "0x0"


def test_command__a_network_of_another_number(command: Command, anvil: Anvil) -> None:
    done = command("play", "--network", f"ethereum:sepolia:{anvil.url}")
    assert done.code == 4
    assert "connected to chain ID '31337'" in done.err
    assert "Are you connected to 'sepolia'? Nothing was sent. Check --network." in done.err


def test_command__unknown_account(command: Command) -> None:
    done = command("play", "--account", "nobody-here")
    assert done.code == 2
    assert "'nobody-here' not found" in done.err


def test_command__both_kinds_of_seat__is_a_usage_error(command: Command) -> None:
    assert command("play", "--account", "TEST::0", "--x", "TEST::1").code == 2
    assert command("play", "--x", "TEST::0", "--o", "TEST::1", "--against", STRANGER).code == 2
    assert command("play", "--against", STRANGER).code == 2


def test_explorer__a_plugin_that_fails__costs_only_the_link(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """ape-etherscan asks a host of its own for every link. Away, it ended a deployment after the money was spent."""

    class Away:
        def get_transaction_url(self, _hash: str) -> str:
            raise ConnectionError("no route to the explorer")

    monkeypatch.setattr("tictactoe.terminal.explorer.find_explorer", lambda _node: Away())
    assert explorer_link(table.node, "tx", "0x12") == ""
    monkeypatch.setattr(table.node, "chain_id", 11155111)
    assert explorer_link(table.node, "tx", "0x12") == "https://sepolia.etherscan.io/tx/0x12"


def test_play__every_move__carries_its_games_number(command: Command, local: LocalTable) -> None:
    """So that a move signed for one game lands in no other."""
    local.new_game()
    local.new_game()
    seats = ("--x", "TEST::0", "--o", "TEST::1")
    done = command("play", "--network", local.anvil.url, "--table", local.address, *seats, keys="5\nf\ny\n")
    assert done.code == 0
    blocks = [local.anvil.rpc("eth_getBlockByNumber", hex(number), True) for number in (4, 5)]
    sent = [block["transactions"][0]["input"] for block in blocks]
    assert sent == [
        calldata("makeMove(uint8,uint8,uint256)", 1, 1, 2),
        calldata("forfeit(uint256)", 2),
    ]


def test_play__not_a_player__watches(command: Command, local: LocalTable) -> None:
    local.new_game()
    local.move(5)
    done = command("play", "--network", local.anvil.url, "--table", local.address, "--account", "TEST::9")
    assert done.code == 0
    assert "You are not a player in this game, so you watch." in done.out
    assert "O to move" in done.out


@pytest.mark.parametrize(
    ("seat", "sentence"),
    [
        ((), "You only watch. To start a game, give --account ALIAS --against ADDRESS."),
        (("--account", "TEST::9"), "A new game needs another player: give --against ADDRESS."),
    ],
)
def test_play__new_game_without_a_seat_or_an_opponent__says_what_is_missing(
    command: Command, local: LocalTable, seat: tuple[str, ...], sentence: str
) -> None:
    local.new_game()
    height = local.anvil.rpc("eth_blockNumber")
    done = command("play", "--network", local.anvil.url, "--table", local.address, *seat, keys="n\n")
    assert sentence in done.out
    assert done.code == 2
    assert local.anvil.rpc("eth_blockNumber") == height


def test_play__somebody_elses_turn__is_refused_before_anything_is_sent(command: Command, local: LocalTable) -> None:
    local.new_game()
    height = local.anvil.rpc("eth_blockNumber")
    done = command("play", "--network", local.anvil.url, "--table", local.address, "--account", "TEST::9", keys="1\n")
    assert done.code == 8
    assert REASONS["not your turn"] in done.out
    assert local.anvil.rpc("eth_blockNumber") == height


def test_play__a_game_of_others_is_on__is_not_overwritten_without_a_word(command: Command, local: LocalTable) -> None:
    local.new_game()
    args = (
        "play",
        "--network",
        local.anvil.url,
        "--table",
        local.address,
        "--account",
        "TEST::3",
        "--against",
        STRANGER,
    )
    done = command(*args, keys="n\n")
    assert "Game 1 between 0xf39F…2266 and 0x7099…79C8 is not finished. Start a new one over it?" in done.out
    assert "Nothing was sent" in done.err
    assert done.code == 6
    done = command(*args, keys="y\n")
    assert "X to move" in done.out
    assert "Game 2" in done.out


@pytest.mark.parametrize(
    ("who", "reason"), [("table", "player is a contract"), ("0x" + "0" * 40, "player is the zero address")]
)
def test_play__against_nobody__is_the_contracts_refusal(
    command: Command, local: LocalTable, who: str, reason: str
) -> None:
    against = local.address if who == "table" else who
    args = ("--network", local.anvil.url, "--table", local.address, "--account", "TEST::0", "--against", against)
    done = command("play", *args)
    assert done.code == 8
    assert REASONS[reason] in done.err


def test_play__declined__says_that_nothing_was_sent(command: Command) -> None:
    done = command("play", "--ask", keys="n\n")
    assert done.code == 6
    assert "You declined to sign new game. Nothing was sent." in done.err


def test_unlock__no_terminal_and_no_passphrase__names_the_variable(keyfile: Any) -> None:
    with pytest.raises(AccountError, match="Set APE_ACCOUNTS_tictactoe-keyfile_PASSPHRASE"):
        unlock(keyfile)


def test_unlock__wrong_passphrase__says_so(keyfile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APE_ACCOUNTS_tictactoe-keyfile_PASSPHRASE", "wrong")
    with pytest.raises(AccountError, match="does not unlock the account 'tictactoe-keyfile'"):
        unlock(keyfile)


@pytest.fixture
def keyfile(tmp_path: Path) -> Any:
    from ape_accounts import KeyfileAccount
    from eth_account import Account

    path = tmp_path / "tictactoe-keyfile.json"
    path.write_text(json.dumps(Account.encrypt(b"\x11" * 32, "right", iterations=1)))
    return KeyfileAccount(keyfile_path=path)
