"""What a long test prints while it runs: how much is done, and at the end what it has counted."""

import sys
import time


class Printer:
    """Prints lines from within a test, past pytest, which captures what tests print, and past xdist, to stderr."""

    def __init__(self, config):
        self.capture = config.pluginmanager.getplugin("capturemanager")

    def progress(self, what, total):
        """Prints the number done, from time to time."""
        shown = time.monotonic()

        def progress(done):
            nonlocal shown
            if time.monotonic() - shown >= 30:
                shown = time.monotonic()
                self.line(f"{what}: {done:,} of {total:,}")

        return progress

    def counts(self, what, counted):
        self.line(f"{what}: " + ", ".join(f"{number:,} {name}" for name, number in counted.most_common()))

    def line(self, text):
        with self.capture.global_and_fixture_disabled():
            sys.stderr.write(f"\n{text}\n")
            sys.stderr.flush()
