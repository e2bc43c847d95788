"""The content of match files: single ones, and those of folders and archives, as far as they are harmless."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.match_files.reading import MAX_FILE_BYTES
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.match_inputs import MatchInput, list_match_inputs

MAX_ARCHIVE_BYTES = 100_000_000
"""The most that the members of an archive may have in all, unpacked; what comes after it is skipped."""

_MAX_NAME_BYTES = 100_000
"""The most that an archive may use to say how a member is called."""


@dataclass(frozen=True)
class MatchFile:
    """A file that may hold matches.

    Attributes:
        name: As the user can find it, unprintable characters escaped; in an archive, below the archive's
            name.
        content: All its bytes.
    """

    name: str
    content: bytes


@dataclass(frozen=True)
class SkippedFile:
    """A file or an archive that could not be read.

    Attributes:
        name: As `MatchFile.name`.
        reason: Why not.
    """

    name: str
    reason: str


def iterate_match_files(sources: Sequence[Path]) -> Iterator[MatchFile | SkippedFile]:
    """Read match files one after the other; a truncated or damaged archive gives those before the damage.

    Only regular files count: no links, pipes or devices. Of files and archives that are too large, nothing
    but the first part is ever in memory.

    Args:
        sources: Folders and archives (``.tar``, compressed or not), in which all files count that are not
            hidden; and single files.

    Yields:
        The files of each source, by name, and those that could not be read.

    Raises:
        DataFileError: A source does not exist; before anything is read.
    """
    for source in sources:
        if not source.exists():
            raise DataFileError(f"{source}: no such file or folder", field="sources")
    return (file for source in sources for file in _read_source(source))


def _read_source(source: Path) -> Iterator[MatchFile | SkippedFile]:
    if source.is_file() and _is_archive(source):
        yield from sorted(_read_archive(source), key=lambda file: file.name)
    else:
        for found in list_match_inputs([str(source)]):
            yield _read_file(found.path or source) if not found.member else _read_found(found)


def _is_archive(file: Path) -> bool:
    try:
        tarfile.open(file, tarinfo=_Member).close()
    except _LongHeaderError:
        return True
    except (OSError, EOFError, tarfile.TarError, zlib.error, lzma.LZMAError):
        return False
    return True


def _read_found(found: MatchInput) -> MatchFile | SkippedFile:
    name = escape_unprintable(found.name)
    try:
        return _take_content(name, found.read_member())
    except DataFileError as error:
        return SkippedFile(name, error.message)


def _read_file(file: Path) -> MatchFile | SkippedFile:
    name = escape_unprintable(str(file))
    try:
        if not file.is_file():
            return SkippedFile(name, "expected a regular file")
        with file.open("rb") as content:
            return _take_content(name, content.read(MAX_FILE_BYTES + 1))
    except OSError as error:
        return SkippedFile(name, str(error.strerror))


def _read_archive(archive: Path) -> Iterator[MatchFile | SkippedFile]:
    unpacked = 0
    try:
        with tarfile.open(archive, tarinfo=_Member) as members:
            for member in members:
                unpacked += member.size
                if unpacked > MAX_ARCHIVE_BYTES:
                    yield SkippedFile(
                        escape_unprintable(str(archive)),
                        f"expected at most {MAX_ARCHIVE_BYTES:,} bytes unpacked: the files from "
                        f"{escape_unprintable(member.name)} on are left out",
                    )
                    return
                if not (member.isdir() or any(part.startswith(".") for part in Path(member.name).parts)):
                    yield _read_member(members, member, escape_unprintable(f"{archive}/{member.name}"))
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError, zlib.error, lzma.LZMAError) as error:
        yield SkippedFile(escape_unprintable(str(archive)), f"the archive is damaged: {error}")


def _read_member(members: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> MatchFile | SkippedFile:
    content = members.extractfile(member) if member.isreg() else None
    if content is None:
        return SkippedFile(name, "expected a regular file")
    return _take_content(name, content.read(MAX_FILE_BYTES + 1))


class _LongHeaderError(tarfile.TarError):
    """A member says in too many bytes how it is called."""


class _Member(tarfile.TarInfo):
    """A member of an archive, whose name may not fill the memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > _MAX_NAME_BYTES and not (self.isreg() or self.isdir()):
            raise _LongHeaderError(f"a header has {self.size:,} bytes")
        read: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return read


def _take_content(name: str, content: bytes) -> MatchFile | SkippedFile:
    if len(content) > MAX_FILE_BYTES:
        return SkippedFile(name, f"expected at most {MAX_FILE_BYTES:,} bytes")
    return MatchFile(name, content)
