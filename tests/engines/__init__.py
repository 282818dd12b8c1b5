"""The walk once more on other engines, so that a slip of one is not taken for the contract's: whole on anvil, a node
around the engine of the fast tests; on @ethereumjs/evm, which shares nothing with that, every position and all that is
legal, and the refusals in one position of thirteen; and on py-evm a sample."""
