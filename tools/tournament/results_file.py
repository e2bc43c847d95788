"""A file with the results of a tournament so far, so that a run that was ended goes on.

The first line says what is played; a line for each player says what it plays with; a line for each stretch
has its results. Lines are only added, and one that a kill cut short is cut off. One process at a time has the
file: it holds a lock on it, which ends with the process.
"""

from __future__ import annotations

import base64
import fcntl
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from engine.errors import DataFileError, StateError
from tools.tournament.entrants import Entrant
from tools.tournament.pairings import GameRange
from tools.tournament.rules import Rules
from tools.tournament.scores import PairedScores

_FORMAT = "gammond tournament 1"

_VALUE_DTYPE = np.dtype("<f4")
_KIND_DTYPE = np.dtype("<i1")


class ResultsFile:
    """Results of earlier runs, and a place for those of this one; used as a context manager.

    Args:
        file: Where they are kept; made if it is not there. None keeps nothing.
        rules: What is played.
        entrants: The players; the file may know some of them, and no others.

    Raises:
        StateError: The file is of other rules, or of a player who does not take part or has other nets; or
            another process keeps results in it.
        DataFileError: The file cannot be read or written, or is no such file.
    """

    def __init__(self, file: Path | None, rules: Rules, entrants: Sequence[Entrant]) -> None:
        self._file = file
        self._rules = rules
        self._entrants = {entrant.name: entrant for entrant in entrants}
        self._known_players: set[str] = set()
        self._scores: dict[tuple[str, str], PairedScores] = {}
        self._out: BinaryIO | None = None
        if file is not None:
            with ExitStack() as opened:
                self._out = opened.enter_context(_open_locked(file))
                self._resume(file, self._out)
                opened.pop_all()

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is not None:
            self._out.close()

    def get_scores(self, first: str, second: str) -> PairedScores:
        """What was played between two players, all games from the first on."""
        if self._is_stored_swapped(first, second):
            return self._scores[second, first].swap_players()
        return self._scores.get((first, second), PairedScores.empty())

    def add(self, first: str, second: str, game_range: GameRange, scores: PairedScores) -> None:
        """Keep the results of a stretch, which follows those that are kept.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._is_stored_swapped(first, second):
            self.add(second, first, game_range, scores.swap_players())
            return
        self._scores[first, second] = self.get_scores(first, second).concatenate(scores)
        self._append_record(
            first=first,
            second=second,
            first_game=game_range.first_game,
            values=_encode_base64(scores.values.astype(_VALUE_DTYPE).tobytes()),
            kinds=_encode_base64(scores.kinds.astype(_KIND_DTYPE).tobytes()),
        )

    def _is_stored_swapped(self, first: str, second: str) -> bool:
        """Whether the games of two players are kept in the other order."""
        return first != second and (second, first) in self._scores

    def _resume(self, file: Path, out: BinaryIO) -> None:
        content = _read_content(file, out)
        whole = content.rfind(b"\n") + 1
        if not whole and not _is_truncated_header(content):
            raise DataFileError(f"{file} keeps no tournament, it begins with {content[:40]!r}", field="keep")
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                self._read_record(number, json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise DataFileError(
                    f"{file} line {number} cannot be read: {error or type(error).__name__}", field="keep"
                ) from error
        try:
            out.truncate(whole)
        except OSError as error:
            raise DataFileError(f"{file} cannot be written: {error.strerror}", field="keep") from error
        if not whole:
            self._append_record(format=_FORMAT, **asdict(self._rules))
        for entrant in self._entrants.values():
            if entrant.name not in self._known_players:
                self._append_record(player=entrant.name, nets=entrant.nets)

    def _read_record(self, number: int, record: dict[str, Any]) -> None:
        if number == 1:
            self._check_rules(record)
        elif "player" in record:
            self._check_player(record["player"], record["nets"])
        else:
            values = np.frombuffer(base64.b64decode(record["values"], validate=True), _VALUE_DTYPE)
            kinds = np.frombuffer(base64.b64decode(record["kinds"], validate=True), _KIND_DTYPE)
            names = str(record["first"]), str(record["second"])
            before = self._scores.get(names, PairedScores.empty())
            if len(values) != len(kinds) or len(values) % 2 or before.games != record["first_game"]:
                raise ValueError("its games do not follow those before")
            self._scores[names] = before.concatenate(
                PairedScores(values.astype(np.float64), kinds.astype(np.int8))
            )

    def _check_rules(self, record: dict[str, Any]) -> None:
        if record["format"] != _FORMAT:
            raise ValueError(f"expected the format {_FORMAT!r}, not {record['format']!r}")
        kept = {**asdict(Rules()), **record}
        for name, own in asdict(self._rules).items():
            if kept[name] != own:
                raise StateError(
                    f"{self._file} keeps a tournament with {name} {kept[name]}, this one has {own}",
                    field="keep",
                )

    def _check_player(self, name: str, nets: dict[str, str]) -> None:
        if name not in self._entrants:
            raise StateError(f"{self._file} keeps games of {name!r}, who does not take part", field="keep")
        if nets != self._entrants[name].nets:
            raise StateError(
                f"{self._file} keeps games of {name!r} with other nets: play them into another file",
                field="keep",
            )
        self._known_players.add(name)

    def _append_record(self, **record: object) -> None:
        if self._out is None:
            return
        try:
            self._out.write(json.dumps(record).encode() + b"\n")
            self._out.flush()
        except OSError as error:
            raise DataFileError(f"{self._file} cannot be written: {error.strerror}", field="keep") from error


def _open_locked(file: Path) -> BinaryIO:
    """Open a file to read it and add to it, made with its folder if need be, for this process alone."""
    with ExitStack() as opened:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            out = opened.enter_context(file.open("a+b"))
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StateError(
                f"another tournament keeps its results in {file}: wait for its end, or choose another file",
                field="keep",
            ) from error
        except OSError as error:
            raise DataFileError(f"{file} cannot be written: {error.strerror}", field="keep") from error
        opened.pop_all()
    return out


def _read_content(file: Path, out: BinaryIO) -> bytes:
    """What an open file has in it."""
    try:
        out.seek(0)
        return out.read()
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="keep") from error


def _is_truncated_header(content: bytes) -> bool:
    """Whether a kill in the first line can have left this."""
    begun = b'{"format": ' + json.dumps(_FORMAT).encode()
    return content.startswith(begun[: len(content)])


def _encode_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
