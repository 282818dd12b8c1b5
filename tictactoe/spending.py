"""What may be signed without asking: limits for the fee and the cost, and the chain that is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tictactoe import errors

if TYPE_CHECKING:
    from tictactoe.node import Node
    from tictactoe.preparing import Prepared

# Above this cost, a transaction needs consent.
ASK_ABOVE_COST = 5 * 10**16
# A price per unit of gas needs consent above this one, if it is also above this many times what recent blocks paid.
ASK_ABOVE_PRICE = 5 * 10**9
ASK_ABOVE_TIMES_USUAL = 10


@dataclass(frozen=True)
class Limits:
    """The player's own limits, the first two in wei. Each replaces the question that is asked without it."""

    max_price: int | None = None  # per unit of gas
    max_cost: int | None = None  # of one transaction
    chain_id: int | None = None  # the chain that is meant

    def check_chain(self, node: Node) -> None:
        """Raise if the node is on another chain than the one that is meant."""
        if self.chain_id not in (None, node.chain_id):
            raise errors.UnexpectedChain(node.chain_id, self.chain_id)

    def check(self, node: Node, prepared: Prepared) -> None:
        """Raise if the account cannot pay the transaction, or the player's limits forbid it."""
        if prepared.balance < prepared.max_cost:
            raise errors.InsufficientFunds(
                prepared.account.address, prepared.balance, node, prepared.label, prepared.max_cost
            )
        if self.max_price is not None and prepared.price > self.max_price:
            raise errors.FeeAboveLimit(prepared.label, prepared.price, self.max_price)
        if self.max_cost is not None and prepared.max_cost > self.max_cost:
            raise errors.CostAboveLimit(prepared.label, prepared.max_cost, self.max_cost, node.symbol)

    def concerns(self, node: Node, prepared: Prepared) -> list[errors.NeedsConsent]:
        """What the player must agree to before this transaction is signed."""
        if node.embedded:
            return []
        found: list[errors.NeedsConsent] = []
        if node.public and not node.chosen_by_name and self.chain_id is None:
            found.append(errors.ChainUnconfirmed(node.name, node.chain_id))
        if prepared.foreign_pending:
            found.append(errors.PaymentWaits(prepared.label, prepared.account.address))
        usual = prepared.usual_price
        if self.max_price is None and prepared.price > max(ASK_ABOVE_PRICE, ASK_ABOVE_TIMES_USUAL * (usual or 0)):
            found.append(errors.UnusualFee(prepared.label, prepared.price, usual))
        if self.max_cost is None and node.public and prepared.max_cost > ASK_ABOVE_COST:
            found.append(errors.HighCost(prepared.label, prepared.max_cost, node.symbol))
        return found


NO_LIMITS = Limits()
