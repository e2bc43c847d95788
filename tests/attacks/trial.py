"""What an attack gets to work with, and how the reader is told what goes on."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.attacks.server import AttackError, Home

_TICK_S = 0.5
_PLAIN_EVERY_S = 5.0


@dataclass(frozen=True)
class Trial:
    """One attack under way.

    Attributes:
        home: A folder of its own, and the caches of all attacks.
        rng: Draws everything that is drawn.
        is_small: Whether this is a small dose, of a few seconds.
        note: Tells how far it is, in a few words.
        fuzz_lines: How many mutated lines; None for the dose's.
    """

    home: Home
    rng: random.Random
    is_small: bool
    note: Callable[[str], None]
    fuzz_lines: int | None = None

    def dose(self, small: int, full: int) -> int:
        """Return how much of something: of an attack in a small dose, or of a full one."""
        return small if self.is_small else full


@dataclass(frozen=True)
class Attack:
    """An attack of the catalogue.

    Attributes:
        name: On the command line.
        summary: What it does, in a line.
        run: Attacks, and returns its figures in a few words; raises `AttackError` if something gave way.
    """

    name: str
    summary: str
    run: Callable[[Trial], str]


def expect(condition: object, message: str) -> None:
    """Check what an attack found.

    Raises:
        AttackError: The condition is false.
    """
    if not condition:
        raise AttackError(message)


def say(text: str) -> None:
    """Write a line that stays."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@contextmanager
def show_running(label: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr that something runs, and for how long: a line that changes, or one every few seconds.

    Yields:
        A function that takes a few words on how far it is.
    """
    began_s = time.monotonic()
    words = [""]
    ended = threading.Event()
    is_terminal = sys.stderr.isatty()

    def show() -> None:
        shown_s = began_s
        while not ended.wait(_TICK_S):
            now_s = time.monotonic()
            line = f"{label}  {now_s - began_s:.0f} s  {words[0]}"
            if is_terminal:
                sys.stderr.write(f"\r{line[:100]:<100}")
            elif now_s - shown_s >= _PLAIN_EVERY_S:
                shown_s = now_s
                sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    thread = threading.Thread(target=show, name="running", daemon=True)
    thread.start()
    try:
        yield lambda text: words.__setitem__(0, text)
    finally:
        ended.set()
        thread.join()
        if is_terminal:
            sys.stderr.write(f"\r{'':<100}\r")
            sys.stderr.flush()
