"""What `deploy` does: estimate, ask, send, wait, check, report."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ape
import click
from rich.console import Console

from tictactoe import errors
from tictactoe.formatting import ether
from tictactoe.node import Node
from tictactoe.sending import Prepared, Sender, Sent
from tictactoe.table import checked_address, creation_code, deploy
from tictactoe.terminal.command import unlock
from tictactoe.terminal.console import console
from tictactoe.terminal.explorer import explorer_link, find_explorer
from tictactoe.terminal.status import Stages
from tictactoe.terminal.text import what_was_sent

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from ape.api.explorers import ExplorerAPI


@dataclass(frozen=True)
class Options:
    dry_run: bool
    yes: bool
    expected_chain_id: int | None
    confirmations: int | None
    patience: float
    publish: bool
    as_json: bool


def deploy_table(account: AccountAPI | None, options: Options) -> None:
    node = Node()
    if options.expected_chain_id not in (None, node.chain_id):
        raise errors.UnexpectedChain(node.chain_id, options.expected_chain_id)
    if account is None:
        if not node.embedded:
            raise errors.AccountMissing()
        account = ape.accounts.test_accounts[0]
    if options.yes and options.expected_chain_id is None and not node.embedded:
        raise errors.ChainIdMissing()
    explorer = _ready_to_publish(node) if options.publish else None
    confirmations = node.confirmations if options.confirmations is None else options.confirmations

    screen = console(stderr=options.as_json)
    stages = Stages(screen, node)
    sender = Sender(node, stages.show, patience=options.patience)
    prepared = sender.prepare(account, "table", creation_code())
    where = {"network": node.name, "chainId": node.chain_id, "deployer": account.address}
    if options.dry_run:
        _tell_plan(screen, node, prepared, account)
        if options.as_json:
            plan = {"dryRun": True, "gas": prepared.gas, "fee": str(prepared.fee), "cost": str(prepared.cost)}
            click.echo(json.dumps(where | plan | {"mostCost": str(prepared.most)}))
        return
    if not options.yes and not node.embedded:
        _tell_plan(screen, node, prepared, account)
        if not _agreed("Deploy?", err=options.as_json):
            raise errors.Declined()
    unlock(account)

    proved = False
    try:
        deploy(account, sender, confirmations, prepared)
        proved = True
        stages.close()
        (sent,) = sender.sent
        if not options.as_json:
            _tell_table(screen, node, sent)
        if explorer is not None:
            _publish(explorer, sent.contract)
            screen.print("verified     the explorer shows the source")
    except KeyboardInterrupt:
        paid = [errors.look_first(sent.contract) for sent in sender.sent if sent.contract]
        raise errors.Interrupted(" ".join([what_was_sent(sender.sent), *paid])) from None
    finally:
        stages.close()
        if options.as_json:
            for sent in sender.sent:
                _tell_json(sent, where | {"confirmations": confirmations, "proved": proved})


def _agreed(question: str, err: bool) -> bool:
    click.echo(f"{question} [y/N]: ", nl=False, err=err)
    answer = sys.stdin.readline()
    if not answer:
        raise errors.NoAnswer()
    return answer.strip().lower() in ("y", "yes")


def _publish(explorer: ExplorerAPI, address: str) -> None:
    try:
        explorer.publish_contract(checked_address(address))
    except Exception as err:
        # The plugin raises what it likes; the table stands all the same.
        raise errors.NotVerified(err) from err


def _tell_plan(screen: Console, node: Node, prepared: Prepared, account: AccountAPI) -> None:
    screen.print(f"A table on {node.name} (chain {node.chain_id}), paid by {account.address}:", soft_wrap=True)
    screen.print(f"gas   {prepared.gas:,}")
    screen.print(f"fee   {prepared.fee / 10**9:.9g} gwei")
    screen.print(f"cost  {ether(prepared.cost, node.symbol)}, at most {ether(prepared.most, node.symbol)}")


def _tell_table(screen: Console, node: Node, sent: Sent) -> None:
    screen.print(f"table        {sent.contract}", style="bold", soft_wrap=True)
    screen.print(f"transaction  {sent.hash}", soft_wrap=True)
    screen.print(f"block        {sent.block}, on {node.name} (chain {node.chain_id})")
    screen.print(f"gas          {sent.gas:,}")
    screen.print(f"cost         {ether(sent.fee, node.symbol)}")
    screen.print("proved       the code on chain is the compiled code, and gameState() answers")
    if link := explorer_link(node, "address", sent.contract):
        screen.print(link, style="dim", soft_wrap=True)


def _tell_json(sent: Sent, facts: dict[str, Any]) -> None:
    """Also of one that stands but is not proved: a script must be able to find what it paid for."""
    if sent.contract:
        fields = {"address": sent.contract, "transaction": sent.hash, "block": sent.block, "gas": sent.gas}
        click.echo(json.dumps(facts | fields | {"cost": str(sent.fee)}))


def _ready_to_publish(node: Node) -> ExplorerAPI:
    """Checked before anything is spent."""
    explorer = find_explorer(node)
    if explorer is None:
        raise errors.NoExplorer(node.name)
    return explorer
