"""What may be signed without asking: bounds for gas, fee and cost, and the chain that is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tictactoe import errors

if TYPE_CHECKING:
    from tictactoe.node import Node
    from tictactoe.sending import Prepared

# The most gas that a transaction needs, and a fifth or more of room. tests/gas/*.md has the measured figures; Amsterdam
# has the higher ones: 241,605 for a table's first newGame and 4,305,582 for a deployment.
TABLE_GAS = 300_000
DEPLOYMENT_GAS = 5_400_000
# Arbitrum counts the data that it posts to Ethereum as gas, at a price that varies.
GAS_FACTORS = {42161: 10, 42170: 10, 421614: 10}

# Above these, a transaction needs consent: a fee is unusual if it is both above FEE and TIMES what recent blocks paid.
COST = 5 * 10**16
FEE = 5 * 10**9
TIMES = 10


@dataclass(frozen=True)
class Limits:
    """The player's own limits, in wei. Each of them replaces the question that is asked without it."""

    fee: int | None = None  # for one gas
    cost: int | None = None  # of one transaction
    chain_id: int | None = None  # the chain that is meant

    def check_chain(self, node: Node) -> None:
        """Raise if the node is on another chain than the one that is meant."""
        if self.chain_id not in (None, node.chain_id):
            raise errors.UnexpectedChain(node.chain_id, self.chain_id)

    def check(self, node: Node, prepared: Prepared) -> None:
        """Raise if the account cannot pay the transaction, or the player's limits forbid it."""
        if prepared.balance < prepared.most:
            raise errors.InsufficientFunds(
                prepared.account.address, prepared.balance, node, prepared.what, prepared.most
            )
        if self.fee is not None and prepared.fee > self.fee:
            raise errors.FeeAboveLimit(prepared.what, prepared.fee, self.fee)
        if self.cost is not None and prepared.most > self.cost:
            raise errors.CostAboveLimit(prepared.what, prepared.most, self.cost, node.symbol)

    def concerns(self, node: Node, prepared: Prepared) -> list[errors.NeedsConsent]:
        """What the player must agree to before this transaction is signed."""
        if node.embedded:
            return []
        found: list[errors.NeedsConsent] = []
        if node.public and not node.chosen_by_name and self.chain_id is None:
            found.append(errors.ChainUnconfirmed(node.name, node.chain_id))
        if prepared.waiting:
            found.append(errors.PaymentWaits(prepared.what, prepared.account.address))
        usual = prepared.usual_fee
        if self.fee is None and prepared.fee > max(FEE, TIMES * (usual or 0)):
            found.append(errors.UnusualFee(prepared.what, prepared.fee, usual))
        if self.cost is None and node.public and prepared.most > COST:
            found.append(errors.HighCost(prepared.what, prepared.most, node.symbol))
        return found


NO_LIMITS = Limits()


def check_gas(node: Node, what: str, data: bytes, gas: int) -> None:
    """Raise if the node estimates more gas than the contract can need."""
    # Only a deployment carries code.
    most = (DEPLOYMENT_GAS if len(data) > 1_000 else TABLE_GAS) * GAS_FACTORS.get(node.chain_id, 1)
    if gas > most:
        raise errors.ImplausibleGas(what, gas, most)
