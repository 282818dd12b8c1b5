"""The rules as examples: transactions on Ape's local chain, and what the contract refuses."""
