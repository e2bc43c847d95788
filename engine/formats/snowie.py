"""Snowie's position line: 40 fields between semicolons, as Snowie and GNU Backgammon write them.

``length;jacoby;variant;money;on roll;name;name;crawford;score;score;cube;owner;26 points;die;die;``. Names,
scores, cube owner and points are those of the player on roll first.

*Source:* lines that gnubg 1.07.001 wrote and read (``export position snowietxt``, ``import snowietxt``).
"""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError, PositionError, UnsupportedError
from gammond.engine.formats.fields import Fields, check_no_offer, list_points, place_checkers, read_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off

FIELDS = 40

_FORM = "Snowie"
_NAMES = (
    *("length", "jacoby", "variant", "money", "on_roll", "name", "name", "crawford", "score", "score"),
    *("cube", "cube_owner"),
    *(f"point {place}" for place in range(26)),
    *("dice", "dice"),
)
_ON_ROLL, _NAME, _SCORE, _OWNER, _FIRST_POINT, _DICE = 4, 5, 8, 11, 12, 38
_LIMITS = {1: (0, 1), 3: (0, 1), _ON_ROLL: (0, 1), 7: (0, 1), _OWNER: (-1, 1)}
_BEGINNING = re.compile(r"\s*[0-9]{1,6};[01];")
_MIN_SEMICOLONS = 20


def is_snowie(text: str) -> bool:
    """Return whether a text is to be read as Snowie's line, right or wrong."""
    return _BEGINNING.match(text) is not None and text.count(";") >= _MIN_SEMICOLONS


def encode_snowie(position: Position, match: MatchState, names: tuple[str, str] = ("O", "X")) -> str:
    """Return Snowie's line, without a line end.

    Args:
        position: As the player on roll sees it.
        match: The match state; beavers have no place in the line.
        names: Of seats 0 and 1; semicolons and characters that are not printed become blanks.

    Raises:
        UnsupportedError: A double, beaver or resignation is pending, for which the line has no place.
    """
    offers = "beavered", "doubled", "resigned"
    check_no_offer(match, offers, "no Snowie line can be written while a {} is pending")
    own, other = match.on_roll, 1 - match.on_roll
    fields = (
        match.length,
        int(match.jacoby and match.is_money),
        0,
        int(match.is_money),
        own,
        *(_clean_name(names[seat]) for seat in (own, other)),
        int(match.crawford),
        *(match.score[seat] for seat in (own, other)),
        match.cube,
        0 if match.cube_owner is None else 1 if match.cube_owner == own else -1,
        *list_points(position.board),
        *(match.roll or (0, 0)),
    )
    return "".join(f"{field};" for field in fields)


def decode_snowie(text: str) -> tuple[Position, MatchState]:
    """Parse Snowie's line, with or without the semicolon at the end.

    The names are not read, and beavers have their default.

    Returns:
        The position as the player on roll sees it, and the match state.

    Raises:
        FormatError: A field cannot be parsed; the message says which.
        ValueRangeError: A field is out of range.
        PositionError: The position or match state is impossible.
        UnsupportedError: Another variant than backgammon.
    """
    fields = _split_fields(text)
    numbers = _parse_numbers(fields)
    for place, limits in _LIMITS.items():
        fields.parse_number(place, *limits)
    if numbers[2]:
        raise UnsupportedError(
            f"Snowie field 3 (variant) is {numbers[2]}: only 0, backgammon, is supported", field="variant"
        )
    own = numbers[_ON_ROLL]
    scores = numbers[_SCORE], numbers[_SCORE + 1]
    length = numbers[0]
    match = MatchState(
        length=length,
        score=scores if own == 0 else scores[::-1],
        crawford=bool(length and numbers[7]),
        cube=numbers[10],
        cube_owner={0: None, 1: own, -1: 1 - own}[numbers[_OWNER]],
        on_roll=own,
        roll=read_roll(numbers, _DICE, _FORM),
        jacoby=bool(numbers[1] and not length),
    )
    return Position(_read_board(numbers)), match


def decode_snowie_board(text: str) -> Position:
    """Parse the checkers of Snowie's line, as the player sees them to whom the positive numbers belong.

    The other fields may mean what they will: programs differ in them.

    Raises:
        FormatError: A field cannot be parsed.
        PositionError: The position is impossible.
    """
    return Position(_read_board(_parse_numbers(_split_fields(text))))


def get_snowie_name(text: str) -> str:
    """Return the name of the player on roll in Snowie's line; empty where there is none."""
    fields = text.split(";")
    return fields[_NAME].strip() if len(fields) > _NAME else ""


def _clean_name(name: str) -> str:
    return "".join(letter if letter.isprintable() and letter != ";" else " " for letter in name)


def _split_fields(text: str) -> Fields:
    texts = [field.strip() for field in text.strip().removesuffix(";").split(";")]
    if len(texts) != FIELDS:
        raise FormatError(
            f"a Snowie line has {FIELDS} fields between semicolons, {text.strip()[:60]!r} has {len(texts)}",
            field="position",
        )
    return Fields(_FORM, _NAMES, texts)


def _parse_numbers(fields: Fields) -> list[int]:
    """Return all fields as numbers, names as 0."""
    return [0 if name == "name" else fields.parse_number(place) for place, name in enumerate(_NAMES)]


def _read_board(numbers: list[int]) -> Board:
    """Read the 26 points, the opponent's bar first: own checkers count positive."""
    points = numbers[_FIRST_POINT:_DICE]
    for place, count in enumerate(points):
        if abs(count) > CHECKERS or (place == 0 and count > 0) or (place == BAR and count < 0):
            raise PositionError(
                f"Snowie field {_FIRST_POINT + place + 1} (point {place}) holds up to {CHECKERS} checkers, "
                f"the opponent's negative and alone on point 0, one's own alone on point {BAR}, not {count}",
                field="position",
            )
    board = place_checkers(points)
    fill_borne_off(board, ("the player on roll", "the opponent"))
    return board
