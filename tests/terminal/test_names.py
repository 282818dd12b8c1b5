"""Tables with names: one address on every chain, before and after it is deployed, with any deployer."""

import json

import pytest
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from tests.support.anvil import Anvil
from tests.support.commands import Command
from tests.support.roles import Role
from tictactoe import errors, table_address
from tictactoe.compiled import runtime_code
from tictactoe.naming import FACTORY, FACTORY_CODE, normalised

NAME = "anna-and-ben"
UNASKED = ("--account", "TEST::0", "--yes", "--expected-chain-id", "31337", "--confirmations", "0")


def by_hand(anvil: Anvil, name: str, creation_code: bytes) -> None:
    """Another account deploys the table without this project."""
    data = keccak(name.encode()) + creation_code
    assert anvil.send(Role.STRANGER.address, data, FACTORY, gas=hex(2_000_000))["status"] == "0x1"


# -- the name and the address ------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("anna-and-ben", "anna-and-ben"),
        ("Anna-AND-Ben", "anna-and-ben"),
        (" anna \n", "anna"),
        ("7", "7"),
        ("0-x", "0-x"),
        ("a" * 32, "a" * 32),
        ("0" * 32, "0" * 32),
    ],
)
def test_name_of_letters_digits_and_hyphens__is_normalised(written: str, name: str) -> None:
    assert normalised(written) == name
    assert table_address(written) == table_address(name)


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "a" * 33, "anna ben", "anna_ben", "-anna", "anna-", "anna--ben", "anna\nben", "anna."),
        *("zoë", "\u212aelvin", "\uff11", "0x", "0xanna", "0XANNA", "0x" + "1" * 30, "1" * 40),
    ],
)
def test_name_of_anything_else__is_refused(written: str) -> None:
    """Letters that Unicode maps to ASCII ones, such as the Kelvin sign, are refused as well."""
    with pytest.raises(errors.InvalidName):
        table_address(written)


def test_table_address__is_that_of_the_formula(creation_code: bytes) -> None:
    factory = bytes.fromhex("4e59b44847b379578588920ca78fbf26c0b4956c")
    digest = keccak(b"\xff" + factory + keccak(b"anna-and-ben") + keccak(creation_code))
    assert table_address(NAME) == to_checksum_address(digest[12:])
    assert table_address("ben-and-anna") != table_address(NAME)


def test_table_address__is_where_the_factory_deploys(anvil: Anvil, creation_code: bytes) -> None:
    assert anvil.rpc("eth_getCode", FACTORY, "latest") == f"0x{FACTORY_CODE.hex()}"
    assert anvil.rpc("eth_getCode", table_address(NAME), "latest") == "0x"
    by_hand(anvil, NAME, creation_code)
    assert anvil.rpc("eth_getCode", table_address(NAME), "latest") == f"0x{runtime_code().hex()}"


# -- deploy -------------------------------------------------------------------------------


def test_deploy_with_a_name__goes_through_the_factory(command: Command, anvil: Anvil) -> None:
    done = command("deploy", "--network", anvil.url, *UNASKED, "--name", "Anna-and-Ben", "--json")
    assert done.code == 0, done.err
    output = json.loads(done.out)
    assert (output["name"], output["address"], output["proved"]) == (NAME, table_address(NAME), True)
    receipt = anvil.rpc("eth_getTransactionReceipt", output["transaction"])
    assert (receipt["to"], receipt["contractAddress"]) == (FACTORY.lower(), None)
    # The last table deployed from here is found without its name.
    assert f"Table {table_address(NAME)} on" in command("watch", "--network", anvil.url, "--once").out


def test_deploy_of_a_table_that_is_there__sends_nothing(command: Command, anvil: Anvil, creation_code: bytes) -> None:
    by_hand(anvil, NAME, creation_code)
    done = command("deploy", "--network", anvil.url, *UNASKED, "--name", NAME)
    assert done.code == 0, done.err
    assert f"The table {NAME} is already deployed: {table_address(NAME)} on" in done.out
    # Without an account too, and for a script.
    output = json.loads(command("deploy", "--network", anvil.url, "--name", NAME, "--json").out)
    assert output == {
        "network": "custom",
        "chainId": 31337,
        "name": NAME,
        "address": table_address(NAME),
        "proved": True,
    }
    assert anvil.height == 1
    # On the wrong chain, that is what it reports.
    done = command("deploy", "--network", anvil.url, "--name", NAME, "--expected-chain-id", "1")
    assert done.code == 4


@pytest.mark.parametrize("name", ["anna ben", "0x12"])
def test_deploy_with_what_is_no_name__is_a_usage_error(command: Command, name: str) -> None:
    done = command("deploy", "--name", name)
    assert done.code == 2
    assert f"'{name}' is not the name of a table: 1 to 32 letters a to z and digits" in done.err


# -- find it ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["play", "watch"])
def test_table_by_its_name__is_found_once_it_is_deployed(
    command: Command, anvil: Anvil, creation_code: bytes, name: str
) -> None:
    args = (name, "--network", anvil.url, "--table", "Anna-and-Ben", *(["--once"] if name == "watch" else []))
    done = command(*args)
    assert done.code == 5
    assert f"The table {NAME} is not deployed yet on custom (chain 31337)" in done.err
    assert f"It will be at {table_address(NAME)}" in done.err
    assert f"`ape run deploy --name {NAME} --account ALIAS`" in done.err
    by_hand(anvil, NAME, creation_code)
    done = command(*args)
    assert done.code == 0, done.err
    assert f"Table {table_address(NAME)} on" in done.out


@pytest.mark.parametrize(
    ("where", "sentence"),
    [("anna ben", "'anna ben' is not the name of a table"), ("0x12", "'0x12' is not an address")],
)
def test_table_neither_name_nor_address__is_a_usage_error(command: Command, where: str, sentence: str) -> None:
    for name in ("play", "watch"):
        done = command(name, "--table", where)
        assert done.code == 2
        assert sentence in done.err


# -- chains without the factory -----------------------------------------------------------


@pytest.mark.parametrize("code", ["0x", "0x6001"], ids=["no code", "other code"])
def test_factory_not_on_this_chain__is_a_sentence(command: Command, anvil: Anvil, code: str) -> None:
    anvil.rpc("anvil_setCode", FACTORY, code)
    for args in (("deploy", *UNASKED, "--name", NAME), ("play", "--table", NAME)):
        done = command(*args, "--network", anvil.url)
        assert (done.code, anvil.height) == (5, 0)
        assert "There are no names on this network (custom, chain 31337)" in done.err
        assert "Deploy a table without --name" in done.err


def test_factory_not_on_the_embedded_chain__is_a_sentence(command: Command) -> None:
    for args in (("deploy", "--name", NAME), ("play", "--table", NAME)):
        done = command(*args)
        assert done.code == 5
        assert "There are no names on this network (local, chain 1337)" in done.err
        assert "Choose a network with --network" in done.err
