"""The old place of the clock, for the tests that still import it from here."""

from tests.library.simulation import Clock

__all__ = ["Clock"]
