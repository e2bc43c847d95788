"""Match files as text: single ones, and those of folders and archives."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataFileError

MATCH_FILE_SUFFIXES = (".mat", ".txt")
"""Suffixes of match files in folders and archives."""

MAX_FILE_BYTES = 16_000_000
"""Longer files are cut here."""


@dataclass(frozen=True)
class MatchFile:
    """A file that may hold matches.

    Attributes:
        name: As the user can find it; in an archive, below the archive's name.
        text: Its content.
    """

    name: str
    text: str


@dataclass(frozen=True)
class SkippedFile:
    """A file or an archive that could not be read.

    Attributes:
        name: As `MatchFile.name`.
        reason: Why not.
    """

    name: str
    reason: str


def read_match_files(sources: Sequence[Path]) -> tuple[list[MatchFile], list[SkippedFile]]:
    """Read match files; a truncated or damaged archive gives those before the damage.

    Args:
        sources: Folders and archives (``.tar``, compressed or not), in which all files with one of
            `MATCH_FILE_SUFFIXES` count; and single files of any name.

    Returns:
        The files of each source, by name; and those that could not be read.

    Raises:
        DataFileError: A source does not exist.
    """
    files: list[MatchFile] = []
    unread: list[SkippedFile] = []
    for source in sources:
        if not source.exists():
            raise DataFileError(f"{source}: no such file or folder", field="sources")
        found = list(_read_source(source))
        files += sorted((each for each in found if isinstance(each, MatchFile)), key=lambda file: file.name)
        unread += [each for each in found if isinstance(each, SkippedFile)]
    return files, unread


def _read_source(source: Path) -> Iterator[MatchFile | SkippedFile]:
    if source.is_dir():
        yield from _read_files(
            file for file in source.rglob("*") if file.suffix.lower() in MATCH_FILE_SUFFIXES
        )
    elif _is_archive(source):
        yield from _read_archive(source)
    else:
        yield from _read_files([source])


def _is_archive(file: Path) -> bool:
    try:
        return tarfile.is_tarfile(file)
    except (OSError, EOFError, zlib.error):
        return False


def _read_files(files: Iterable[Path]) -> Iterator[MatchFile | SkippedFile]:
    for file in files:
        try:
            with file.open("rb") as content:
                yield MatchFile(str(file), _decode(content.read(MAX_FILE_BYTES)))
        except OSError as error:
            yield SkippedFile(str(file), str(error.strerror))


def _read_archive(archive: Path) -> Iterator[MatchFile | SkippedFile]:
    try:
        with tarfile.open(archive) as members:
            for member in members:
                content = (
                    members.extractfile(member) if member.name.lower().endswith(MATCH_FILE_SUFFIXES) else None
                )
                if content is not None:
                    text = _decode(content.read(MAX_FILE_BYTES))
                    yield MatchFile(f"{archive}/{member.name}", text)
    except (OSError, EOFError, KeyError, tarfile.TarError, zlib.error) as error:
        yield SkippedFile(str(archive), f"the archive is damaged: {error}")


def _decode(content: bytes) -> str:
    """Decode a file; names may be in any code page, all else is ASCII."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
