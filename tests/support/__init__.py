"""What tests run on: engines, nodes, processes."""

import time

# Seconds, where milliseconds are usual: it ends what hangs, and no busy machine needs it.
PATIENCE = 300


def wait_until(look, missing, can_come=lambda: True):
    """What `look` returns, as soon as that is true. `missing` describes what did not come."""
    deadline = time.monotonic() + PATIENCE
    while True:
        waits = can_come() and time.monotonic() < deadline
        if seen := look():
            return seen
        assert waits, missing()
        time.sleep(0.01)
