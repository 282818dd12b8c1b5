"""What `deploy` does: estimate, ask, send, wait, check, report."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import ape
import click
from rich.console import Console

from tictactoe import errors, sourcify
from tictactoe.addresses import checked_address
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.sending import Sender
from tictactoe.spending import Limits
from tictactoe.table import Table, deploy_prepared, named_table, prepare_deployment
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.consent import Consent, answer
from tictactoe.terminal.console import console
from tictactoe.terminal.explorer import explorer_link, find_explorer
from tictactoe.terminal.invitation import invitation, network_option, page_query, play_command
from tictactoe.terminal.signals import accounting
from tictactoe.terminal.status import status_for
from tictactoe.tracking import Sent

if TYPE_CHECKING:
    from ape.api.accounts import AccountAPI
    from eth_typing import ChecksumAddress


PUBLISHERS = ("sourcify", "etherscan")


@dataclass(frozen=True)
class DeployOptions:
    name: str | None
    dry_run: bool
    yes: bool
    limits: Limits
    confirmations: int | None  # None: the network's own number
    patience: float
    publish: str | None  # one of PUBLISHERS
    as_json: bool


@dataclass(frozen=True)
class Outcome:
    sent: Sent | None
    proved: bool
    error: BaseException | None


def deploy_table(account: AccountAPI | None, options: DeployOptions) -> None:
    """Deploy a table, as the options ask for."""
    node = Node()
    screen = console(stderr=options.as_json)
    if node.embedded:
        screen.print(output_text.ENDS_WITH_THE_PROGRAM, style="yellow", soft_wrap=True)
    _check_chain(node, options)
    if options.name is not None and (table := named_table(options.name, node)) is not None:
        _report_deployed(table, account, options, screen)
        return
    account = _check_account(node, account, options)
    sender = Sender(node, patience=options.patience, limits=options.limits)
    prepared = prepare_deployment(account, sender, options.name)
    facts = _facts(prepared, node, options.name)
    if options.dry_run:
        _print_plan(prepared, node, options.name, screen)
        if prepared.balance < prepared.max_cost:
            short = errors.InsufficientFunds(account.address, prepared.balance, node, prepared.label, prepared.max_cost)
            screen.print(short.message, soft_wrap=True)
        if options.as_json:
            _print_json(facts | _estimate(prepared))
        return
    asks = not options.yes and not node.embedded
    if asks:
        options.limits.check(node, prepared)
        _print_plan(prepared, node, options.name, screen)
    sender.agree = _agreement(node, screen, asks, options.as_json)

    confirmations = node.confirmations(options.confirmations)
    outcome = _attempt(prepared, sender, confirmations, screen)
    with accounting(sender):
        _report(outcome, facts | {"confirmations": confirmations}, node, screen, options.as_json)
        if outcome.error is not None:
            raise outcome.error
        if options.publish and outcome.sent is not None:
            _publish(node, outcome.sent.contract, outcome.sent.hash, options, screen)
        if not options.as_json:
            _print_next(options.name or prepared.contract, account, node, screen)


def _check_chain(node: Node, options: DeployOptions) -> None:
    """What can be refused before anything is spent."""
    options.limits.check_chain(node)
    if options.publish and node.embedded:
        raise errors.NothingToPublish()
    if options.publish == "etherscan" and find_explorer(node) is None:
        raise errors.NoExplorer(node.name)


def _check_account(node: Node, account: AccountAPI | None, options: DeployOptions) -> AccountAPI:
    """The account that pays."""
    if account is None and not node.embedded:
        raise errors.AccountMissing()
    if options.yes and options.limits.chain_id is None and not node.embedded:
        raise errors.WrongOptions(errors.CHAIN_ID_MISSING)
    return account or ape.accounts.test_accounts[0]


def _agreement(
    node: Node, screen: Console, asks: bool, as_json: bool
) -> Callable[[Prepared, list[errors.NeedsConsent]], bool]:
    """Asks once, below the plan; then the passphrase."""
    consent = Consent(
        node,
        lambda line: screen.print(line, style="yellow", soft_wrap=True),
        lambda _: _agreed(as_json),
        person=asks and sys.stdin.isatty() and screen.is_terminal,
        always=asks,
    )

    def agree(prepared: Prepared, concerns: list[errors.NeedsConsent]) -> bool:
        if not consent(prepared, concerns):
            raise errors.Declined()
        unlock(prepared.account)
        return True

    return agree


def _agreed(as_json: bool) -> bool:
    agreed = answer(output_text.DEPLOY, err=as_json)
    if agreed is None:
        raise errors.WrongOptions(errors.NO_ANSWER)
    return agreed


def _attempt(prepared: Prepared, sender: Sender, confirmations: int, screen: Console) -> Outcome:
    """Whatever happens, the outcome has the transaction: it may have been paid for."""
    status = status_for(screen, sender.node)
    sender.show = status.show
    error: BaseException | None = None
    try:
        with accounting(sender):
            try:
                deploy_prepared(prepared, sender, confirmations)
            finally:
                status.close()
    except Exception as err:  # noqa: BLE001 - raised again after the report
        error = err
    proved = error is None or isinstance(error, errors.NotRemembered)
    return Outcome(sender.sent[-1] if sender.sent else None, proved, error)


def _publish(node: Node, address: str, transaction: str, options: DeployOptions, screen: Console) -> None:
    if options.publish == "sourcify":
        sourcify.verify(node.chain_id, checked_address(address), transaction, options.patience)
    else:
        _publish_at_explorer(node, checked_address(address))
    screen.print(output_text.VERIFIED)


def _publish_at_explorer(node: Node, address: ChecksumAddress) -> None:
    explorer = find_explorer(node)
    if explorer is None:
        raise errors.NoExplorer(node.name)
    try:
        explorer.publish_contract(address)
    except Exception as err:
        # Plugins raise all kinds of exceptions.
        raise errors.NotVerified(err) from err


# -- reports -----------------------------------------------------------------------


def _print_plan(prepared: Prepared, node: Node, name: str | None, screen: Console) -> None:
    for line in output_text.plan(prepared, node, name):
        screen.print(line, soft_wrap=True)


def _print_next(table: str, account: AccountAPI, node: Node, screen: Console) -> None:
    """What to paste, for this player and for a friend."""
    if node.embedded:
        return
    network = network_option(node)
    lines = output_text.next_steps(
        play_command(network, table, account=str(account.alias), invite=""),
        invitation(network, table, account.address),
        page_query(node, table, account.address),
    )
    for line in lines:
        screen.print(line, soft_wrap=True)


def _report_deployed(table: Table, account: AccountAPI | None, options: DeployOptions, screen: Console) -> None:
    """The table with this name exists. Its code was compared, so it does not matter who deployed it."""
    node = table.node
    if options.as_json:
        facts: dict[str, object] = {"network": node.name, "chainId": node.chain_id}
        _print_json(facts | {"name": options.name, "address": table.address, "proved": True})
    else:
        screen.print(output_text.deployed_already(str(options.name), table.address, node), soft_wrap=True)
    if options.publish:
        _publish(node, table.address, "", options, screen)
    if account is not None and not options.as_json:
        _print_next(str(options.name), account, node, screen)


def _report(outcome: Outcome, facts: dict[str, object], node: Node, screen: Console, as_json: bool) -> None:
    """For a script also the table that is not proved or not mined: it must be able to find what it paid for."""
    sent = outcome.sent
    if sent is None or not sent.under_way:
        return
    if as_json:
        table = {"address": sent.contract, "transaction": sent.hash, "block": sent.block, "gas": sent.gas}
        _print_json(facts | table | {"cost": str(sent.cost), "proved": outcome.proved})
    elif outcome.proved:
        for number, line in enumerate(output_text.deployed(sent.contract)):
            screen.print(line, style="" if number else "bold", soft_wrap=True)
        if link := explorer_link(node, "address", sent.contract):
            screen.print(link, style="dim", soft_wrap=True)


def _facts(prepared: Prepared, node: Node, name: str | None) -> dict[str, object]:
    named = {} if name is None else {"name": name}
    return {"network": node.name, "chainId": node.chain_id, "deployer": prepared.account.address, **named}


def _estimate(prepared: Prepared) -> dict[str, object]:
    return {
        "dryRun": True,
        "gas": prepared.gas,
        "fee": str(prepared.price),
        "cost": str(prepared.cost),
        "mostCost": str(prepared.max_cost),
        "balance": str(prepared.balance),
    }


def _print_json(fields: dict[str, object]) -> None:
    click.echo(json.dumps(fields))
