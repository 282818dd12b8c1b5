"""The walk once more on engines of other makes, so that a slip of one engine is not taken for the contract's."""
