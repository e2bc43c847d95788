"""Players that play the highest value of a function of one's own: ``function:FILE.py``.

The file is Python, and is run: whoever names it trusts it. So it is named on a command line, at the terminal
or in a program, and never by what a client sends to a server.
"""

from __future__ import annotations

import hashlib
import math
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, FormatError
from gammond.engine.play.player import ScorerPlayer
from gammond.engine.rules.position import Board
from gammond.engine.runtime.files import read_data_file
from gammond.nets.player_specs import FUNCTION, KindSpec

PREFIX = f"{FUNCTION}:"
"""Before the file, in the name of the player."""

SCORE = "score"
"""What the file must define: ``score(own, other)``.

Both are lists of 26 numbers of checkers, those of the side that has just played and those of its opponent: at
0 those borne off, at 1 to 24 those on the points, each side counting from its own ace point, at 25 those on
the bar. It returns a number, higher for what is better for the side that has just played; equal plays go to
the first.
"""

_MAX_BYTES = 10_000_000


class FunctionScorer:
    """A function as an `gammond.engine.evaluation.evaluator.Scorer`.

    Args:
        file: Named in errors.
        function: As `SCORE` describes.
    """

    def __init__(self, file: Path, function: Callable[[list[int], list[int]], Any]) -> None:
        self._file = file
        self._function = function

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `Scorer.score_boards`.

        Raises:
            DataFileError: The function fails, or returns what is no finite number.
        """
        scores = np.empty(len(boards), np.float32)
        for place, (other, own) in enumerate(boards.tolist()):
            try:
                value = float(self._function(own, other))
            except Exception as error:
                raise _make_error(self._file, error) from error
            if not math.isfinite(value):
                raise DataFileError(
                    f"{self._file}: expected a finite number of {SCORE}, got {value} for {own}, {other}",
                    field="player",
                )
            scores[place] = value
        return scores


class FunctionSpec(KindSpec, frozen=True):
    """The file of a function."""

    name = f"{FUNCTION}:FILE.py"
    summary = "the highest value of score(own, other), which the file defines; it is run"

    file: Path

    @classmethod
    def parse(cls, text: str) -> FunctionSpec:
        """Parse the name.

        Raises:
            FormatError: It is not ``function:FILE.py``.
        """
        file = Path(text.removeprefix(PREFIX))
        if file.suffix != ".py":
            raise FormatError(f"expected {cls.name}, got {text[:80]!r}", field="player")
        return cls(file)

    def make(self) -> ScorerPlayer:
        """Run the file and make the player of its function.

        Raises:
            DataFileError: The file cannot be read or fails, or defines no such function.
        """
        file = self.file
        content, names = self._read(), {"__name__": file.stem, "__file__": str(file)}
        try:
            exec(compile(content, str(file), "exec"), names)
        except Exception as error:
            raise _make_error(file, error) from error
        function = names.get(SCORE)
        if not callable(function):
            raise DataFileError(
                f"{file}: expected a function {SCORE}(own, other), got none: it values a position after a "
                "play for the side that has played",
                field="player",
            )
        player = ScorerPlayer(file.stem, FunctionScorer(file, function))
        player.checkers = None
        return player

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hash of the file.

        Raises:
            DataFileError: It cannot be read.
        """
        return {self.file.as_posix(): hashlib.sha256(self._read()).hexdigest()}

    def _read(self) -> bytes:
        return read_data_file(self.file, _MAX_BYTES, str(self.file), "player")


def _make_error(file: Path, error: Exception) -> DataFileError:
    """Say where in a file an error arose."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    place = f"{file} line {line}" if line else str(file)
    return DataFileError(f"{place}: {type(error).__name__}: {error}", field="player")
