"""`ape run deploy`: estimates, asks, waits, checks the table and remembers it."""

import json
import re

from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.terminal.world import AT, UNASKED, Keyfile, new_chain

GWEI = 10**9
DEPLOYS = "deploy --network $node --account TEST::0"


def test_dry_run__prints_what_the_deployment_will_be(empty_chain, project):
    """On a new chain, the base fee is 1 gwei and may double."""
    chain = empty_chain
    chain.node.wrong = {"eth_maxPriorityFeePerGas": hex(tip := 673_898_812)}
    data = project.TicTacToe.contract_type.deployment_bytecode.bytecode
    gas = int(chain.anvil.rpc("eth_estimateGas", {"data": data, "from": Role.DEPLOYER.address}), 16)
    costs = gas * (GWEI + tip), gas * 6 // 5 * (2 * GWEI + tip)
    cost, most = (f"{-(-wei // GWEI) / GWEI:.9f}".rstrip("0") for wei in costs)
    done = chain.run(f"{DEPLOYS} --dry-run")
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "A table on custom (chain 31337), paid by 0xf39F…2266:",
            f"address  {FIRST_TABLE}",
            f"gas      {gas:,}",
            "fee      1.674 gwei",
            f"cost     {cost} ETH, at most {most} ETH",
        ],
    )
    done = chain.run(f"{DEPLOYS} --dry-run --json")
    plan = {"network": "custom", "chainId": 31337, "deployer": Role.DEPLOYER.address, "dryRun": True, "gas": gas}
    amounts = {"fee": GWEI + tip, "cost": costs[0], "mostCost": costs[1], "balance": 10_000 * 10**18}
    assert (json.loads(done.out), done.err) == (plan | {name: str(wei) for name, wei in amounts.items()}, "")
    assert chain.node.sent == []
    report = json.loads(chain.run(f"{UNASKED} --json").out)
    assert report["gas"] <= gas <= report["gas"] * 1.05


def test_question__is_in_the_coin_of_the_chain_and_spends_after_a_yes():
    """`failures.txt` has the other answers."""
    with new_chain(80002) as chain:
        done = chain.run(f"{DEPLOYS} --confirmations 0".replace("$node", "polygon:amoy:$node"), " YES \n")
        assert (done.code, len(chain.node.sent)) == (0, 1)
    # What follows begins on a line of its own.
    assert "\nDeploy? [y/N]\ntable: sent 0x" in done.out
    assert re.findall(r"\d (ETH|POL)\b", done.out) == ["POL"] * 3


def test_after_it__the_next_commands_are_ready_to_paste(empty_chain, ape_data):
    """Quoted for a shell."""
    odd = Keyfile("$(reboot)", b"\x0c" * 32)
    odd.write(ape_data)
    empty_chain.anvil.fund(odd.address)
    done = empty_chain.run(UNASKED.replace("TEST::0", "$$(reboot)"), env=odd.unlocked)
    (ape_data / "accounts" / "$(reboot).json").unlink()
    report, _, after = done.out.partition("\n\n")
    (table,) = re.findall(r"^table        (0x\w{40})\nmined        in block 1, for 0\.00", report, re.MULTILINE)
    play = f"  uv run ape run play --network NODE-OF-CHAIN-31337 --table {table}"
    assert after.splitlines() == [
        "To play, run:",
        f"{play} --account '$(reboot)'",
        "Your friend runs, in a clone of this project:",
        f"{play} --against {odd.address}",
        "Or you both play in a browser. Put this after the address of the page:",
        f"  ?chain=31337&table={table}&with={odd.address}",
    ]


def test_chain_inside_the_program__keeps_no_table(empty_chain):
    done = empty_chain.run("deploy")
    assert done.out.startswith("This chain is inside the program and ends with it, and so does the table.")
    assert "To play" not in done.out


def test_deployed_table__is_remembered(empty_chain):
    assert empty_chain.run(UNASKED).code == 0
    for typed in ("play", "watch --once"):
        done = empty_chain.run(f"{typed} --network $node")
        assert (done.code, f"Table {FIRST_TABLE} on" in done.out) == (0, True)
    done = empty_chain.run(DEPLOYS, "n\n")
    known = f"You have a table on this chain already: {FIRST_TABLE}. To play there, run:\n  uv run ape run play --netw"
    assert 0 < done.out.index(known) < done.out.index("Deploy?")


def test_table_that_is_not_mined_yet__is_named_before_a_second_one(empty_chain):
    empty_chain.mine_by_hand()
    with empty_chain.type(UNASKED, keys="") as command:
        command.wait_for("table: sent 0x")
        command.signal()
        assert command.end().code == 130
    done = empty_chain.run(DEPLOYS, "n\n")
    state = f"{FIRST_TABLE}, whose transaction {empty_chain.node.sent[0]} is not mined yet. To play there, run:"
    assert f"You have a table on this chain already: {state}" in done.out
    empty_chain.mine()
    assert f"Table {FIRST_TABLE} on" in empty_chain.run(f"watch {AT} --once".replace(f"--table {FIRST_TABLE}", "")).out


def test_confirmations__are_counted_while_it_waits(empty_chain):
    with empty_chain.type(f"{UNASKED} --confirmations 2", columns=100) as deploy:
        for followed in range(2):
            deploy.sees(f"table: mined in block 1, {followed} of 2 confirmations")
            empty_chain.mine()
        assert deploy.end().code == 0
        assert "of 2 confirmations" not in deploy.text
        assert re.search(r"mined in block 1, for 0\.00\d+ ETH", deploy.text)
