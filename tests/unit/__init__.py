"""Each rule of the specification, and what the rule refuses: mostly as transactions on ape's embedded chain."""
