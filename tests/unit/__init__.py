"""Each rule of the specification, and beside it what the rule refuses, as transactions on a local chain."""
