"""`ape run deploy`: deploy a new table and check that it is there."""

from __future__ import annotations

from urllib.parse import urlencode

import ape
import click
from ape.api.accounts import AccountAPI
from ape.cli import network_option

from tictactoe import errors
from tictactoe.formatting import coins, gwei, person
from tictactoe.node import EMBEDDED, Limits
from tictactoe.table import prepare_deployment, runtime_code
from tictactoe.terminal import command
from tictactoe.terminal.screen import Screen, View
from tictactoe.transactions import Transaction

PATIENCE = 600.0  # seconds without progress after which a deployment is no longer waited for


@click.command(cls=command.TableCommand)
@network_option()
@command.account_option
@click.option("--dry-run", is_flag=True, help="Estimate gas, fee and cost; send nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before spending.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--confirmations", type=click.IntRange(0), metavar="N", help="Blocks that must follow. Default: the network's."
)
@command.limits_options
def cli(
    account: AccountAPI | None, dry_run: bool, yes: bool, as_json: bool, confirmations: int | None, limits: Limits
) -> None:
    """Deploy a new table: a contract at which two people can play."""
    node = command.connect(limits)
    if account is None and not node.embedded:
        raise errors.AccountError(command.WHO_PAYS, command.YOUR_ACCOUNTS)
    account = account or ape.accounts.test_accounts[0]
    if yes and limits.chain_id is None and not (node.embedded or node.chosen_by_name):
        raise errors.UsageError("--yes spends without asking, so name the chain with --expected-chain-id ID.")
    prepared = prepare_deployment(account, node)
    screen = Screen(View, plain=command.asks_by_itself(account), stderr=as_json)
    if dry_run and as_json:
        command.print_json(fields(prepared, dry_run))
    elif dry_run or not yes:
        say_plan(screen, prepared)
    if dry_run:
        for problem in prepared.problems:
            screen.say(str(problem))
        return
    if not (yes or node.embedded):
        with screen:
            command.consent(screen, prepared, "Deploy")
    for problem in prepared.problems:
        raise problem
    # It may ask for a passphrase, on a terminal that is as it was.
    command.unlock(account)

    # `account.deploy(project.TicTacToe)` sends the same bytes. But it signs any fee that the node names, replaces a
    # payment that waits, and forgets the hash if it is stopped: each can cost more than the table.
    depth = node.confirmations if confirmations is None else confirmations
    try:
        with screen:
            screen.send(prepared, depth, PATIENCE)
    finally:
        # A script gets the address in any case: the table may have been paid for.
        if as_json and prepared.under_way:
            command.print_json(fields(prepared, dry_run))

    say_result(screen, prepared)


def say_plan(screen: Screen, prepared: Transaction) -> None:
    node, symbol = prepared.node, prepared.node.symbol
    # Rounded to a thousandth of a gwei.
    price = round(prepared.price, -6) if prepared.price >= 10**9 else prepared.price
    if node.embedded:
        screen.say(EMBEDDED)
    screen.say(f"A table on {node.name} (chain {node.chain_id}), paid by {person(prepared.account.address)}:")
    screen.say(f"address  {prepared.contract}")
    screen.say(f"gas      {prepared.gas:,}")
    screen.say(f"fee      {gwei(price)}")
    screen.say(f"cost     {coins(prepared.cost)} {symbol}, at most {coins(prepared.max_cost)} {symbol}")
    # Name the newest table that Ape remembers. Ape gives all bare URLs one name, so some may be on other chains.
    for known in reversed(ape.project.TicTacToe.deployments):
        mined = node.code(known.address) == runtime_code()
        if mined or (known.txn_hash and node.knows(known.txn_hash)):
            state = "" if mined else f", whose transaction {known.txn_hash} is not mined yet"
            screen.say(f"You have a table on this chain already: {known.address}{state}. To play there, run:")
            line = command.play_command(node, known.address, account=str(prepared.account.alias))
            screen.say(f"  {line}", wrap=False)
            return


def say_result(screen: Screen, prepared: Transaction) -> None:
    """With what to paste, for this player and for a friend."""
    node, table = prepared.node, prepared.contract
    screen.say(f"table        {table}", "bold")
    screen.say(f"mined        in block {prepared.block}, for {coins(prepared.paid or 0)} {node.symbol}")
    screen.say("checked      the code on chain is the compiled code, and no game has been played")
    if node.chain_id in command.EXPLORERS:
        screen.say(f"{command.EXPLORERS[node.chain_id]}/address/{table}", "dim")
    if node.embedded:
        return
    screen.say("\nTo play, run:")
    screen.say(f"  {command.play_command(node, table, account=str(prepared.account.alias))}", wrap=False)
    screen.say("Your friend runs, in a clone of this project:")
    screen.say(f"  {command.play_command(node, table, against=prepared.account.address)}", wrap=False)
    screen.say("Or you both play in a browser. Put this after the address of the page:")
    # `dapp/src/link.ts` reads it.
    query = urlencode({"chain": node.chain_id, "table": table, "with": prepared.account.address})
    screen.say(f"  ?{query}", wrap=False)


def fields(prepared: Transaction, dry_run: bool) -> dict[str, object]:
    """The fields in docs/integrating.md."""
    node = prepared.node
    where = {"network": node.name, "chainId": node.chain_id, "deployer": prepared.account.address}
    if dry_run:
        wei = {"fee": prepared.price, "cost": prepared.cost, "mostCost": prepared.max_cost, "balance": prepared.balance}
        return where | {"dryRun": True, "gas": prepared.gas} | {name: str(amount) for name, amount in wei.items()}
    sent = {"address": prepared.contract, "transaction": prepared.hash} | command.receipt_json(prepared)
    return where | sent | {"confirmations": prepared.confirmations, "proved": prepared.proved}
