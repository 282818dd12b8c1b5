"""`ape run deploy`: estimates, and what it says and remembers of a table. `failures.txt` has its questions."""

import json
import re

from tests.support.local_table import FIRST_TABLE
from tests.support.roles import Role
from tests.terminal.world import AT, UNASKED, Keyfile

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
    assert chain.run(f"{DEPLOYS} --dry-run").out.splitlines() == [
        "A table on custom (chain 31337), paid by 0xf39F…2266:",
        f"address  {FIRST_TABLE}",
        f"gas      {gas:,}",
        "fee      1.674 gwei",
        f"cost     {cost} ETH, at most {most} ETH",
    ]
    done = chain.run(f"{DEPLOYS} --dry-run --json")
    plan = {"network": "custom", "chainId": 31337, "deployer": Role.DEPLOYER.address, "dryRun": True, "gas": gas}
    amounts = {"fee": GWEI + tip, "cost": costs[0], "mostCost": costs[1], "balance": 10_000 * 10**18}
    assert (json.loads(done.out), done.err) == (plan | {name: str(wei) for name, wei in amounts.items()}, "")
    assert chain.node.sent == []
    report = json.loads(chain.run(f"{UNASKED} --json").out)
    assert report["gas"] <= gas <= report["gas"] * 1.05


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
