"""What `deploy` does: estimate, ask, send, wait, check, report."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ape
import click
from rich.console import Console

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.sending import Prepared, Sender, Sent
from tictactoe.table import checked_address, creation_code, deploy_prepared
from tictactoe.terminal import text
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.console import console
from tictactoe.terminal.explorer import explorer_link, find_explorer
from tictactoe.terminal.status import status_for

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI


@dataclass(frozen=True)
class DeployOptions:
    dry_run: bool
    yes: bool
    expected_chain_id: int | None
    confirmations: int | None  # None: the network's own number
    patience: float
    publish: bool
    as_json: bool


@dataclass(frozen=True)
class Outcome:
    sent: Sent | None
    proved: bool
    error: BaseException | None


def deploy_table(account: AccountAPI | None, options: DeployOptions) -> None:
    """Deploy a table, as the options ask for."""
    node = Node()
    account = _check(node, account, options)
    screen = console(stderr=options.as_json)
    sender = Sender(node, patience=options.patience)
    prepared = sender.prepare(account, "table", creation_code())
    if options.dry_run:
        _print_plan(prepared, node, screen)
        if options.as_json:
            _print_json(_facts(prepared, node) | _estimate(prepared))
        return
    if not options.yes and not node.embedded:
        _print_plan(prepared, node, screen)
        if not _agreed(text.DEPLOY, err=options.as_json):
            raise errors.Declined()
    unlock(account)

    confirmations = node.confirmations if options.confirmations is None else options.confirmations
    outcome = _attempt(prepared, sender, confirmations, screen)
    _report(outcome, _facts(prepared, node) | {"confirmations": confirmations}, node, screen, options.as_json)
    if outcome.error is not None:
        raise outcome.error
    if options.publish and outcome.sent is not None:
        with _stopping(sender):
            _publish(node, outcome.sent.contract)
        screen.print(text.VERIFIED)


def _check(node: Node, account: AccountAPI | None, options: DeployOptions) -> AccountAPI:
    """What can be refused before anything is spent. Returns the account that pays."""
    expected = options.expected_chain_id
    if expected is not None and expected != node.chain_id:
        raise errors.UnexpectedChain(node.chain_id, expected)
    if account is None and not node.embedded:
        raise errors.AccountMissing()
    if options.yes and expected is None and not node.embedded:
        raise errors.ChainIdMissing()
    if options.publish and find_explorer(node) is None:
        raise errors.NoExplorer(node.name)
    return account or ape.accounts.test_accounts[0]


def _agreed(question: str, err: bool) -> bool:
    click.echo(text.yes_or_no(question), nl=False, err=err)
    answer = sys.stdin.readline()
    if not answer:
        raise errors.NoAnswer()
    return answer.strip().lower() in ("y", "yes")


def _attempt(prepared: Prepared, sender: Sender, confirmations: int, screen: Console) -> Outcome:
    """Whatever happens, the outcome has the transaction: it may have been paid for."""
    status = status_for(screen, sender.node)
    sender.show = status.show
    error: BaseException | None = None
    try:
        with _stopping(sender):
            deploy_prepared(prepared, sender, confirmations)
    except Exception as err:  # noqa: BLE001 - raised again after the report
        error = err
    finally:
        status.close()
    return Outcome(sender.sent[-1] if sender.sent else None, error is None, error)


@contextmanager
def _stopping(sender: Sender) -> Iterator[None]:
    """Ctrl-C reports what was sent, and where the table is."""
    try:
        yield
    except KeyboardInterrupt:
        paid = [errors.look_first(sent.contract) for sent in sender.sent if sent.contract]
        raise errors.Interrupted(" ".join([text.what_was_sent(sender.sent), *paid])) from None


def _publish(node: Node, address: str) -> None:
    explorer = find_explorer(node)
    if explorer is None:
        raise errors.NoExplorer(node.name)
    try:
        explorer.publish_contract(checked_address(address))
    except Exception as err:
        # Plugins raise all kinds of exceptions.
        raise errors.NotVerified(err) from err


# -- reports -----------------------------------------------------------------------


def _print_plan(prepared: Prepared, node: Node, screen: Console) -> None:
    for line in text.plan(prepared, node):
        screen.print(line, soft_wrap=True)


def _report(outcome: Outcome, facts: dict[str, object], node: Node, screen: Console, as_json: bool) -> None:
    """For a script also the table that is not proved: it must be able to find what it paid for."""
    sent = outcome.sent
    if sent is None or not sent.contract:
        return
    if as_json:
        table = {"address": sent.contract, "transaction": sent.hash, "block": sent.block, "gas": sent.gas}
        _print_json(facts | table | {"cost": str(sent.fee), "proved": outcome.proved})
    elif outcome.proved:
        for number, line in enumerate(text.deployed(sent, node)):
            screen.print(line, style="" if number else "bold", soft_wrap=True)
        if link := explorer_link(node, "address", sent.contract):
            screen.print(link, style="dim", soft_wrap=True)


def _facts(prepared: Prepared, node: Node) -> dict[str, object]:
    return {"network": node.name, "chainId": node.chain_id, "deployer": prepared.account.address}


def _estimate(prepared: Prepared) -> dict[str, object]:
    return {
        "dryRun": True,
        "gas": prepared.gas,
        "fee": str(prepared.fee),
        "cost": str(prepared.cost),
        "mostCost": str(prepared.most),
    }


def _print_json(fields: dict[str, object]) -> None:
    click.echo(json.dumps(fields))
