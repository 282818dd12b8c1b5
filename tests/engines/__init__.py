"""Another engine than pyrevm, so that a bug in one engine is not mistaken for a bug in the contract."""
