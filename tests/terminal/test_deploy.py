"""`ape run deploy`: when it remembers a table. `failures.txt` has what it shows and asks."""

import re

from tests.support.local_table import FIRST_TABLE
from tests.terminal.world import AT, UNASKED

DEPLOYS = "deploy --network $node --account TEST::0"


def test_table__is_remembered_from_before_it_is_mined(empty_chain):
    """It is found without its address, and named before another one is deployed."""
    chain = empty_chain

    def known(state):
        named = (
            f"You have a table on this chain already: {FIRST_TABLE}{state}. To play there, run:\n  uv run ape run play"
        )
        assert named in chain.run(DEPLOYS, "n\n").out.partition("Deploy?")[0]

    chain.mine_by_hand()
    with chain.type(f"{UNASKED} --confirmations 2", columns=100) as deploy:
        deploy.sees("table: sent 0x")
        known(f", whose transaction {chain.node.sent[0]} is not mined yet")
        for followed in range(2):
            chain.mine()
            deploy.sees(f"table: mined in block 1, {followed} of 2 confirmations")
        chain.mine()
        assert deploy.end().code == 0
        assert "of 2 confirmations" not in deploy.text
        assert re.search(r"mined in block 1, for 0\.00\d+ ETH", deploy.text)
    known("")
    for typed in (f"play {AT}", f"watch {AT} --once"):
        assert f"Table {FIRST_TABLE} on" in chain.run(typed.replace(f" --table {FIRST_TABLE}", "")).out
