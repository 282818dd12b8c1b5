"""What tests run on: engines, nodes, processes."""

import time

# Seconds, where milliseconds are usual: it ends what hangs, and no busy machine needs it.
PATIENCE = 300


def wait_until(look, missing):
    """What `look` returns, as soon as that is true. `missing` describes what did not come."""
    deadline = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < deadline, missing()
        time.sleep(0.01)
    return seen
