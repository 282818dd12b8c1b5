"""Mutants of the library: the tests in `tests/library` must notice every small change."""
