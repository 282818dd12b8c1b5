"""`ape run deploy`: deploy a new table and check that it is there."""

from __future__ import annotations

import json

import ape
import click
from ape.api.accounts import AccountAPI
from ape.cli import account_option, network_option

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.table import deploy_prepared, prepare_deployment
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import no_account, unlock
from tictactoe.terminal.adapter import showing
from tictactoe.terminal.chains import CHAINS
from tictactoe.terminal.command import TableCommand
from tictactoe.terminal.front_end import say_concerns
from tictactoe.terminal.invitation import network_option as network_of
from tictactoe.terminal.invitation import page_query, play_command
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.one_move import receipt_fields
from tictactoe.terminal.options import paying_options
from tictactoe.terminal.signals import reporting_what_was_sent
from tictactoe.transactions import Limits, Transaction, agreed


@click.command(cls=TableCommand)
@network_option()
@account_option("--account", "account", prompt=None)
@click.option("--dry-run", is_flag=True, help="Estimate gas, fee and cost; send nothing.")
@click.option(
    "--yes", "-y", is_flag=True, help="Do not ask before spending. A bare URL needs --expected-chain-id, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@paying_options(patience=600.0)
def cli(
    account: AccountAPI | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    limits: Limits,
    confirmations: int | None,
    patience: float,
) -> None:
    """Deploy a new table: a contract at which two people can play."""
    node = Node()
    lines = Lines(node, stderr=as_json)
    if node.embedded:
        lines.say(output_text.ENDS_WITH_THE_PROGRAM, "yellow")
    limits.check_chain(node)
    if account is None and not node.embedded:
        raise no_account()
    account = account or ape.accounts.test_accounts[0]
    asks = not (yes or node.embedded)
    if yes and limits.chain_id is None and not (node.embedded or node.chosen_by_name):
        raise errors.UsageError("--yes spends without asking, so name the chain with --expected-chain-id ID.")

    # `account.deploy(project.TicTacToe)` would send the same bytes. But it signs whatever fee the node asks for,
    # replaces a payment of yours that still waits, and forgets what it sent when it is stopped. In tests that is fine;
    # where coins have a price, look at the cost first, and keep the table's address.
    prepared = prepare_deployment(account, node, limits)
    if dry_run:
        report_plan(lines, prepared, as_json)
        return
    get_consent(lines, prepared, asks)
    unlock(account)
    lines.progress(prepared, 0)
    confirmations = node.confirmations(confirmations)
    with reporting_what_was_sent(node):
        try:
            deploy_prepared(prepared, showing(lines.progress), confirmations=confirmations, patience=patience)
        finally:
            if prepared.block is not None:
                lines.progress(prepared, 0)
            lines.end_line()
            if as_json and prepared.under_way:
                # Whatever is raised meanwhile: the table may have been paid for.
                report = {"address": prepared.contract, "transaction": prepared.hash} | receipt_fields(prepared)
                print_json(prepared, report | {"confirmations": confirmations, "proved": prepared.proved})
        lines.say(output_text.DEPLOYED.format(address=prepared.contract), "bold")
        lines.say(output_text.CHECKED)
        if chain := CHAINS.get(node.chain_id):
            lines.say(f"{chain.explorer}/address/{prepared.contract}", "dim")
        if not node.embedded and not as_json:
            say_next_steps(lines, prepared)


def get_consent(lines: Lines, prepared: Transaction, asks: bool) -> None:
    """Raises unless it may be signed."""
    if prepared.refusal is not None:
        raise prepared.refusal
    if not asks:
        agreed(prepared)
        return
    lines.page(output_text.plan(prepared))
    say_concerns(lines, prepared)
    answer = lines.ask(output_text.DEPLOY)
    if answer is None:
        advice = "In a script, use --yes and --expected-chain-id ID."
        raise errors.UsageError("There was no answer, so nothing was sent.", advice)
    if not answer:
        raise errors.AccountError(f"You declined to sign {prepared.label}. Nothing was sent.")


def report_plan(lines: Lines, prepared: Transaction, as_json: bool) -> None:
    """What `--dry-run` prints."""
    lines.page(output_text.plan(prepared))
    if prepared.refusal is not None:
        lines.say(prepared.refusal.message)
    if as_json:
        wei = {"fee": prepared.price, "cost": prepared.cost, "mostCost": prepared.max_cost, "balance": prepared.balance}
        facts: dict[str, object] = {"dryRun": True, "gas": prepared.gas}
        print_json(prepared, facts | {name: str(amount) for name, amount in wei.items()})


def print_json(prepared: Transaction, facts: dict[str, object]) -> None:
    node = prepared.node
    click.echo(json.dumps({"network": node.name, "chainId": node.chain_id, "deployer": prepared.address} | facts))


def say_next_steps(lines: Lines, prepared: Transaction) -> None:
    """What to paste, for this player and for a friend."""
    node, me = prepared.node, prepared.address
    network = network_of(node)
    mine = play_command(network, prepared.contract, account=str(prepared.account.alias), invite="")
    friend = play_command(network, prepared.contract, against=me)
    lines.page(output_text.next_steps(mine, friend, page_query(node, prepared.contract, me)))
