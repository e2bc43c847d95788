"""A file with the results of a tournament so far, so that a run that was ended can go on.

The first line has the rules, a line for each player its nets, and a line for each range of games the results.
Lines are only appended; one that a kill cut short is removed. One process at a time writes the file.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.runtime.files import check_folder
from gammond.tools.common.locks import hold_lock
from gammond.tools.tournament.backgammon import TournamentRules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import DEFAULT_VARIANT, GameRange, GameRules

_FORMAT = "gammond tournament 1"

_MOST_KIND = 3
"""A backgammon."""

_DTYPES: dict[str, np.dtype[Any]] = {
    "values": np.dtype("<f4"),
    "kinds": np.dtype("<i1"),
    "lengths": np.dtype("<i4"),
}
"""Arrays of `PairedScores` -> how a line has them; lengths are left out where they are not counted."""


class ResultsFile:
    """Results of earlier runs and of this one; used as a context manager.

    Args:
        file: Where they are kept; created if missing. None keeps nothing.
        rules: What is played.
        entrants: The players; the file must not have others.

    Raises:
        StateError: The file has other rules, a player who does not take part, or one with other nets; or
            another process writes it.
        DataFileError: The file cannot be read or written, or is of another kind.
    """

    def __init__(self, file: Path | None, rules: GameRules, entrants: Sequence[Entrant]) -> None:
        self._file = file
        self._rules = rules
        self._entrants = {entrant.name: entrant for entrant in entrants}
        self._known_players: set[str] = set()
        self._scores: dict[tuple[str, str], PairedScores] = {}
        self._out: BinaryIO | None = None
        self._opened = ExitStack()
        if file is not None:
            check_folder(file, "keep")
            with ExitStack() as opened:
                with _naming_file(file, "written"):
                    opened.enter_context(hold_lock(file, "keep"))
                    self._out = opened.enter_context(file.open("a+b"))
                self._resume(file, self._out)
                self._opened = opened.pop_all()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def get_scores(self, first: str, second: str) -> PairedScores:
        """Return the results between two players, all games from the first on."""
        if self._is_stored_swapped(first, second):
            return self._scores[second, first].swap_players()
        return self._scores.get((first, second), PairedScores.empty())

    def add(self, first: str, second: str, game_range: GameRange, scores: PairedScores) -> None:
        """Add the results of a range of games, which must follow those already kept.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._is_stored_swapped(first, second):
            self.add(second, first, game_range, scores.swap_players())
            return
        self._scores[first, second] = self.get_scores(first, second).concatenate(scores)
        arrays = {name: getattr(scores, name).astype(dtype) for name, dtype in _DTYPES.items()}
        self._append_record(
            first=first,
            second=second,
            first_game=game_range.first_game,
            **{name: base64.b64encode(each.tobytes()).decode() for name, each in arrays.items() if each.size},
        )

    def _is_stored_swapped(self, first: str, second: str) -> bool:
        """Return whether the games of two players are kept in the other order."""
        return first != second and (second, first) in self._scores

    def _resume(self, file: Path, out: BinaryIO) -> None:
        with _naming_file(file, "read"):
            out.seek(0)
            content = out.read()
        whole = content.rfind(b"\n") + 1
        if not whole and not _is_truncated_header(content):
            raise DataFileError(
                f"{file} is no results file: expected {_FORMAT!r} in its first line, got {content[:40]!r}",
                field="keep",
            )
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                self._read_record(number, json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise DataFileError(
                    f"{file} line {number} cannot be read: {error or type(error).__name__}", field="keep"
                ) from error
        with _naming_file(file, "written"):
            out.truncate(whole)
        if not whole:
            self._append_record(format=_FORMAT, **self._rules.to_record())
        for entrant in self._entrants.values():
            if entrant.name not in self._known_players:
                self._append_record(player=entrant.name, nets=entrant.nets)

    def _read_record(self, number: int, record: dict[str, Any]) -> None:
        if number == 1:
            self._check_rules(record)
        elif "player" in record:
            self._check_player(record["player"], record["nets"])
        else:
            kept = {"lengths": "", **record}
            values, kinds, lengths = (
                np.frombuffer(base64.b64decode(kept[name], validate=True), dtype)
                for name, dtype in _DTYPES.items()
            )
            names = str(record["first"]), str(record["second"])
            before = self._scores.get(names, PairedScores.empty())
            if len(lengths) not in (0, len(values)):
                raise ValueError(f"it has {len(lengths)} lengths of {len(values)} games")
            if len(values) != len(kinds) or len(values) % 2 or before.games != record["first_game"]:
                raise ValueError("its games do not follow those of the line before")
            _check_results(values, kinds, lengths)
            self._scores[names] = before.concatenate(
                PairedScores(values.astype(np.float64), kinds.astype(np.int8), lengths.astype(np.int32))
            )

    def _check_rules(self, record: dict[str, Any]) -> None:
        if record["format"] != _FORMAT:
            raise ValueError(f"expected the format {_FORMAT!r}, got {record['format']!r}")
        defaults = {**TournamentRules().to_record(), "variant": DEFAULT_VARIANT}
        kept, own = {**defaults, **record}, {**defaults, **self._rules.to_record()}
        for name, value in own.items():
            if kept.get(name) != value:
                raise StateError(
                    f"{self._file} has a tournament with {name} {kept.get(name)}, this one has {value}",
                    field="keep",
                )

    def _check_player(self, name: str, nets: dict[str, str]) -> None:
        if name not in self._entrants:
            raise StateError(f"{self._file} has games of {name!r}, who does not take part", field="keep")
        if nets != self._entrants[name].nets:
            raise StateError(
                f"{self._file} has games of {name!r} with other nets: choose another file",
                field="keep",
            )
        self._known_players.add(name)

    def _append_record(self, **record: object) -> None:
        if self._out is None:
            return
        with _naming_file(self._file, "written"):
            self._out.write(json.dumps(record).encode() + b"\n")
            self._out.flush()


def _check_results(values: NDArray[Any], kinds: NDArray[Any], lengths: NDArray[Any]) -> None:
    """Check that results are some that games can have.

    Raises:
        ValueError: They are not.
    """
    if np.isinf(values).any():
        raise ValueError("expected finite scores")
    if (np.abs(kinds) > _MOST_KIND).any() or (np.sign(kinds) != np.sign(np.nan_to_num(values))).any():
        raise ValueError("its scores and the kinds of its wins do not fit together")
    if (lengths < 0).any():
        raise ValueError("expected lengths of games of 0 or more")


@contextmanager
def _naming_file(file: Path | None, done: str) -> Iterator[None]:
    """Name the file in errors of the system, and what could not be done with it."""
    try:
        yield
    except OSError as error:
        raise DataFileError(f"{file} cannot be {done}: {error.strerror}", field="keep") from error


def _is_truncated_header(content: bytes) -> bool:
    """Return whether a kill while the first line was written can have left this."""
    begun = b'{"format": ' + json.dumps(_FORMAT).encode()
    return content.startswith(begun[: len(content)])
