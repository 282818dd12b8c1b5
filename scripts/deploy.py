"""`ape run deploy`: put a new table on a chain, and prove that it is there."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click
from ape.cli import account_option, network_option

from scripts._command import TableCommand, unlock

if TYPE_CHECKING:
    from scripts._chain import Node
    from scripts._transactions import Prepared, Sender, Sent


def deploy(
    deployer: Any, sender: Sender | None = None, confirmations: int = 0, prepared: Prepared | None = None
) -> Any:
    """Deploy the contract from an account and return it. The tests and the command both come through here."""
    from ape import chain, networks, project

    from scripts._chain import CONTRACT, Node
    from scripts._faults import Failure
    from scripts._transactions import Sender

    sender = sender or Sender(Node(networks.active_provider), lambda _sent, _waited: None)
    sent = sender.send_prepared(deployer, prepared or sender.prepare(deployer, "table", deployment_data()))
    # ape's own memory of deployments: on disk for live networks, for this process on a local one. It is paid for,
    # so it is remembered before anything else can fail; who looks for a table there checks its code.
    chain.contracts.deployments.cache_deployment(sent.contract, CONTRACT, transaction_hash=sent.hash)
    try:
        if confirmations:
            sender.confirm(sent, confirmations)
        prove(sender.node, sent)
    except Failure as failure:
        failure.message += f" {_look_first(sent.contract)}"
        raise
    return getattr(project, CONTRACT).at(sent.contract, txn_hash=sent.hash, fetch_from_explorer=False)


def _look_first(address: str) -> str:
    return f"The table's address is {address}: look there before you deploy another (`ape run watch` knows it)."


def deployment_data() -> bytes:
    """The data of the transaction that creates a table. The contract's constructor takes nothing.

    The compiler appends metadata: a hash of the source, the sizes of the parts, its version, and in the last two bytes
    the length of all that. It is left out (as by `vyper --no-bytecode-metadata`), so that a changed comment changes no
    byte, and no address that is derived from these bytes.
    """
    from scripts._chain import contract_type

    code = bytes.fromhex(contract_type().deployment_bytecode.bytecode.removeprefix("0x"))
    return code[: -int.from_bytes(code[-2:], "big")]


def prove(node: Node, sent: Sent) -> None:
    """The code on chain is the compiled runtime code, and the table answers that no game was played yet."""
    from scripts._chain import Table
    from scripts._faults import NoTable
    from scripts._game import Game

    table = Table(node, sent.contract)
    table.check()
    # As of its own block: after the confirmations somebody may well be playing.
    if table.state(sent.block) != Game():
        raise NoTable(f"The table at {table.address} does not answer as a new one should. Do not use it.")


def _ready_to_publish(node: Node) -> Any:
    """The explorer's plugin. Asked before anything is spent."""
    from scripts._faults import ExplorerFailure

    if node.explorer is None:
        raise ExplorerFailure(
            f"--publish needs ape's explorer plugin, and an explorer that answers and knows {node.name}. Install it "
            "with `uv sync --extra verify`, set ETHERSCAN_API_KEY, and try again. Nothing was sent."
        )
    return node.explorer


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@click.option("--dry-run", is_flag=True, help="Estimate gas, fee and cost; send nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before spending; needs --expected-chain-id.")
@click.option("--expected-chain-id", type=int, metavar="ID", help="Refuse every other chain.")
@click.option("--confirmations", type=click.IntRange(0), help="Blocks to wait for. Default: the network's.")
@click.option("--patience", type=click.FloatRange(1), default=600.0, show_default=True, help="Seconds to wait.")
@click.option("--publish", is_flag=True, help="Verify the source at the network's explorer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cli(
    account: Any,
    dry_run: bool,
    yes: bool,
    expected_chain_id: int | None,
    confirmations: int | None,
    patience: float,
    publish: bool,
    as_json: bool,
) -> None:
    """Deploy a new table, where a game can be played."""
    from ape import accounts, networks

    from scripts._chain import Node, check_chain
    from scripts._faults import AccountFailure, Interrupted
    from scripts._transactions import Sender
    from scripts._view import Stages, console, what_was_sent

    node = Node(networks.active_provider)
    check_chain(node, expected_chain_id)
    if account is None:
        if not node.embedded:
            raise AccountFailure("Who deploys? Say --account ALIAS; `ape accounts list` shows the accounts there are.")
        account = accounts.test_accounts[0]
    if yes and expected_chain_id is None and not node.embedded:
        raise click.UsageError("--yes spends without asking: say on which chain with --expected-chain-id.")
    explorer = _ready_to_publish(node) if publish else None
    if confirmations is None:
        confirmations = 0 if node.embedded else int(node.provider.network.required_confirmations)

    screen = console(stderr=as_json)
    stages = Stages(screen, node)
    sender = Sender(node, stages.show, patience=patience)
    prepared = sender.prepare(account, "table", deployment_data())
    where = {"network": node.name, "chainId": node.chain_id, "deployer": account.address}
    if dry_run:
        _tell_plan(screen, node, prepared, account)
        if as_json:
            plan = {"dryRun": True, "gas": prepared.gas, "fee": str(prepared.fee), "cost": str(prepared.cost)}
            click.echo(json.dumps(where | plan | {"mostCost": str(prepared.most)}))
        return
    if not yes and not node.embedded:
        _tell_plan(screen, node, prepared, account)
        if not _agreed("Deploy?", err=as_json):
            raise AccountFailure("You declined. Nothing was sent.")
    unlock(account)

    proved = False
    try:
        deploy(account, sender, confirmations, prepared)
        proved = True
        stages.close()
        (sent,) = sender.sent
        if not as_json:
            _tell_table(screen, node, sent)
        if explorer is not None:
            _publish(explorer, sent.contract)
            screen.print("verified     the explorer shows the source")
    except KeyboardInterrupt:
        paid = [_look_first(sent.contract) for sent in sender.sent if sent.contract]
        raise Interrupted(" ".join([what_was_sent(sender.sent), *paid])) from None
    finally:
        stages.close()
        if as_json:
            for sent in sender.sent:
                _tell_json(sent, where | {"confirmations": confirmations, "proved": proved})


def _agreed(question: str, err: bool) -> bool:
    click.echo(f"{question} [y/N]: ", nl=False, err=err)
    answer = sys.stdin.readline()
    if not answer:
        raise click.UsageError(
            "Nobody answered, so nothing was sent. Where nobody can, say --yes and --expected-chain-id ID."
        )
    return answer.strip().lower() in ("y", "yes")


def _publish(explorer: Any, address: str) -> None:
    from scripts._faults import ExplorerFailure, clean

    try:
        explorer.publish_contract(address)
    except Exception as err:
        # The plugin raises what it likes; the table stands all the same.
        raise ExplorerFailure(
            f"The table stands, but the explorer did not verify it: {clean(err)}. "
            "docs/terminal.md says how to do it by hand."
        ) from err


def _tell_plan(screen: Any, node: Node, prepared: Prepared, account: Any) -> None:
    from scripts._chain import ether

    screen.print(f"A table on {node.name} (chain {node.chain_id}), paid by {account.address}:", soft_wrap=True)
    screen.print(f"gas   {prepared.gas:,}")
    screen.print(f"fee   {prepared.fee / 10**9:.9g} gwei")
    screen.print(f"cost  {ether(prepared.cost, node)}, at most {ether(prepared.most, node)}")


def _tell_table(screen: Any, node: Node, sent: Sent) -> None:
    from scripts._chain import ether

    screen.print(f"table        {sent.contract}", style="bold", soft_wrap=True)
    screen.print(f"transaction  {sent.hash}", soft_wrap=True)
    screen.print(f"block        {sent.block}, on {node.name} (chain {node.chain_id})")
    screen.print(f"gas          {sent.gas:,}")
    screen.print(f"cost         {ether(sent.fee, node)}")
    screen.print("proved       the code on chain is the compiled code, and gameState() answers")
    if link := node.explorer_link("address", sent.contract):
        screen.print(link, style="dim", soft_wrap=True)


def _tell_json(sent: Sent, facts: dict[str, Any]) -> None:
    """Also of one that stands but is not proved: a script must be able to find what it paid for."""
    if sent.contract:
        told = {"address": sent.contract, "transaction": sent.hash, "block": sent.block, "gas": sent.gas}
        click.echo(json.dumps(facts | told | {"cost": str(sent.fee)}))
