"""The tests notice when the contract is changed: a sample of its mutants is killed, and the last long run was of these
bytes."""
