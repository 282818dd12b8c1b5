"""What else can fail: the disk and the streams; an unusual chain and clock."""

import errno
import json
import re
from typing import Any

import ape
import click
import pytest

from tests.support.anvil import Anvil
from tests.support.commands import APE, Command, run
from tests.support.local_table import FIRST_TABLE, LocalTable
from tests.support.roles import Role
from tictactoe.formatting import coins
from tictactoe.node import Block
from tictactoe.table import CONTRACT, look_first
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


def test_output_on_a_full_disk__ends_it_before_anything_is_sent(local: LocalTable) -> None:
    local.new_game()
    code, sentence = shell("> /dev/full", "play", "--account", Role.PLAYER_X.alias, *local.options)
    assert (code, sentence.strip()) == (1, f"Error: {LOST}")
    assert local.anvil.height == 2


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("deploy", ["Mined: table at " + FIRST_TABLE, look_first(FIRST_TABLE)]),
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


def test_memory_that_cannot_be_written__costs_no_table(
    command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = type(ape.chain.contracts.deployments)
    write = cache.cache_deployment

    def refuse(self: object, address: str, name: str, **more: str) -> None:
        if name == CONTRACT:
            raise OSError(errno.EROFS, "Cannot write")
        write(self, address, name, **more)

    monkeypatch.setattr(cache, "cache_deployment", refuse)
    done = command(*DEPLOY, "--network", anvil.url, "--json")
    assert done.code == 1
    assert "ape cannot remember it: Cannot write. Name it with --table." in done.err
    assert look_first(FIRST_TABLE) in done.err
    report = json.loads(done.out)
    assert (report["address"], report["proved"]) == (FIRST_TABLE, True)


@pytest.mark.parametrize(("args", "code"), [(("play",), 0), (("deploy", "--account", "TEST::0"), 2)])
def test_closed_stdin__is_the_end_of_the_input(anvil: Anvil, args: tuple[str, ...], code: int) -> None:
    network = () if args == ("play",) else ("--network", anvil.url)
    found, sentence = shell("<&-", *args, *network)
    assert (found, "Unexpected error" in sentence) == (code, False)


# -- an unusual chain ------------------------------------------------------------------------------


def test_chain_with_another_coin__is_paid_in_it(command: Command) -> None:
    with Anvil(chain_id=80002) as anvil:
        args = ("deploy", "--account", Role.DEPLOYER.alias, "--network", f"polygon:amoy:{anvil.url}")
        done = command(*args, "--confirmations", "0", keys="y\n")
        assert done.code == 0, done.err
        (hash_,) = anvil.rpc("eth_getBlockByNumber", "latest", False)["transactions"]
        receipt = anvil.rpc("eth_getTransactionReceipt", hash_)
    cost = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
    assert f"gas, {coins(cost)} POL\n" in done.out
    assert re.findall(r"\d (ETH|POL)\b", done.out) == ["POL"] * 3


# -- the clock -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("now", "age"), [(1000, 0), (1003.4, 3), (900, 0), (10**6, 999000)])
def test_age_of_a_block__is_never_negative(now: float, age: int) -> None:
    assert output_text.clock(Block(7, "", "", 1000, None), now) == f"block 7, {age} s ago"
