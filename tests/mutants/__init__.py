"""The tests notice when the contract is changed in any small way: a sample of its mutants is judged in every run, and
the last run over all of them was about these bytes."""
