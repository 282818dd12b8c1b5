"""What `deploy` does: estimate, ask, send, wait, check, report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import ape
import click
from ape.api.accounts import AccountAPI

from tictactoe import errors
from tictactoe.node import Node
from tictactoe.preparing import Prepared
from tictactoe.sending import Sender
from tictactoe.spending import Limits
from tictactoe.table import deploy_prepared, prepare_deployment
from tictactoe.terminal import output_text
from tictactoe.terminal.accounts import unlock
from tictactoe.terminal.chains import CHAINS
from tictactoe.terminal.front_end import say_concerns
from tictactoe.terminal.invitation import network_option, page_query, play_command
from tictactoe.terminal.lines import Lines
from tictactoe.terminal.signals import reporting_what_was_sent


@dataclass(frozen=True)
class DeployOptions:
    account: AccountAPI | None
    dry_run: bool
    yes: bool
    limits: Limits
    confirmations: int | None  # None: the network's own number
    patience: float
    as_json: bool


class Deployment:
    """What one `deploy` does. `run` is all of it."""

    def __init__(self, options: DeployOptions) -> None:
        self.options = options
        self.node = Node()
        self.lines = Lines(self.node, stderr=options.as_json)
        self.asks = not options.yes and not self.node.embedded
        self.facts: dict[str, object] = {"network": self.node.name, "chainId": self.node.chain_id}

    def run(self) -> None:
        options, node = self.options, self.node
        if node.embedded:
            self.lines.say(output_text.ENDS_WITH_THE_PROGRAM, "yellow")
        options.limits.check_chain(node)
        account = self._check_account()
        sender = Sender(node, self.lines.progress, options.patience, limits=options.limits)
        prepared = prepare_deployment(account, sender)
        self.facts["deployer"] = account.address
        if options.dry_run:
            self._report_plan(prepared)
            return
        if self.asks:
            options.limits.check(node, prepared)
            self._say_plan(prepared)
        sender.agree = self._agree
        with reporting_what_was_sent(sender):
            self._send(prepared, sender)
            self._say_next_steps(prepared.contract, account)

    # -- before anything is sent -------------------------------------------------------

    def _check_account(self) -> AccountAPI:
        """The account that pays."""
        options = self.options
        if options.account is None and not self.node.embedded:
            raise errors.AccountMissing()
        if options.yes and options.limits.chain_id is None and not self.node.embedded:
            raise errors.WrongOptions(errors.CHAIN_ID_MISSING)
        return options.account or ape.accounts.test_accounts[0]

    def _agree(self, prepared: Prepared, concerns: Sequence[errors.NeedsConsent]) -> bool:
        """The question comes below the plan, and the passphrase after a yes."""
        if self.asks:
            say_concerns(self.lines, concerns)
            answer = self.lines.ask(output_text.DEPLOY)
            if answer is None:
                raise errors.WrongOptions(errors.NO_ANSWER)
            if not answer:
                return False
        elif concerns:
            raise concerns[0]
        unlock(prepared.account)
        return True

    # -- sending -----------------------------------------------------------------------

    def _send(self, prepared: Prepared, sender: Sender) -> None:
        """Whatever happens, a script gets the address: the table may have been paid for."""
        proved, confirmations = False, self.node.confirmations(self.options.confirmations)
        try:
            deploy_prepared(prepared, sender, confirmations)
            proved = True
        except errors.NotRemembered:
            proved = True
            raise
        finally:
            self.lines.end_line()
            if self.options.as_json and sender.sent and sender.sent[0].under_way:
                sent = sender.sent[0]
                receipt = {"transaction": sent.hash, "block": sent.block, "gas": sent.gas, "cost": str(sent.cost)}
                self._print_json(address=sent.contract, **receipt, confirmations=confirmations, proved=proved)
        self.lines.say(output_text.DEPLOYED.format(address=prepared.contract), "bold")
        self.lines.say(output_text.CHECKED)
        if chain := CHAINS.get(self.node.chain_id):
            self.lines.say(f"{chain.explorer}/address/{prepared.contract}", "dim")

    # -- reports -----------------------------------------------------------------------

    def _print_json(self, **fields: object) -> None:
        click.echo(json.dumps(self.facts | fields))

    def _say_plan(self, prepared: Prepared) -> None:
        self.lines.page(output_text.plan(prepared, self.node))

    def _report_plan(self, prepared: Prepared) -> None:
        self._say_plan(prepared)
        balance, most = prepared.balance, prepared.max_cost
        if balance < most:
            account = prepared.account.address
            self.lines.say(errors.InsufficientFunds(account, balance, self.node, prepared.label, most).message)
        if self.options.as_json:
            amounts = {"fee": prepared.price, "cost": prepared.cost, "mostCost": most, "balance": balance}
            self._print_json(dryRun=True, gas=prepared.gas, **{name: str(wei) for name, wei in amounts.items()})

    def _say_next_steps(self, table: str, account: AccountAPI) -> None:
        """What to paste, for this player and for a friend."""
        if self.node.embedded or self.options.as_json:
            return
        network = network_option(self.node)
        mine = play_command(network, table, account=str(account.alias), invite="")
        friend = play_command(network, table, against=account.address)
        self.lines.page(output_text.next_steps(mine, friend, page_query(self.node, table, account.address)))
