"""The FIBS board line, in the dialects of FIBS and GNU Backgammon.

``board:you:opponent:length:score:score:26 points:turn:dice:dice:cube:may double:may double:doubled:…``, 52
fields after the word ``board``. The points are one player's view whoever is on roll; that player ("you" on
FIBS, player 1 in GNU Backgammon) is seat 1, the other seat 0.

Source: fibs.com/fibs_interface.html#board_state for FIBS; the wire of gnubg 1.07.001 for its dialect.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from gammond.engine.errors import FormatError, GammondError, PositionError, ValueRangeError
from gammond.engine.formats.fields import Fields, check_no_offer, list_points, place_checkers, read_roll
from gammond.engine.kernels import formats as kernel_formats
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off, swap_sides

VIEWER = 1
"""The seat whose view the line has."""

_OPPONENT = 1 - VIEWER
_MONEY_LENGTH = 9999
_FORM = "FIBS board"
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
_SIGNS = _TURN, _COLOUR, _DIRECTION
_FLAGS = _DOUBLED, _POST_CRAWFORD, _MAY_DOUBLE, _MAY_DOUBLE + 1
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
    numbers = [0, 0] + [fields.parse_number(place) for place in range(2, _FIELD_COUNT)]
    if numbers[_TURN] == 0:
        raise PositionError(
            "FIBS board field 32 (turn) is 0: the game is over, nobody is on roll", field="turn"
        )
    for places, choices in ((_SIGNS, (1, -1)), (_FLAGS, (0, 1))):
        for place in places:
            fields.check_choice(place, numbers[place], choices)
    dialect = dialect or _guess_dialect(numbers)
    match = _read_match(numbers, dialect)
    view = _read_board(numbers)
    position = Position(view if match.on_roll == VIEWER else swap_sides(view))
    first = dialect.first_seat(match.doubled)
    return FibsBoard(position, match, (fields.texts[first], fields.texts[1 - first]))


def is_fibs_board(text: str) -> bool:
    """Return whether a text that is no XGID is to be read as a FIBS board, right or wrong."""
    return text.startswith("board:") or (text.count(":") > _MIN_COLONS and ";" not in text)


def describe_reading(text: str) -> str:
    """Say by which dialect a valid board line was read; empty where its dice tell, or both give the same."""
    texts, asked = _split_fields(text).texts, (2, 3, 4, _DICE, _DICE + 2, _DOUBLED)
    length, first, second, *others = (int(texts[place]) for place in asked)
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

    Raises:
        FormatError: A name is empty or has a colon or control character.
        UnsupportedError: A resignation or a beaver is pending, for which the line has no place.
    """
    check_no_offer(match, ("resigned", "beavered"), "a FIBS board has no place for a pending {}")
    for name in names:
        if not name or ":" in name or not name.isprintable():
            raise FormatError(f"expected a name of letters without colons, got {name[:40]!r}", field="name")
    is_gnubg = dialect is FibsDialect.GNUBG
    first = dialect.first_seat(match.doubled)
    view = position.board if match.on_roll == VIEWER else swap_sides(position.board)
    dice = match.roll or (0, 0)
    idle = dice if is_gnubg else (0, 0)
    may_double = [
        int(match.cube_owner in (None, seat) and (is_gnubg or not match.crawford))
        for seat in (VIEWER, _OPPONENT)
    ]
    fields = (
        *(names[first], names[1 - first]),
        _MONEY_LENGTH if match.is_money and not is_gnubg else match.length,
        *(match.score[first], match.score[1 - first]),
        *list_points(view),
        *((1, *dice, *idle) if match.on_roll == VIEWER else (-1, *idle, *dice)),
        *(match.cube, *may_double, int(match.doubled)),
        *(1, -1, 0, BAR),
        *view[:, 0].tolist(),
        *view[:, BAR].tolist(),
        *(0, 0),
        int(match.is_post_crawford),
        int(is_gnubg and not match.crawford),
    )
    return "board:" + ":".join(map(str, fields))


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


def _split_fields(text: str) -> Fields:
    fields = text.strip(_BLANKS).split(":")
    if len(fields) == _FIELD_COUNT + 1 and fields[0] == "board":
        fields = fields[1:]
    if len(fields) != _FIELD_COUNT:
        raise FormatError(
            f"a FIBS board has {_FIELD_COUNT} fields behind 'board:', {text[:60]!r} has {len(fields)}",
            field="position",
        )
    return Fields(_FORM, _FIELD_NAMES, fields)


def _read_match(numbers: Sequence[int], dialect: FibsDialect) -> MatchState:
    first = dialect.first_seat(bool(numbers[_DOUBLED]))
    length = 0 if numbers[2] == _MONEY_LENGTH else numbers[2]
    score = numbers[3 + first], numbers[4 - first]
    is_one_side_near = (length - score[0] == 1) != (length - score[1] == 1)
    on_roll = VIEWER if numbers[_TURN] == numbers[_COLOUR] else _OPPONENT
    return MatchState(
        length=length,
        score=score,
        crawford=length > 0 and not numbers[_POST_CRAWFORD] and is_one_side_near,
        cube=numbers[_CUBE],
        cube_owner=_read_cube_owner(numbers, on_roll),
        on_roll=on_roll,
        roll=read_roll(numbers, _DICE if on_roll == VIEWER else _DICE + 2, _FORM),
        doubled=bool(numbers[_DOUBLED]),
    )


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


def _read_board(numbers: list[int]) -> Board:
    """Parse the 26 points as ``int8[2, 26]`` with the viewer in row 0."""
    points = [number * numbers[_COLOUR] for number in numbers[_FIRST_POINT : _FIRST_POINT + 26]]
    for place, count in enumerate(points):
        viewers_point = place if numbers[_DIRECTION] == -1 else BAR - place
        is_foreign_bar = (count > 0 and viewers_point == 0) or (count < 0 and viewers_point == BAR)
        if abs(count) > CHECKERS or is_foreign_bar:
            raise ValueRangeError(
                f"FIBS board field {_FIRST_POINT + place + 1} (point {place}) is "
                f"{numbers[_FIRST_POINT + place]}: "
                + ("the bar of the other side" if is_foreign_bar else f"at most {CHECKERS} checkers a point"),
                field="position",
            )
    board = place_checkers(points if numbers[_DIRECTION] == -1 else points[::-1])
    fill_borne_off(board, ("the first player of the board", "the other player"))
    return board
