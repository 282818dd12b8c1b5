"""`deploy --publish`: Sourcify compiles what it receives and compares; the other way is an explorer's plugin."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import PropertyMock

import pytest

from tests.support.anvil import Anvil, free_port
from tests.support.commands import ROOT, Command
from tests.support.fake_node import zipped
from tests.support.roles import Role
from tests.support.server import Answer
from tests.support.sourcify import Sourcify
from tictactoe import errors, sourcify, transport
from tictactoe.addresses import checked_address
from tictactoe.terminal import deploy as deployment

Behaviour = Callable[[str], Answer | None]
UNASKED = ("--account", "TEST::0", "--yes", "--expected-chain-id", "31337", "--confirmations", "0")
RUNNING = {"isJobCompleted": False}


def as_json(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), status)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sourcify, "PAUSE", 0.01)


@pytest.fixture
def address(anvil: Anvil, creation_code: bytes) -> Any:
    return checked_address(anvil.create(Role.DEPLOYER.address, creation_code))


# -- from the command ------------------------------------------------------------------------


@pytest.mark.parametrize("publish", [["--publish"], ["--publish", "sourcify"]])
def test_publish_at_sourcify__verifies_what_was_deployed(command: Command, anvil: Anvil, publish: list[str]) -> None:
    with Sourcify(anvil) as server:
        args = ("--network", anvil.url, *UNASKED, *publish, "--json")
        done = command("deploy", *args, SOURCIFY_SERVER=server.url)
    assert done.code == 0, done.err
    output = json.loads(done.out)
    assert server.verified == {output["address"]: output["transaction"]}
    assert "verified     the source is published" in done.err


def test_publish_that_fails__leaves_a_table_and_exit_code_10(command: Command, anvil: Anvil) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    done = command("deploy", "--network", anvil.url, *UNASKED, "--publish", "--json", SOURCIFY_SERVER=nowhere)
    assert done.code == 10
    assert "The table is deployed, but its source was not verified: Sourcify cannot be reached." in done.err
    assert "verified  " not in done.err
    assert json.loads(done.out)["proved"] is True


def test_publish_on_the_embedded_chain__is_refused(command: Command) -> None:
    done = command("deploy", "--publish")
    assert done.code == 10
    assert "Only this program can see tables on this chain" in done.err
    assert command("deploy").code == 0


def test_publish_elsewhere__is_a_usage_error(command: Command) -> None:
    assert command("deploy", "--publish", "blockscout").code == 2


# -- what is sent ----------------------------------------------------------------------------


def test_input__is_what_the_compiler_prints() -> None:
    vyper = Path(sys.executable).parent / "vyper"
    printed = subprocess.run(
        [vyper, "-f", "solc_json", "contracts/TicTacToe.vy"], cwd=ROOT, capture_output=True, check=True
    )
    assert sourcify.standard_json_input() == json.loads(printed.stdout)


def test_verify_of_other_code__is_not_verified(anvil: Anvil) -> None:
    """The server compares the bytecode itself."""
    other = checked_address(anvil.create(Role.DEPLOYER.address, bytes.fromhex("60016000f3")))
    with Sourcify(anvil) as server, pytest.raises(errors.NotVerified, match="recompiled bytecodes don't match") as info:
        verify(server, other)
    assert info.value.exit_code == 10
    assert server.verified == {}


def verify(server: Sourcify, address: Any, chain: int = 31337, patience: float = 600) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCIFY_SERVER", server.url)
        sourcify.verify(chain, address, patience=patience)


def test_server__is_sourcify_s_unless_the_environment_names_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCIFY_SERVER", raising=False)
    assert sourcify.server() == "https://sourcify.dev/server"
    monkeypatch.setenv("SOURCIFY_SERVER", "https://example.org/")
    assert sourcify.server() == "https://example.org"


# -- what comes back -------------------------------------------------------------------------


ADDRESS = checked_address("0x" + "11" * 20)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spares the compiler where the answer does not depend on the input."""
    monkeypatch.setattr(sourcify, "standard_json_input", lambda: {"compiler_version": "v0.4.3"})


def first(answer: Answer) -> Behaviour:
    return lambda method: answer if method == "POST" else None


def later(answer: Answer) -> Behaviour:
    started = as_json({"verificationId": "job-1"}, 202)
    return lambda method: answer if method == "GET" else started


def done_with(**fields: object) -> Behaviour:
    return later(as_json({"isJobCompleted": True} | fields))


ALREADY = {"customCode": "already_verified", "message": "already", "errorId": "7"}


@pytest.mark.parametrize(
    "behaviour",
    [
        first(as_json(ALREADY, 409)),
        done_with(contract={"match": "match"}),
        done_with(contract={"match": "exact_match"}),
        done_with(contract={"match": None}, error=ALREADY),
    ],
)
@pytest.mark.usefixtures("compiled")
def test_answer_that_it_is_verified__is_believed(behaviour: Behaviour) -> None:
    with Sourcify(None, behaviour) as server:
        verify(server, ADDRESS)


DEEP = b"[" * 51 + b"]" * 51


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (first(as_json({"message": "Slow down."}, 429)), "Sourcify refused: Slow down."),
        (first(as_json({}, 500)), "Sourcify failed with status 500."),
        (first(Answer(b"<html>", 502)), "Sourcify failed with status 502."),
        (first(Answer(b"", 302, {"location": "/elsewhere"})), "does not describe"),
        (first(Answer(b"<html>", 202)), "does not describe"),
        (first(as_json([], 202)), "does not describe"),
        (first(as_json({}, 202)), "does not describe"),
        (first(as_json({"verificationId": 7}, 202)), "does not describe"),
        (first(as_json({"verificationId": "../contract"}, 202)), "does not describe"),
        (first(as_json({"verificationId": "a" * 65}, 202)), "does not describe"),
        (first(zipped(transport.MAX_ANSWER_BYTES + 1)), "answer is too large"),
        (first(Answer(DEEP, 202)), "answer is too large"),
        (later(as_json({"message": "No such job."}, 404)), "Sourcify refused: No such job."),
        (later(Answer(b"not gzip", headers={"content-encoding": "gzip"})), "does not describe"),
        (done_with(), "does not describe"),
        (done_with(contract={"match": "no"}), "does not describe"),
        (done_with(contract=[], error="no"), "does not describe"),
        (done_with(error={"message": "\x1b[31mred\n"}), "Sourcify refused: red."),
        (done_with(error={"message": "x" * 5000}), "docs/integrating.md"),
        (later(as_json(RUNNING)), "Sourcify was not done within 0 s."),
    ],
)
@pytest.mark.usefixtures("compiled")
def test_answer_that_is_no_good__is_a_sentence(behaviour: Behaviour, problem: str) -> None:
    with Sourcify(None, behaviour) as server, pytest.raises(errors.NotVerified) as info:
        verify(server, ADDRESS, patience=0.2)
    assert problem in info.value.message
    assert len(info.value.message) <= 1000
    assert info.value.message.isprintable()


def drip() -> Iterator[bytes]:
    for _ in range(40):
        time.sleep(0.1)
        yield b" "


@pytest.mark.parametrize("answer", [Answer(drip()), Answer(pieces_of_headers=drip())])
@pytest.mark.usefixtures("compiled")
def test_answer_that_takes_too_long__is_not_waited_for(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    monkeypatch.setattr(transport, "SECONDS", 0.5)
    with Sourcify(None, first(answer)) as server, pytest.raises(errors.NotVerified, match="in time"):
        verify(server, ADDRESS)


# -- at an explorer, through ape's plugin ----------------------------------------------------


class Explorer:
    """What ape's plugin looks like to us."""

    def __init__(self, refuses: str = "") -> None:
        self.published: list[str] = []
        self.refuses = refuses

    def publish_contract(self, address: str) -> None:
        if self.refuses:
            raise RuntimeError(self.refuses)
        self.published.append(address)


@pytest.mark.parametrize("explorer", [None, ConnectionError("no route to the explorer")])
def test_etherscan_without_the_plugin__is_refused_before_it_spends(
    command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch, explorer: Exception | None
) -> None:
    """Or with one that fails: ape-etherscan asks its own host."""
    network = PropertyMock(return_value=None, side_effect=explorer)
    monkeypatch.setattr("ape.api.networks.NetworkAPI.explorer", network)
    done = command("deploy", "--network", anvil.url, *UNASKED, "--publish", "etherscan")
    assert done.code == 10
    assert "--publish etherscan needs ape's explorer plugin" in done.err
    assert anvil.height == 0


@pytest.mark.parametrize("refuses", ["", "no key"])
def test_etherscan_with_the_plugin__receives_the_address(
    command: Command, anvil: Anvil, monkeypatch: pytest.MonkeyPatch, refuses: str
) -> None:
    explorer = Explorer(refuses)
    monkeypatch.setattr(deployment, "find_explorer", lambda _node: explorer)
    done = command("deploy", "--network", anvil.url, *UNASKED, "--publish", "etherscan", "--json")
    address = json.loads(done.out)["address"]
    if refuses:
        assert (done.code, explorer.published) == (10, [])
        assert "The table is deployed, but its source was not verified: no key." in done.err
    else:
        assert (done.code, explorer.published) == (0, [address])
    assert ("verified     the source is published" in done.err) != bool(refuses)
