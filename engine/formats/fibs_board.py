"""The FIBS board line, in the dialects of FIBS and GNU Backgammon.

``board:you:opponent:length:score:score:26 points:turn:dice:dice:cube:may double:may double:doubled:…``, 52
fields after the word ``board``. The points are one player's view whoever is on roll; that player ("you" on
FIBS, player 1 in GNU Backgammon) is seat 1, the other seat 0.

Source: fibs.com/fibs_interface.html#board_state for FIBS; the wire of gnubg 1.07.001 for its dialect.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import FormatError, GammondError, PositionError, UnsupportedError, ValueRangeError
from engine.kernels import formats as kernel_formats
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off, swap_sides

VIEWER = 1
"""The seat whose view the line has."""

_OPPONENT = 1 - VIEWER
_MONEY_LENGTH = 9999
_FIELD_COUNT = kernel_formats.FIBS_FIELDS
_FIRST_POINT = 5
_FIELD_NAMES = (
    *("name", "name", "length", "score", "score"),
    *(f"point {place}" for place in range(26)),
    *("turn", "dice", "dice", "dice", "dice", "cube", "may_double", "may_double", "doubled"),
    *("colour", "direction", "home", "bar", "on_home", "on_home", "on_bar", "on_bar"),
    *("can_move", "forced_move", "post_crawford", "redoubles"),
)
_TURN, _DICE, _CUBE, _MAY_DOUBLE, _DOUBLED = 31, 32, 36, 37, 39
_COLOUR, _DIRECTION, _POST_CRAWFORD = 40, 41, 50
_STATE_LENGTH = len(kernel_formats.FIBS_STATE_FIELDS)
_MIN_COLONS = 20
_BLANKS = " \t\r\n\0"


class FibsDialect(enum.Enum):
    """The program that writes or reads the line.

    The dialects differ in whose name and score come first. FIBS: always the viewer's. GNU Backgammon: the
    other player's (its player 0), except that the viewer's come first while a double is pending. All other
    fields put the viewer first in both, also in gnubg while it asks about a double; the turn is then
    the doubler's. FIBS writes 9999 for the length of money play and the dice of the player on roll only;
    gnubg writes 0 and the dice twice.
    """

    FIBS = "fibs"
    GNUBG = "gnubg"

    def first_seat(self, doubled: bool) -> int:
        """Return the seat whose name and score come first."""
        return _OPPONENT if self is FibsDialect.GNUBG and not doubled else VIEWER


class FibsBoard(NamedTuple):
    """The contents of a board line.

    Attributes:
        position: As the player on roll sees it; the doubler's view while a double is pending.
        match: The match state.
        names: Of seats 0 and 1; seat 1 is the player whose view the line was.
    """

    position: Position
    match: MatchState
    names: tuple[str, str]


def decode_fibs_board(text: str, dialect: FibsDialect | None = None) -> FibsBoard:
    """Parse a board line, with or without ``board:`` in front.

    The Crawford game is implicit: a match game with exactly one side 1-away and the post-Crawford flag at 0.
    Jacoby and beavers have their defaults. Fields that repeat others (checkers off and on the bar, movable
    checkers) must be numbers and are ignored.

    Args:
        text: The line.
        dialect: Its dialect; if None, GNU Backgammon's where both sides have dice, else that of FIBS.

    Raises:
        FormatError: A field cannot be parsed; the message says which.
        ValueRangeError: A field is out of range.
        PositionError: The position or match state is impossible.
    """
    fields = _split_fields(text)
    numbers = [0, 0] + [_parse_number(fields, place) for place in range(2, _FIELD_COUNT)]
    _check_allowed_values(numbers)
    dialect = dialect or _guess_dialect(numbers)
    match = _read_match(numbers, dialect)
    view = _read_board(numbers)
    position = Position(view if match.on_roll == VIEWER else swap_sides(view))
    first = dialect.first_seat(match.doubled)
    return FibsBoard(position, match, (fields[first], fields[1 - first]))


def is_fibs_board(text: str) -> bool:
    """Return whether a text that is no XGID is to be read as a FIBS board, right or wrong."""
    return text.startswith("board:") or text.count(":") > _MIN_COLONS


def describe_reading(text: str) -> str:
    """Say by which dialect a valid board line was read; empty where its dice tell, or both give the same."""
    fields = _split_fields(text)
    length, first, second, *others = (int(fields[place]) for place in (2, 3, 4, _DICE, _DICE + 2, _DOUBLED))
    if length in (0, _MONEY_LENGTH) or first == second or any(others):
        return ""
    return (
        "the first score of this board line is read as the viewer's, as FIBS writes it (GNU Backgammon has "
        "the opponent's)"
    )


def decode_fibs_boards(
    texts: Sequence[str], dialect: FibsDialect | None = None
) -> tuple[Board, list[MatchState | None]]:
    """Parse many board lines; `decode_fibs_board` explains what is wrong with a bad one.

    Args:
        texts: n lines, each as for `decode_fibs_board`.
        dialect: Their dialect; if None, that of each as `decode_fibs_board` finds it.

    Returns:
        Boards ``int8[n, 2, 26]`` as the player on roll sees them, and the n match states. The match state of
        a bad line is None, and its board has no meaning.
    """
    bare = [text.strip(_BLANKS) for text in texts]
    text = np.frombuffer("".join(bare).encode("ascii", "replace"), np.uint8)
    ends = np.array(list(accumulate(map(len, bare))), np.int64)
    boards = np.empty((len(texts), 2, 26), np.int8)
    states = np.empty((len(texts), _STATE_LENGTH), np.int32)
    codes = np.empty(len(texts), np.uint8)
    kernel_formats.decode_fibs_boards(text, ends, boards, states, codes)
    keys, size = states.tobytes(), states.itemsize * _STATE_LENGTH
    return boards, [
        _decode_match(keys[i * size : (i + 1) * size], dialect) if code == kernel_formats.OK else None
        for i, code in enumerate(codes.tolist())
    ]


def encode_fibs_board(
    position: Position,
    match: MatchState,
    names: tuple[str, str] = ("O", "X"),
    dialect: FibsDialect = FibsDialect.FIBS,
) -> str:
    """Return a board line as seat 1 sees it, whose checkers count positive and move from 24 to 1.

    Args:
        position: As the player on roll sees it.
        match: The match state; Jacoby and beavers have no place in the line.
        names: Of seats 0 and 1.
        dialect: The dialect of its reader.

    Returns:
        The line from ``board:`` to the last field, without a line end.

    Raises:
        FormatError: A name is empty or has a colon or control character.
        UnsupportedError: A resignation or a beaver is pending, for which the line has no place.
    """
    if match.resigned or match.beavered:
        name, offer = ("resigned", "resignation") if match.resigned else ("beavered", "beaver")
        raise UnsupportedError(f"a FIBS board has no place for a pending {offer}", field=name)
    for name in names:
        if not name or ":" in name or not name.isprintable():
            raise FormatError(f"expected a name of letters without colons, got {name[:40]!r}", field="name")
    is_gnubg = dialect is FibsDialect.GNUBG
    first = dialect.first_seat(match.doubled)
    view = (position.board if match.on_roll == VIEWER else swap_sides(position.board)).astype(np.int64)
    fields = (
        *(names[first], names[1 - first]),
        _MONEY_LENGTH if match.is_money and not is_gnubg else match.length,
        *(match.score[first], match.score[1 - first]),
        *_format_points(view),
        *_format_turn_and_dice(match, dialect),
        *_format_cube(match, dialect),
        *(1, -1, 0, BAR),
        *view[:, 0].tolist(),
        *view[:, BAR].tolist(),
        *(0, 0),
        int(match.is_post_crawford),
        int(is_gnubg and not match.crawford),
    )
    return "board:" + ":".join(map(str, fields))


def _format_points(view: NDArray[np.int64]) -> list[int]:
    """Return the 26 points of ``int64[2, 26]``, viewer in row 0; the viewer's checkers count positive."""
    points = view[0] - view[1, ::-1]
    points[0], points[BAR] = -view[1, BAR], view[0, BAR]
    return [int(count) for count in points]


def _format_turn_and_dice(match: MatchState, dialect: FibsDialect) -> tuple[int, ...]:
    """Return the turn, the viewer's dice and the other player's."""
    dice = match.roll or (0, 0)
    idle = dice if dialect is FibsDialect.GNUBG else (0, 0)
    return (1, *dice, *idle) if match.on_roll == VIEWER else (-1, *idle, *dice)


def _format_cube(match: MatchState, dialect: FibsDialect) -> tuple[int, ...]:
    """Return the cube, who may double (the viewer, the other player), and whether a double is pending."""
    may_double = [
        match.cube_owner in (None, seat) and (dialect is FibsDialect.GNUBG or not match.crawford)
        for seat in (VIEWER, _OPPONENT)
    ]
    return (match.cube, *map(int, may_double), int(match.doubled))


@lru_cache(maxsize=4096)
def _decode_match(key: bytes, dialect: FibsDialect | None) -> MatchState | None:
    """Return the match state of a row of `FIBS_STATE_FIELDS`; None if it is impossible."""
    numbers = [0] * _FIELD_COUNT
    for field, number in zip(
        kernel_formats.FIBS_STATE_FIELDS, np.frombuffer(key, np.int32).tolist(), strict=True
    ):
        numbers[field] = number
    try:
        return _read_match(numbers, dialect or _guess_dialect(numbers))
    except GammondError:
        return None


def _guess_dialect(numbers: Sequence[int]) -> FibsDialect:
    """Return the dialect that dice show: FIBS writes those of the player on roll only."""
    has_both = numbers[_DICE] and numbers[_DICE + 2]
    return FibsDialect.GNUBG if has_both else FibsDialect.FIBS


def _split_fields(text: str) -> list[str]:
    fields = text.strip(_BLANKS).split(":")
    if len(fields) == _FIELD_COUNT + 1 and fields[0] == "board":
        fields = fields[1:]
    if len(fields) != _FIELD_COUNT:
        raise FormatError(
            f"a FIBS board has {_FIELD_COUNT} fields behind 'board:', {text[:60]!r} has {len(fields)}",
            field="position",
        )
    return fields


def _parse_number(fields: list[str], place: int) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,6}", fields[place]):
        raise FormatError(
            f"FIBS board field {place + 1} ({_FIELD_NAMES[place]}) is a number, not {fields[place][:40]!r}",
            field=_FIELD_NAMES[place],
        )
    return int(fields[place])


def _check_allowed_values(numbers: list[int]) -> None:
    if numbers[_TURN] == 0:
        raise PositionError(
            "FIBS board field 32 (turn) is 0: the game is over, nobody is on roll", field="turn"
        )
    choices = {
        _TURN: (1, -1),
        _COLOUR: (1, -1),
        _DIRECTION: (1, -1),
        _DOUBLED: (0, 1),
        _POST_CRAWFORD: (0, 1),
    }
    choices |= {_MAY_DOUBLE: (0, 1), _MAY_DOUBLE + 1: (0, 1)}
    for place, legal in choices.items():
        if numbers[place] not in legal:
            raise ValueRangeError(
                f"FIBS board field {place + 1} ({_FIELD_NAMES[place]}) is {legal[0]} or {legal[1]}, "
                f"not {numbers[place]}",
                field=_FIELD_NAMES[place],
            )


def _read_match(numbers: Sequence[int], dialect: FibsDialect) -> MatchState:
    first = dialect.first_seat(bool(numbers[_DOUBLED]))
    length = 0 if numbers[2] == _MONEY_LENGTH else numbers[2]
    score = numbers[3 + first], numbers[4 - first]
    on_roll = VIEWER if numbers[_TURN] == numbers[_COLOUR] else _OPPONENT
    return MatchState(
        length=length,
        score=score,
        crawford=_is_crawford(length, score, numbers[_POST_CRAWFORD]),
        cube=numbers[_CUBE],
        cube_owner=_read_cube_owner(numbers, on_roll),
        on_roll=on_roll,
        roll=_read_roll(numbers, on_roll),
        doubled=bool(numbers[_DOUBLED]),
    )


def _is_crawford(length: int, score: tuple[int, int], post_crawford: int) -> bool:
    return length > 0 and not post_crawford and (length - score[0] == 1) != (length - score[1] == 1)


def _read_cube_owner(numbers: Sequence[int], on_roll: int) -> int | None:
    viewer_may, other_may = numbers[_MAY_DOUBLE], numbers[_MAY_DOUBLE + 1]
    if viewer_may != other_may:
        return VIEWER if viewer_may else _OPPONENT
    if viewer_may or numbers[_CUBE] == 1:
        return None
    if numbers[_DOUBLED]:
        return on_roll
    raise PositionError(
        f"FIBS board fields 38 and 39 (may_double) are both 0 with the cube at {numbers[_CUBE]}: "
        "nobody would own the cube",
        field="may_double",
    )


def _read_roll(numbers: Sequence[int], on_roll: int) -> Roll | None:
    place = _DICE if on_roll == VIEWER else _DICE + 2
    dice = numbers[place], numbers[place + 1]
    if dice == (0, 0):
        return None
    if not all(1 <= die <= 6 for die in dice):
        raise ValueRangeError(
            f"FIBS board fields {place + 1} and {place + 2} (dice) are 1 to 6 or both 0, "
            f"not {dice[0]} and {dice[1]}",
            field="dice",
        )
    return dice


def _read_board(numbers: list[int]) -> Board:
    """Parse the 26 points as ``int8[2, 26]`` with the viewer in row 0."""
    board = np.zeros((2, 26), np.int8)
    for place in range(26):
        count = numbers[_FIRST_POINT + place] * numbers[_COLOUR]
        viewers_point = place if numbers[_DIRECTION] == -1 else BAR - place
        row, point = (0, viewers_point) if count > 0 else (1, BAR - viewers_point)
        if abs(count) > CHECKERS or (count and point == 0):
            raise ValueRangeError(
                f"FIBS board field {_FIRST_POINT + place + 1} (point {place}) is "
                f"{numbers[_FIRST_POINT + place]}: "
                + ("the bar of the other side" if point == 0 else f"at most {CHECKERS} checkers a point"),
                field="position",
            )
        if count:
            board[row, point] = abs(count)
    fill_borne_off(board, ("the first player of the board", "the other player"))
    return board
