"""What else can fail: the disk, the streams, the clock, another program with the same account, an unusual chain."""

import errno
import itertools
import json
import re
import time
from typing import Any

import ape
import click
import pytest

from tests.support.anvil import Anvil
from tests.support.commands import APE, Command, run
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.proxy import Behaviour, Proxy, Real, Request, error
from tests.support.roles import Role
from tictactoe import errors
from tictactoe.compiled import CONTRACT
from tictactoe.node import Block
from tictactoe.terminal import output_text

DEPLOY = ("deploy", "--account", Role.DEPLOYER.alias, "--yes", "--expected-chain-id", "31337", "--confirmations", "0")
MOVE = ("play", "--account", Role.PLAYER_X.alias, "--move", "5")
FULL = OSError(errno.ENOSPC, "No space left on device")
LOST = "The output cannot be written: No space left on device."


def shell(line: str, *args: str) -> tuple[int, str]:
    """The exit code and the errors of a command, with its streams as the shell connects them."""
    done = run(["bash", "-c", f"{APE} run {' '.join(args)} {line}"])
    return done.code, done.err


# -- the disk and the streams ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["play", "watch", "deploy"])
def test_output_on_a_full_disk__ends_it_before_anything_is_sent(local: LocalTable, name: str) -> None:
    args = {"play": (*MOVE, *local.options), "watch": ("watch", *local.options, "--once")}
    local.new_game()
    code, sentence = shell("> /dev/full", *args.get(name, (*DEPLOY, "--network", local.anvil.url)))
    assert (code, sentence.strip()) == (1, f"Error: {LOST}")
    assert local.anvil.height == 2


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("deploy", ["Mined: table at " + FIRST_TABLE, errors.look_first(FIRST_TABLE)]),
        ("play", ["Mined: move 1."]),
        ("watch", []),
    ],
)
def test_object_on_a_full_disk__lists_what_was_sent(
    command: Command,
    anvil: Anvil,
    creation_code: bytes,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    sentences: list[str],
) -> None:
    args: tuple[str, ...] = (*DEPLOY, "--network", anvil.url)
    if name != "deploy":
        local = LocalTable(anvil, creation_code)
        local.new_game()
        args = (*(MOVE if name == "play" else ("watch", "--once")), *local.options)
    echo = click.echo

    def full(message: Any = None, *more: Any, **options: Any) -> None:
        if str(message).startswith("{"):
            raise FULL
        echo(message, *more, **options)

    monkeypatch.setattr("click.echo", full)
    monkeypatch.setattr("tictactoe.terminal.command.stop_printing", lambda: None)  # the runner's output is no file
    done = command(*args, "--json")
    assert (done.code, done.out) == (1, "")
    assert LOST in done.err
    assert all(sentence in done.err for sentence in sentences)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_memory_that_cannot_be_written__costs_no_table(
    command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    cache = type(ape.chain.contracts.deployments)
    write = cache.cache_deployment

    def refuse(self: object, address: str, name: str, **more: str) -> None:
        if name == CONTRACT:
            raise OSError(number, "Cannot write")
        write(self, address, name, **more)

    monkeypatch.setattr(cache, "cache_deployment", refuse)
    done = command(*DEPLOY, "--network", anvil.url, "--json")
    assert done.code == 1
    assert "ape cannot remember it: Cannot write. Name it with --table." in done.err
    assert errors.look_first(FIRST_TABLE) in done.err
    report = json.loads(done.out)
    assert (report["address"], report["proved"]) == (FIRST_TABLE, True)


@pytest.mark.parametrize(
    ("args", "code"), [(("play",), 0), (("deploy", "--account", "TEST::0"), 2), (("watch", "--once"), 5)]
)
def test_closed_stdin__is_the_end_of_the_input(anvil: Anvil, args: tuple[str, ...], code: int) -> None:
    network = () if args == ("play",) else ("--network", anvil.url)
    found, sentence = shell("<&-", *args, *network)
    assert (found, "Unexpected error" in sentence) == (code, False)


# -- two programs with one account --------------------------------------------------------------


def test_account_whose_move_waits__sends_no_second_one(command: Command, local: LocalTable) -> None:
    local.new_game()
    local.anvil.rpc("evm_setAutomine", False)
    assert command(*MOVE, *local.options, "--patience", "1").code == errors.StillWaiting.exit_code
    done = command(*MOVE, *local.options, "--patience", "1")
    assert done.failed_with(errors.PaymentWaits("move 1", local.x))
    local.anvil.rpc("evm_mine")
    assert len(local.logs()) == 2


def test_account_that_moves_elsewhere_at_the_same_time__pays_for_one_move(command: Command, local: LocalTable) -> None:
    """The other program is faster, after this one has chosen its nonce."""

    def overtake(request: Request, real: Real) -> Any:
        if request["method"] == "eth_sendRawTransaction":
            local.play("5")
        return real()

    local.new_game()
    with Proxy(local.anvil.url, overtake) as proxy:
        done = command(*MOVE, "--network", proxy.url, "--table", local.address)
    assert done.code == errors.NotAccepted.exit_code == 9
    assert "nonce too low" in done.err
    assert "Nothing was sent." in done.err
    assert len(local.logs()) == 2


# -- unusual chains ------------------------------------------------------------------------------


def before_london(request: Request, real: Real) -> Any:
    """A chain without a base fee, tips and a history of them."""
    if request["method"] in ("eth_maxPriorityFeePerGas", "eth_feeHistory"):
        return error(request, "method not found", -32601)
    reply = real()
    if request["method"].startswith("eth_getBlock") and isinstance(reply["result"], dict):
        reply["result"].pop("baseFeePerGas", None)
    return reply


def honest(_request: Request, real: Real) -> Any:
    return real()


@pytest.mark.parametrize(
    ("chain", "network", "behaviour", "symbol", "type_"),
    [
        (31337, "{}", before_london, "ETH", "0x0"),
        (80002, "polygon:amoy:{}", honest, "POL", "0x2"),
    ],
    ids=["without EIP-1559", "with another coin"],
)
def test_unusual_chain__is_paid_in_its_own_way(
    command: Command, chain: int, network: str, behaviour: Behaviour, symbol: str, type_: str
) -> None:
    with Anvil(chain_id=chain) as anvil, Proxy(anvil.url, behaviour) as proxy:
        args = ("deploy", "--account", Role.DEPLOYER.alias, "--network", network.format(proxy.url))
        done = command(*args, "--confirmations", "0", keys="y\n")
        assert done.code == 0, done.err
        (sent,) = anvil.rpc("eth_getBlockByNumber", "latest", True)["transactions"]
        receipt = anvil.rpc("eth_getTransactionReceipt", sent["hash"])
    cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert sent["type"] == type_
    assert f"gas, {cost / 10**18:.9f}".rstrip("0") + f" {symbol}, at {FIRST_TABLE}" in done.out
    assert re.findall(r"\d (ETH|POL)\b", done.out) == [symbol] * 3


# -- the clock -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("now", "age"), [(1000, 0), (1003.4, 3), (900, 0), (10**6, 999000)])
def test_age_of_a_block__is_never_negative(now: float, age: int) -> None:
    assert output_text.clock(Block(7, "", "", 1000, None), now) == f"block 7, {age} s ago"


def test_clock_that_jumps__ends_no_patience(command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day back and forth at every look, while the deployment waits for its block."""
    jumps, now = itertools.cycle((86_400, -86_400)), time.time
    monkeypatch.setattr("time.time", lambda: now() + next(jumps))
    anvil.rpc("evm_setAutomine", False)

    def mine_late(request: Request, real: Real) -> Any:
        if request["method"] == "eth_getTransactionReceipt" and next(looks) == 3:
            anvil.rpc("evm_mine")
        return real()

    looks = itertools.count()
    with Proxy(anvil.url, mine_late) as proxy:
        done = command(*DEPLOY, "--network", proxy.url, "--patience", "60")
    assert done.code == 0, done.err
    assert next(looks) > 3
