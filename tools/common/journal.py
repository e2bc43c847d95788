"""Journals: files of JSON lines that a run appends to, and from which the same run goes on after a kill."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.runtime.files import check_folder, open_regular
from gammond.tools.common.files import name_in_errors
from gammond.tools.common.locks import hold_lock

Record = dict[str, Any]
"""A line of a journal, or a part of it."""


class LinePlace(NamedTuple):
    """Where a line is: its number from 1, its first byte, and the byte behind it."""

    number: int = 1
    start: int = 0
    end: int = 0


class Journal:
    """A file of JSON lines that a run appends to, used as a context manager; threads may share it.

    One process at a time has it. A last line that a kill cut short makes way for the next one.

    Args:
        file: The file; made with the first record if missing. None keeps nothing.
        head: The first record, which says of which run the file is. Its first item tells files of this kind
            from all others: by its value if that is a text, else by its name. None for the log of a folder
            that says itself of which run it is.
        field: The option that names the file, for errors.
        take: Takes each record that is there, the head too, with its place; it may raise `ValueError`,
            `KeyError` or `TypeError` for one that is damaged.
        identify: Returns, of a head, what must be the same for the run to go on; by default all of it.
        restart: How the user begins anew, for errors.
        is_new: Whether to begin anew, whichever run's is there.
        is_compact: Whether lines have no spaces.

    Raises:
        StateError: The file is of another run, or another process has it.
        DataFileError: It is of something else, and left as it is; or it is damaged, or cannot be read or
            written.
    """

    def __init__(
        self,
        file: Path | None,
        head: Mapping[str, object] | None = None,
        field: str | None = None,
        *,
        take: Callable[[LinePlace, Record], object] = lambda place, record: None,
        identify: Callable[[Record], Mapping[str, object]] = lambda head: head,
        restart: str = "choose another file",
        is_new: bool = False,
        is_compact: bool = False,
    ) -> None:
        self.file = file
        self._field = field
        self._restart = restart
        self._separators = (",", ":") if is_compact else (", ", ": ")
        self._writing = threading.Lock()
        self._last: Mapping[str, object] = {}
        self._end = 0
        self._out: FileIO | None = None
        self._opened = ExitStack()
        if file is None:
            return
        check_folder(file, field)
        with self._opened:
            self._opened.enter_context(hold_lock(file, field))
            if file.exists():
                self._check_kind(file, head or {})
                own = {} if head is None else identify(json.loads(self._encode(head)))
                for place, record in () if is_new else self.read(LinePlace()):
                    with self.name_line(place):
                        if own and place.number == 1:
                            self._check_run(identify(record), own)
                        take(place, record)
                    self._end, self._last = place.end, record
            if head is not None:
                self._write(b"" if self._end else self._encode(head))
            self._opened = self._opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def append(self, record: Mapping[str, object]) -> None:
        """Append a record.

        Raises:
            DataFileError: It cannot be written.
        """
        self._write(self._encode(record))
        self._last = record

    def append_new(self, record: Mapping[str, object], key: str) -> bool:
        """Append a record unless the last one has the same key, as a killed run does; return whether."""
        if self._last and self._last[key] == record[key]:
            return False
        self.append(record)
        return True

    def read(self, place: LinePlace) -> Iterator[tuple[LinePlace, Record]]:
        """Read the lines from a place on, one by one.

        Raises:
            DataFileError: A line is damaged, or cannot be read.
        """
        return _read_lines(self.file, place, self._field, self._restart) if self.file else iter(())

    def name_line(self, place: LinePlace) -> AbstractContextManager[None]:
        """Raise a `DataFileError` with the line where a block finds that it is damaged, as `take` may."""
        return _name_line(self.file, place, self._field, self._restart)

    def remove(self) -> None:
        """Delete the file: the run is finished."""
        if self.file is not None and self._out is not None:
            self._out.close()
            with name_in_errors(self.file, "removed", self._field):
                self.file.unlink(missing_ok=True)

    def _encode(self, record: Mapping[str, object]) -> bytes:
        return json.dumps(record, separators=self._separators).encode() + b"\n"

    def _write(self, line: bytes) -> None:
        if self.file is None:
            return
        with self._writing, name_in_errors(self.file, "written", self._field):
            if self._out is None:
                self._out = self._opened.enter_context(self.file.open("ab", buffering=0))
            self._out.truncate(self._end)  # what a kill or a full disk left of a line
            end = self._end + len(line)
            while line:
                line = line[self._out.write(line) :]
            self._end = end

    def _check_kind(self, file: Path, head: Mapping[str, object]) -> None:
        """Refuse a file that does not begin as those of this kind do, or as a kill leaves them."""
        first = {name: value if isinstance(value, str) else 0 for name, value in [*head.items()][:1]}
        mark = self._encode(first).rstrip(b"0}\n")
        with name_in_errors(file, "read", self._field), open_regular(file) as source:
            found = source.read(len(mark))
        if not mark.startswith(found):
            raise DataFileError(
                f"{file} is of something else: expected {mark.decode()} at its beginning, "
                f"got {found.decode(errors='replace')!r}: move it away, or choose another name",
                field=self._field,
            )

    def _check_run(self, found: Mapping[str, object], own: Mapping[str, object]) -> None:
        for name, value in own.items():
            if found.get(name) != value:
                raise StateError(
                    f"{self.file} is of a run with {name} {found.get(name)}, this one has {value}: "
                    f"repeat its command to go on with it, or {self._restart}",
                    field=self._field,
                )


def read_records(log: Path) -> list[Record]:
    """Read a journal, without a last line that a kill cut short; one that does not exist is empty.

    Raises:
        DataFileError: A line is damaged, or cannot be read.
    """
    return [record for _, record in _read_lines(log, LinePlace())] if log.exists() else []


def _read_lines(
    file: Path, place: LinePlace, field: str | None = None, restart: str = ""
) -> Iterator[tuple[LinePlace, Record]]:
    with name_in_errors(file, "read", field), open_regular(file) as source:
        source.seek(end := place.start)
        for number, line in enumerate(source, place.number):
            if not line.endswith(b"\n"):
                return
            place = LinePlace(number, end, end := end + len(line))
            with _name_line(file, place, field, restart):
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ValueError(f"expected a JSON object, got {record!r:.40}")
            yield place, record


@contextmanager
def _name_line(file: Path | None, place: LinePlace, field: str | None, restart: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        parts = (f"{file} line {place.number} cannot be read", reason, restart)
        raise DataFileError(": ".join(filter(None, parts)), field=field) from error
