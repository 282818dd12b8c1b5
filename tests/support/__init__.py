"""What tests run on: engines, nodes, processes."""

import time
from collections.abc import Callable
from typing import TypeVar

Seen = TypeVar("Seen")

# Seconds, where milliseconds are usual: it ends what hangs, and no busy machine needs it.
PATIENCE = 300


def wait_until(look: Callable[[], Seen], missing: Callable[[], str]) -> Seen:
    """What `look` returns, as soon as that is true. `missing` describes what did not come."""
    deadline = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < deadline, missing()
        time.sleep(0.01)
    return seen
