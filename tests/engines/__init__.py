"""The walk once more on engines of other makes, so that a slip of one is not taken for the contract's: whole on anvil,
every position and all that is legal on @ethereumjs/evm, and a sample on py-evm."""
