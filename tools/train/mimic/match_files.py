"""Files of matches: those of folders and archives, and single ones, as text."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataFileError

ENDINGS = (".mat", ".txt")
"""What files of matches are called in folders and archives."""

LARGEST_BYTES = 16_000_000
"""Of a file; what is longer is cut there."""


@dataclass(frozen=True)
class MatchFile:
    """A file that may hold matches.

    Attributes:
        name: As the user can find it; in an archive, below the archive's name.
        text: What is in it.
    """

    name: str
    text: str


@dataclass(frozen=True)
class Unread:
    """What could not be read of a source.

    Attributes:
        name: As `MatchFile.name`.
        reason: Why not.
    """

    name: str
    reason: str


def match_files(sources: Sequence[Path]) -> tuple[list[MatchFile], list[Unread]]:
    """Read files of matches; an archive that is cut or damaged gives those before the damage.

    Args:
        sources: Folders, in which all files that are called as in `ENDINGS` count; archives
            (``.tar``, compressed or not), likewise; and single files, whatever they are called.

    Returns:
        The files of each source, by name; and what could not be read.

    Raises:
        DataFileError: There is no such source.
    """
    files: list[MatchFile] = []
    unread: list[Unread] = []
    for source in sources:
        if not source.exists():
            raise DataFileError(f"there is no file or folder {source}", field="sources")
        found = list(_of(source))
        files += sorted((each for each in found if isinstance(each, MatchFile)), key=lambda file: file.name)
        unread += [each for each in found if isinstance(each, Unread)]
    return files, unread


def _of(source: Path) -> Iterator[MatchFile | Unread]:
    if source.is_dir():
        yield from _read(file for file in source.rglob("*") if file.suffix.lower() in ENDINGS)
    elif _is_archive(source):
        yield from _unpacked(source)
    else:
        yield from _read([source])


def _is_archive(file: Path) -> bool:
    try:
        return tarfile.is_tarfile(file)
    except (OSError, EOFError, zlib.error):
        return False


def _read(files: Iterable[Path]) -> Iterator[MatchFile | Unread]:
    for file in files:
        try:
            with file.open("rb") as content:
                yield MatchFile(str(file), _decoded(content.read(LARGEST_BYTES)))
        except OSError as error:
            yield Unread(str(file), str(error.strerror))


def _unpacked(archive: Path) -> Iterator[MatchFile | Unread]:
    try:
        with tarfile.open(archive) as members:
            for member in members:
                content = members.extractfile(member) if member.name.lower().endswith(ENDINGS) else None
                if content is not None:
                    text = _decoded(content.read(LARGEST_BYTES))
                    yield MatchFile(f"{archive}/{member.name}", text)
    except (OSError, EOFError, KeyError, tarfile.TarError, zlib.error) as error:
        yield Unread(str(archive), f"the archive is damaged: {error}")


def _decoded(content: bytes) -> str:
    """Names may be of any code page; all else is ASCII."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
