"""Time for tests."""

from collections.abc import Callable


class Clock:
    """In place of the module `time`: it passes only in `sleep`. `on_sleep` is called with the time slept so far."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.on_sleep: Callable[[float], object] = lambda _so_far: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        assert len(self.slept) < 5000, "it does not end"
        self.now += seconds
        self.on_sleep(self.now - 1000)
