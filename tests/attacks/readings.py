"""Readings of altered files: each gives what it has, or an error in words; none takes long or much memory."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from gammond.engine.errors import GammondError
from tests.attacks.server import AttackError
from tests.attacks.trial import expect

_MAX_S = 5.0
"""Of the processor for one file; most take some 10 ms unaltered."""

_MAX_GROWTH_BYTES = 300_000_000

_Found = TypeVar("_Found")


def measure_memory() -> int:
    """Return the most memory that the process has held, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Readings:
    """The readings of an attack.

    Attributes:
        files: How many.
        refused: How many of the files were refused.
    """

    def __init__(self) -> None:
        self.files = self.refused = 0
        self._slowest_s, self._before = 0.0, measure_memory()

    def read(self, name: str, read: Callable[[], _Found], what: object) -> _Found | None:
        """Read a file; return what it has, or None where it is refused.

        Args:
            name: What errors call the file.
            read: Reads it.
            what: The file, in the error where that is no refusal.

        Raises:
            AttackError: It raises anything but an error in words.
        """
        began_s = time.process_time()
        self.files += 1
        try:
            return read()
        except GammondError as error:
            expect(
                error.message.isprintable(), f"{name}: what does not print is in a message: {error.message!r}"
            )
            self.refused += 1
            return None
        except AttackError:
            raise
        except Exception as error:
            raise AttackError(f"{name}: {type(error).__name__}: {error} for {what}") from error
        finally:
            self._slowest_s = max(self._slowest_s, time.process_time() - began_s)

    def rate(self) -> str:
        """Return the figures.

        Raises:
            AttackError: A file took too long, or the process grew by too much.
        """
        growth = measure_memory() - self._before
        expect(self._slowest_s < _MAX_S, f"a file took {self._slowest_s:.1f} s")
        expect(growth < _MAX_GROWTH_BYTES, f"the process grew by {growth:,} bytes")
        slowest_ms = self._slowest_s * 1e3
        return (
            f"{self.files:,} files, {self.refused:,} refused, {slowest_ms:.0f} ms at worst, {growth:,} bytes"
        )
