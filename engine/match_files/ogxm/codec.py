"""What the package ogxm makes of files, and how its documents tell seats, points and actions.

Documents are its JSON projection of OGXM 2. White is colour 1 and seat 0, and moves from point 1 to point 24;
point 0 is White's bar, 25 Black's.

*Source:* the package ogxm 2.3 (MIT): its docstrings, the fields that its library names, and what it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gammond.engine.errors import FormatError, UnsupportedError, missing_package
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.position import BAR, OFF, Position, fill_borne_off

if TYPE_CHECKING:
    from types import ModuleType

MAGIC = b"OGXM"

DOUBLE, TAKE, DROP = 21, 22, 23
RESIGN_GAME, RESIGN_MATCH, FORFEIT = 27, 28, 29
SET_POSITION, BEAVER, RACCOON, SETTLE = 31, 32, 33, 34
SET_CUBE, PASS = 36, 37
MARKERS = frozenset((24, 25, 26, 30))
"""Ends of games and matches, and nothing: they say no more than the game does."""

ROLLS = {
    (high, low): number
    for number, (low, high) in enumerate((low, high) for low in range(1, 7) for high in range(low, 7))
}
"""The actions that are rolls, by their dice, the higher one first."""

RESIGNATIONS = ("single", "gammon", "backgammon")
OWNERS = ("white", "black")

KEY = "x-gammond-"
"""The keys of our own annotations begin so: further headers, the moves of illegal plays, rolls
that were not played, missing games."""

HEADER, MOVES, UNPLAYED, MISSING = f"{KEY}header/", f"{KEY}moves", f"{KEY}unplayed", f"{KEY}missing"

VERSION = {"major": 2, "minor": 2}

NO_MOVES = "-"
"""What the annotation of an illegal play says where no checker moved."""

VARIANTS = ("backgammon", "nackgammon", "hypergammon", "longgammon")

Document = dict[str, Any]

_HEADER_BYTES = 16
_MAX_RESTARTS = 100
"""Places after damage at which a member may begin; each costs a copy of the rest of the file."""


def load_ogxm() -> ModuleType:
    """Return the package ogxm.

    Raises:
        UnsupportedError: It is not installed, or has no library for this platform.
    """
    try:
        import ogxm

        ogxm.load_library()
    except ImportError:
        raise missing_package(
            "files of OGXM need, on Linux with an x86-64 processor,", "ogxm", "ogxm", "match"
        ) from None
    except (OSError, RuntimeError) as error:
        raise UnsupportedError(
            f"the package ogxm has no library that runs here: {error}", field="match"
        ) from None
    return ogxm  # type: ignore[no-any-return]


def decode_members(data: bytes) -> Iterator[tuple[int, Document | str]]:
    """Yield the place and the document of each member of a file or a stream, or what is wrong there."""
    ogxm = load_ogxm()
    if int.from_bytes(data[4:6], "little") == 1:
        try:
            data = ogxm.v1_to_v2(data)
        except ogxm.OgxmError as error:
            yield 0, f"a file of OGXM 1 that is not valid: {error}"
            return
    at, restarts = 0, 0
    while at < len(data):
        size = int.from_bytes(data[at + 12 : at + _HEADER_BYTES], "little")
        member = data[at : at + size]
        if len(data) - at < max(size, _HEADER_BYTES):
            fault = f"a match of {max(size, _HEADER_BYTES):,} bytes, of which {len(data) - at:,} are there"
        elif broken := ogxm.verify(member)[0]:
            fault = f"a match that breaks the rules of OGXM ({broken})"
        else:
            try:
                yield at, ogxm.binary_to_json(member)
            except ogxm.OgxmError as error:
                yield at, f"a match that is not valid: {error}"
            at += size
            continue
        yield at, fault
        restarts += 1
        at = data.find(MAGIC, at + 1)
        if at < 0 or restarts > _MAX_RESTARTS:
            return


def encode_document(document: Document) -> bytes:
    """Encode a match.

    Raises:
        UnsupportedError: The format has no place for something in it.
    """
    ogxm = load_ogxm()
    try:
        if (broken := ogxm.v2_problem(document)) is None:
            return bytes(ogxm.json_to_binary(document))
    except ogxm.OgxmError as error:
        broken = str(error)
    raise UnsupportedError(
        f"something of this match has no place in ogxm, whose rules forbid it ({broken}): write it as sgf",
        field="match",
    )


def to_point(point: int, seat: int) -> int:
    """Return a point of a seat's own numbering as the format numbers it, or the other way round."""
    return BAR - point if seat == 0 else point


def list_steps(moves: Sequence[CheckerMove], seat: int) -> list[Document]:
    """Return the steps of a play."""
    return [{"from": to_point(source, seat), "pips": source - target} for source, target in moves]


def read_steps(steps: Sequence[Document], seat: int) -> list[CheckerMove]:
    """Return the checker moves of steps, in the mover's numbering; those beyond the board bear off."""
    sources = [(to_point(step["from"], seat), step["pips"]) for step in steps]
    return [(source, max(source - pips, OFF)) for source, pips in sources]


def format_board(position: Position, on_roll: int) -> list[int]:
    """Return the checkers of each place, those of White above 0, those of Black below."""
    white, black = position.board if on_roll == 0 else position.board[::-1]
    return [int(white[BAR - point]) * (point < BAR) - int(black[point]) * (point > 0) for point in range(26)]


def read_board(places: Sequence[int], on_roll: int, checkers: int) -> Position:
    """Return the position of `format_board`, as a seat sees it.

    Raises:
        FormatError: There are not 26 places.
        PositionError: It is impossible.
    """
    if len(places) != 26:
        raise FormatError(f"expected a board of 26 places, got {len(places)}", field="position")
    signed = np.clip(np.array(places, np.int64), -100, 100).astype(np.int8)
    board = np.zeros((2, 26), np.int8)
    board[0, 1:], board[1, 1:] = signed.clip(0)[24::-1][:25], (-signed).clip(0)[1:]
    fill_borne_off(board, ("White", "Black"), checkers)
    return Position(board if on_roll == 0 else board[::-1].copy(), checkers)
