"""The container of eXtreme Gammon's files: a header, a picture of the board, compressed parts, an index.

The parts that matter are the records of the match (``temp.xg``) and its comments (``temp.xgc``). Neither is
believed about its size: each is unpacked up to a limit.

*Source:* "XGFile Format Specification", extremegammon.com/xgformat.aspx; the index and the 36 bytes after it,
which it leaves out, from files.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from gammond.engine.errors import FormatError

MAGIC = b"RGMH"
"""What a file of eXtreme Gammon begins with."""

RECORDS_PART = "temp.xg"
COMMENTS_PART = "temp.xgc"

MAX_PART_BYTES = {RECORDS_PART: 8192 * 2560, COMMENTS_PART: 2_000_000}
"""The most that is unpacked of each part: 8,192 records, about ninety games, and their comments.

The longest of 1,500 matches of up to 17 points would take 1,400 records at most.
"""

_HEADER = struct.Struct("<4sIIqI")  # magic, version, size of the header, place and size of the picture
_TRAILER = struct.Struct("<IIIIII12x")  # checksum, parts, version, size of the index, of the parts, flag
_ENTRY = struct.Struct("<256p256pIIII4x")  # name, folder, size, packed size, place, checksum
_MAX_PARTS = 16
_INPUT_BYTES = 4096


@dataclass(frozen=True)
class XgContainer:
    """The parts of a file.

    Attributes:
        records: The bytes of the match's records, as far as they could be unpacked.
        comments: The bytes of its comments, likewise.
        faults: What is wrong with the file, a sentence each.
        is_cut: Whether the end of the records is missing.
    """

    records: bytes
    comments: bytes
    faults: tuple[str, ...]
    is_cut: bool = False


def unpack_container(data: bytes) -> XgContainer:
    """Unpack the parts of a file.

    A file that was cut short has no index: its records are unpacked up to the end.

    Raises:
        FormatError: It is no file of eXtreme Gammon, or ends within its header.
    """
    if not data.startswith(MAGIC):
        raise FormatError(
            f"expected a file of eXtreme Gammon, which begins with {MAGIC.decode()}, got {data[:4]!r}",
            field="xg",
        )
    if len(data) < _HEADER.size:
        raise FormatError(
            f"expected the header of an eXtreme Gammon file, got {len(data)} bytes: it was cut short",
            field="xg",
        )
    _, _, header_size, _, picture_size = _HEADER.unpack_from(data)
    begin = header_size + picture_size
    if header_size < _HEADER.size or begin >= len(data):
        raise FormatError(
            f"expected a match after a header of {header_size:,} bytes and a picture of {picture_size:,}, "
            f"got a file of {len(data):,} bytes: it was cut short or altered",
            field="xg",
        )
    faults: list[str] = []
    packed = _find_parts(data, begin, faults)
    records, is_cut = _unpack_part(RECORDS_PART, packed, faults)
    comments, _ = _unpack_part(COMMENTS_PART, packed, faults) if COMMENTS_PART in packed else (b"", False)
    return XgContainer(records, comments, tuple(faults), is_cut)


_PackedPart = tuple[memoryview, tuple[int, int] | None]
"""A compressed part; the size and the checksum that it should have, None where no index says."""


def _find_parts(data: bytes, begin: int, faults: list[str]) -> dict[str, _PackedPart]:
    """Find the compressed parts by the index; without one, take what follows the header for the records."""
    view = memoryview(data)
    trailer_at = len(data) - _TRAILER.size
    if trailer_at > begin:
        _, count, _, index_size, parts_size, _ = _TRAILER.unpack_from(data, trailer_at)
        if begin + parts_size + index_size == trailer_at and count <= _MAX_PARTS:
            index, fault = _inflate(view[trailer_at - index_size : trailer_at], count * _ENTRY.size)
            if fault is None and len(index) == count * _ENTRY.size:
                parts = view[begin : begin + parts_size]
                return {
                    name.decode("latin-1").lower(): (parts[place : place + packed_size], (size, checksum))
                    for name, _, size, packed_size, place, checksum in _ENTRY.iter_unpack(index)
                }
    faults.append("expected an index of parts at the end, got none: the file was cut short or altered")
    return {RECORDS_PART: (view[begin:], None)}


def _unpack_part(name: str, packed: dict[str, _PackedPart], faults: list[str]) -> tuple[bytes, bool]:
    """Unpack a part as far as possible; what is wrong with it is added to the faults.

    Returns:
        The part, and whether its end is missing.
    """
    if name not in packed:
        names = ", ".join(repr(other[:40]) for other in packed) or "none"
        faults.append(f"expected a part {name} with the match, got {names}")
        return b"", True
    data, expected = packed[name]
    content, fault = _inflate(data, MAX_PART_BYTES[name])
    if fault is not None:
        faults.append(f"{name}: {fault}")
    elif expected is not None and expected != (len(content), zlib.crc32(content)):
        faults.append(f"{name}: expected {expected[0]:,} bytes of another checksum: the file was altered")
    return content, fault is not None


def _inflate(packed: memoryview, limit: int) -> tuple[bytes, str | None]:
    """Decompress up to a limit.

    Returns:
        What could be decompressed, and what is wrong with the rest.
    """
    inflater = zlib.decompressobj()
    pieces: list[bytes] = []
    size = 0
    for start in range(0, len(packed), _INPUT_BYTES):
        try:
            piece = inflater.decompress(packed[start : start + _INPUT_BYTES], limit - size + 1)
        except zlib.error:
            got = "another kind of data" if not size else f"a fault after {size:,} bytes"
            return b"".join(pieces), f"expected zlib data, got {got}"
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            fault = f"expected at most {limit:,} bytes, got more: the rest is left out"
            return b"".join(pieces)[:limit], fault
        if inflater.eof:
            return b"".join(pieces), None
    return b"".join(pieces), f"expected more zlib data, got the end of the file after {size:,} bytes"
