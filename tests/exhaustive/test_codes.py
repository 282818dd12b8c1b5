"""A player's code: none, or a delegation under EIP-7702. No transaction deploys code that begins with 0xef."""

import pytest

from tests.proof.halmos import HARNESS
from tests.rules.model import Model, Refused
from tests.rules.positions import new_game, outcome

# The proofs are about every player but this one: see Proof.sol.
PLAYER, OTHER = HARNESS, 0x57A6

PEOPLE = {
    "no code": "",
    "a delegation": "ef0100" + "11" * 20,
    "a delegation to nothing": "ef0100" + "00" * 20,
}
CONTRACTS = {
    "one byte": "00",
    "a byte less than a delegation": "ef0100" + "11" * 19,
    "a byte more": "ef0100" + "11" * 21,
    "twice the size": "ef0100" + "11" * 43,
    "the first bytes alone": "ef0100",
    "half the first bytes": "ef01",
    "as long as a delegation": "00" * 23,
    "the first bytes in another place": "00ef0100" + "11" * 19,
    "another first byte": "ee0100" + "11" * 20,
    "another second byte": "ef0000" + "11" * 20,
    "another third byte": "ef0101" + "11" * 20,
}


@pytest.mark.parametrize("name", [*PEOPLE, *CONTRACTS])
@pytest.mark.parametrize("players", [(PLAYER, OTHER), (OTHER, PLAYER), (PLAYER, PLAYER)], ids=["X", "O", "both"])
def test_player__is_judged_by_the_code(new_table, players, name):
    table = new_table()
    table.set_code(PLAYER, bytes.fromhex((PEOPLE | CONTRACTS)[name]))
    message, after = new_game(Model(), OTHER, *players)
    if name in CONTRACTS:
        after = Refused("player is a contract")
    assert table.outcome(message) == outcome(Model(), after)
