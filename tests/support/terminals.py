"""Terminals and clocks that stand in for those of the machine."""

import io


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        """Say yes."""
        return True


class Clock:
    """A clock that stands still until a test moves it.

    Args:
        now_s: What it shows, in seconds.
    """

    def __init__(self, now_s: float = 100.0) -> None:
        self.now_s = now_s

    def __call__(self):
        """Return the time in seconds."""
        return self.now_s
