"""The solution of hypergammon as a table, which is an evaluator, and its file.

A file (`gammond.engine.formats.database_file`) has the fields magic (8 bytes), version, checkers (2 bytes
each), 4 zero bytes, the length of the payload (8 bytes), the record layout (32 bytes of text), and 40 zero
bytes. The
payload: for each layout on roll and each waiting one a record of nine ``float32``; then the match equity
table as ``float64``: 25 by 25 before the Crawford game, and 25 after it.
"""

from __future__ import annotations

import math
import shlex
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.errors import DataFileError, PositionError
from gammond.engine.formats.database_file import HEADER_BYTES, DatabaseFile, write_database_file
from gammond.engine.hypergammon.layouts import VARIANTS, count_layouts, number_rows
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board

OUTCOME_COLUMNS, COLUMNS = 5, 9
"""The outcome; then the money equities of `HypergammonTable.cubeful_equities`."""

TABLE_POINTS = 25
"""The largest distance in the match equity table, in points away."""

FORMAT_VERSION = 1
MAGIC = b"GAMMHYPR"
_FIELDS = struct.Struct("<8s2H4xQ32s40x")
_LAYOUT = b"w wg wbg lg lbg c own opp j 9f4"
_EQUITIES = TABLE_POINTS * (TABLE_POINTS + 1)


class HypergammonTable:
    """The values of all positions with one to three checkers a side, and the evaluator that looks them up.

    Args:
        checkers: 1 to 3.
        values: ``float32[layouts, layouts, 9]``, the layout on roll first, read-only.
        match_equities: The match equity table of the game.
        check: Called before each look-up: raises an error once the values cannot be read any more.
    """

    plies = 0
    is_optimal = True
    """Its values assume best play by both sides: look-ahead cannot improve them."""

    def __init__(
        self,
        checkers: int,
        values: NDArray[np.float32],
        match_equities: MatchEquityTable,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.checkers = checkers
        self.values = values
        self.match_equities = match_equities
        self._check = check

    @property
    def name(self) -> str:
        """The evaluator's name in replies."""
        return name_solution(self.checkers)

    @property
    def arrays(self) -> Sequence[NDArray[Any]]:
        """The payload of its file."""
        return self.values, self.match_equities.pre_crawford, self.match_equities.post_crawford

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are in the table, ``bool[n]`` for ``int8[n, 2, 26]``; finished ones are."""
        covered: NDArray[np.bool_] = (boards.sum(axis=2) == self.checkers).all(axis=1)
        return covered

    def evaluate(self, boards: Board) -> Outcomes:
        """Look up the outcomes under best cubeless play, ``float32[n, 5]`` for ``int8[n, 2, 26]``.

        Raises:
            PositionError: A position is not covered.
            DataFileError: The file of the table was altered in use.
        """
        return np.ascontiguousarray(self._look_up(boards)[:, :OUTCOME_COLUMNS])

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Look up exact money equities, before the roll, if the player on roll does not double now.

        Both sides double, redouble, take, pass and play perfectly, for each state of the cube. There are no
        beavers.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 4]`` in points for a cube of 1: centred, owned by the player on roll, owned by the
            other, centred with the Jacoby rule.

        Raises:
            PositionError: A position is not covered.
            DataFileError: The file of the table was altered in use.
        """
        return np.ascontiguousarray(self._look_up(boards)[:, OUTCOME_COLUMNS:])

    def _look_up(self, boards: Board) -> NDArray[np.float32]:
        covered = self.covers(boards)
        if not covered.all():
            raise PositionError(
                f"expected {self.checkers} checkers a side for {self.name}; position "
                f"{int(np.flatnonzero(~covered)[0])} has others",
                field="position",
            )
        numbers = number_rows(boards, self.checkers)
        self._check()
        looked_up: NDArray[np.float32] = self.values[numbers[:, 0], numbers[:, 1]]
        return looked_up


def name_solution(checkers: int) -> str:
    """Return what a solution, its match equity table and, before the suffix, its file are called."""
    return f"hypergammon-{checkers}"


def shape_of_values(checkers: int) -> tuple[int, int, int]:
    """Return the shape of the values of a table."""
    layouts = count_layouts(checkers)
    return layouts, layouts, COLUMNS


def file_bytes(checkers: int) -> int:
    """Return the size of the file of a solution."""
    return HEADER_BYTES + math.prod(shape_of_values(checkers)) * 4 + _EQUITIES * 8


def find_state_folder(path: Path) -> Path:
    """Return the folder of the solver's state while a file is built."""
    return path.with_name(f"{path.name}.building")


def command_line(checkers: int) -> str:
    """Return the command that builds the file of a solution."""
    return f"gammond hypergammon build --checkers {checkers}"


def write_table(path: Path, checkers: int, arrays: Iterable[NDArray[Any]]) -> None:
    """Write the file of a solution; it appears when it is whole.

    Args:
        path: The file; an existing one is replaced in one step.
        checkers: 1 to 3.
        arrays: As `HypergammonTable.arrays`, the values in any number of parts.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    size = file_bytes(checkers) - HEADER_BYTES
    write_database_file(path, _FIELDS.pack(MAGIC, FORMAT_VERSION, checkers, size, _LAYOUT), arrays)


def open_file(path: Path, checkers: int) -> HypergammonTable:
    """Read the file of a solution, or map a large one into memory, and check it.

    Args:
        path: The file.
        checkers: The number of checkers that it must be for.

    Raises:
        DataFileError: The file is missing, no such file, of another version, truncated or altered.
    """

    def check_unaltered() -> None:
        with _explaining(path, checkers):
            file.check_unaltered()

    with _explaining(path, checkers):
        file = DatabaseFile(path, MAGIC, "solution of hypergammon")
        _, version, found, size, layout = _FIELDS.unpack(file.fields)
        if version != FORMAT_VERSION or layout.rstrip(b"\0") != _LAYOUT or found not in VARIANTS:
            raise DataFileError(f"expected version {FORMAT_VERSION}, got {version}, or another kind")
        if found != checkers or size != file_bytes(checkers) - HEADER_BYTES:
            raise DataFileError(f"expected a solution for {checkers} checkers, got {found}")
        file.check_size(size)
        file.check_content()
    shape = shape_of_values(checkers)
    values = np.frombuffer(file.payload, "<f4", math.prod(shape)).reshape(shape)
    equities = np.frombuffer(file.payload[-8 * _EQUITIES :].tobytes(), "<f8")
    pre_crawford = equities[:-TABLE_POINTS].reshape(TABLE_POINTS, TABLE_POINTS)
    table = MatchEquityTable(name_solution(checkers), pre_crawford, equities[-TABLE_POINTS:])
    return HypergammonTable(checkers, values, table, check_unaltered)


@contextmanager
def _explaining(path: Path, checkers: int) -> Iterator[None]:
    """Say in errors which file is of no use, and which command builds it again."""
    try:
        yield
    except DataFileError as error:
        command = command_line(checkers)
        fault = f"cannot be used: {error.message}; build it again with"
        raise DataFileError(
            f"{path} {fault} `{command} --output {shlex.quote(str(path))}`",
            field="variant",
            public_message=f"the solution of hypergammon with {checkers} checkers a side {fault} `{command}`",
        ) from error
