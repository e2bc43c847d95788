"""What is kept of a search: the question, the engine that answered it, and its values."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.search.ranked_plays import RankedPlays

MAX_PAYLOAD_BYTES = 1 << 18
"""The largest entry: some 3,000 plays, the most that a roll can have, with ten states of the cube."""

MAX_COLUMNS = 64
MAX_PLIES = 16

BOOK_PROGRAM = "book"
"""What stands for the version of the program in books."""

_SLACK = 1e-5
"""How far the rounding of sums may take a chance beyond 0 and 1."""

_SHAPE = struct.Struct("<HHH")


class StoreQuestion(NamedTuple):
    """A question whose answer can be kept, the same for every way to ask it.

    Those of backgammon are made and read in `gammond.engine.analysis.engine_store`. Another game has its own
    text of a position in place of the XGID, its name as rules, and its own settings.

    Attributes:
        xgid: The position and the match state with the player on roll as the bottom player, the shortest
            match with these points away; with dice it asks for plays, without for the position and its cube.
        rules: The name of the rules.
        settings: ``cubeful`` or ``cubeless``; for plays the name of the move filter follows, and how many
            plays it lets through in any case where that is more than one.
    """

    xgid: str
    rules: str
    settings: str

    @property
    def asks_for_plays(self) -> bool:
        """Whether it asks for the plays of a roll, not for the position before it."""
        return " " in self.settings


@dataclass(frozen=True)
class EngineIdentity:
    """All that the values of a search depend on beside the question: none are given for another's.

    Attributes:
        net: The name of the evaluator.
        nets: sha256 of the hashes of its nets, and of those that prune plays.
        tables: sha256 of the match equity table, the cube efficiencies, and what the bearoff databases hold.
        program: The version of the program; in a checkout with a hash of the sources that search, and after
            it the family of the processor where sums round otherwise than usual.
    """

    net: str
    nets: str
    tables: str
    program: str

    @cached_property
    def digest(self) -> str:
        """Its hash, by which entries name it; the net's name has no part in it."""
        text = "\n".join((self.nets, self.tables, self.program))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def of_book(self) -> EngineIdentity:
        """The one that names entries of a book, which belongs to a program and is tested with it."""
        return replace(self, program=BOOK_PROGRAM)


class KeptEntry(Protocol):
    """What is kept of a search of any game; of backgammon a `StoreEntry`."""

    @property
    def plies(self) -> int:
        """Plies of look-ahead that were asked for."""
        ...

    @property
    def size(self) -> int:
        """How many bytes its values take in memory."""
        ...

    def encode(self) -> bytes:
        """Return its values as bytes."""
        ...


EntryReader = Callable[[int, bytes], KeptEntry]
"""Reads an entry, given its depth and what `KeptEntry.encode` returned; `DataFileError` for other bytes."""


@dataclass(frozen=True, eq=False)
class StoreEntry:
    """The values of a finished search, to the bit.

    Attributes:
        plies: Plies of look-ahead that were asked for.
        values: ``float32[n, k]``: of the position (n = 1), before a double and for the side on roll; or of
            n ranked plays, best first, for the next mover with its option to double. The columns are those of
            `gammond.engine.search.tree`, by the match state of the question.
        order: ``int64[n]``, the places of the ranked plays among the legal ones.
        depths: ``int8[n]``, plies of look-ahead behind each row.
        survivors: The number of plays that reached the greatest depth.

    Raises:
        DataFileError: They do not fit together, or a number is none or beyond its bounds.
    """

    plies: int
    values: NDArray[np.float32]
    order: NDArray[np.int64]
    depths: NDArray[np.int8]
    survivors: int

    def __post_init__(self) -> None:
        problem = self._find_problem()
        if problem:
            raise DataFileError(f"expected the values of a search, got {problem}")

    @classmethod
    def of_position(cls, plies: int, values: NDArray[np.float32]) -> StoreEntry:
        """Make the entry of a position, given its values ``float32[k]``."""
        return cls(plies, values[None], np.zeros(1, np.int64), np.full(1, plies, np.int8), 1)

    @classmethod
    def of_plays(cls, plies: int, plays: RankedPlays) -> StoreEntry:
        """Make the entry of a roll, given the plays as a search ranks them."""
        return cls(plies, plays.values, plays.order, plays.depths, plays.survivors)

    @property
    def size(self) -> int:
        """How many bytes its arrays take in memory."""
        return self.values.nbytes + self.order.nbytes + self.depths.nbytes

    def is_same_as(self, other: KeptEntry) -> bool:
        """Return whether both have the same depth and the same values, to the bit."""
        return self.plies == other.plies and self.encode() == other.encode()

    def encode(self) -> bytes:
        """Return depth, order and values as bytes."""
        rows, columns = self.values.shape
        return (
            _SHAPE.pack(rows, columns, self.survivors)
            + self.order.astype("<i2").tobytes()
            + self.depths.astype("i1").tobytes()
            + self.values.astype("<f4").tobytes()
        )

    @classmethod
    def decode(cls, plies: int, payload: bytes) -> StoreEntry:
        """Read what `encode` wrote.

        Raises:
            DataFileError: The bytes are of another length or hold impossible values.
        """
        if not _SHAPE.size <= len(payload) <= MAX_PAYLOAD_BYTES:
            raise DataFileError(f"expected the values of a search, got {len(payload)} bytes")
        rows, columns, survivors = _SHAPE.unpack_from(payload)
        expected = _SHAPE.size + rows * (3 + 4 * columns)
        if len(payload) != expected:
            raise DataFileError(f"expected {expected} bytes for {rows} rows, got {len(payload)}")
        depths_at = _SHAPE.size + 2 * rows
        order = np.frombuffer(payload, "<i2", rows, _SHAPE.size).astype(np.int64)
        depths = np.frombuffer(payload, "i1", rows, depths_at).astype(np.int8)
        values = np.frombuffer(payload, "<f4", rows * columns, depths_at + rows).astype(np.float32)
        return cls(plies, values.reshape(rows, columns), order, depths, survivors)

    def _find_problem(self) -> str:
        if self.values.ndim != 2 or self.values.dtype != np.float32:
            return f"{self.values.dtype} of shape {self.values.shape}"
        rows, columns = self.values.shape
        if not (1 <= rows <= np.iinfo(np.int16).max and OUTCOME_COLUMNS <= columns <= MAX_COLUMNS):
            return f"{rows} rows of {columns} columns"
        if rows * (3 + 4 * columns) + _SHAPE.size > MAX_PAYLOAD_BYTES:
            return f"{rows} rows of {columns} columns, more than {MAX_PAYLOAD_BYTES} bytes"
        if not np.isfinite(self.values).all():
            return "a value that is no number"
        chances = self.values[:, :OUTCOME_COLUMNS]
        if chances.min() < -_SLACK or chances.max() > 1.0 + _SLACK:
            return "a chance below 0 or above 1"
        if self.order.shape != (rows,) or not np.array_equal(np.sort(self.order), np.arange(rows)):
            return f"an order that is not one of {rows} plays"
        if not 1 <= self.plies <= MAX_PLIES or self.depths.shape != (rows,) or self.depths.min() < 0:
            return f"a depth of {self.plies} plies, {self.depths.shape} depths"
        if not 1 <= self.survivors <= rows or self.depths.max() != self.depths[0]:
            return f"{self.survivors} of {rows} plays at the greatest depth"
        return ""


def compute_checksum(question: StoreQuestion, digest: str, plies: int, payload: bytes) -> int:
    """Return the checksum of a row of the file: SQLite has none of its own."""
    text = "\n".join((*question, digest, str(plies)))
    return zlib.crc32(payload, zlib.crc32(text.encode()))
