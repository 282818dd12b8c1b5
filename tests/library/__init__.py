"""The library without a node: every value it returns, against the model of the rules and a chain in this process."""
