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
from tools.tournament.rules import Rules
from tools.tournament.scores import Scores
from tools.tournament.stretches import Stretch

_FORMAT = "gammond tournament 1"

_VALUES = np.dtype("<f4")
_KINDS = np.dtype("<i1")


class Kept:
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
        self._known: set[str] = set()
        self._scores: dict[tuple[str, str], Scores] = {}
        self._out: BinaryIO | None = None
        if file is not None:
            with ExitStack() as opened:
                self._out = opened.enter_context(_locked(file))
                self._take_up(file, self._out)
                opened.pop_all()

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is not None:
            self._out.close()

    def scores(self, first: str, second: str) -> Scores:
        """What was played between two players, all games from the first on."""
        if self._is_mirrored(first, second):
            return self._scores[second, first].mirrored()
        return self._scores.get((first, second), Scores.none())

    def add(self, first: str, second: str, stretch: Stretch, scores: Scores) -> None:
        """Keep the results of a stretch, which follows those that are kept.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._is_mirrored(first, second):
            self.add(second, first, stretch, scores.mirrored())
            return
        self._scores[first, second] = self.scores(first, second).followed_by(scores)
        self._write(
            first=first,
            second=second,
            first_game=stretch.first_game,
            values=_text(scores.values.astype(_VALUES).tobytes()),
            kinds=_text(scores.kinds.astype(_KINDS).tobytes()),
        )

    def _is_mirrored(self, first: str, second: str) -> bool:
        """Whether the games of two players are kept in the other order."""
        return first != second and (second, first) in self._scores

    def _take_up(self, file: Path, out: BinaryIO) -> None:
        content = _content(file, out)
        whole = content.rfind(b"\n") + 1
        if not whole and not _is_beginning(content):
            raise DataFileError(f"{file} keeps no tournament, it begins with {content[:40]!r}", field="keep")
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                self._read(number, json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise DataFileError(
                    f"{file} line {number} cannot be read: {error or type(error).__name__}", field="keep"
                ) from error
        try:
            out.truncate(whole)
        except OSError as error:
            raise DataFileError(f"{file} cannot be written: {error.strerror}", field="keep") from error
        if not whole:
            self._write(format=_FORMAT, **asdict(self._rules))
        for entrant in self._entrants.values():
            if entrant.name not in self._known:
                self._write(player=entrant.name, nets=entrant.nets)

    def _read(self, number: int, record: dict[str, Any]) -> None:
        if number == 1:
            self._check_rules(record)
        elif "player" in record:
            self._check_player(record["player"], record["nets"])
        else:
            values = np.frombuffer(base64.b64decode(record["values"], validate=True), _VALUES)
            kinds = np.frombuffer(base64.b64decode(record["kinds"], validate=True), _KINDS)
            names = str(record["first"]), str(record["second"])
            before = self._scores.get(names, Scores.none())
            if len(values) != len(kinds) or len(values) % 2 or before.games != record["first_game"]:
                raise ValueError("its games do not follow those before")
            self._scores[names] = before.followed_by(Scores(values.astype(np.float64), kinds.astype(np.int8)))

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
        self._known.add(name)

    def _write(self, **record: object) -> None:
        if self._out is None:
            return
        try:
            self._out.write(json.dumps(record).encode() + b"\n")
            self._out.flush()
        except OSError as error:
            raise DataFileError(f"{self._file} cannot be written: {error.strerror}", field="keep") from error


def _locked(file: Path) -> BinaryIO:
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


def _content(file: Path, out: BinaryIO) -> bytes:
    """What an open file has in it."""
    try:
        out.seek(0)
        return out.read()
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="keep") from error


def _is_beginning(content: bytes) -> bool:
    """Whether a kill in the first line can have left this."""
    begun = b'{"format": ' + json.dumps(_FORMAT).encode()
    return content.startswith(begun[: len(content)])


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
