"""GNU match IDs: 12 characters for score, cube, turn and roll.

Source: GNU Backgammon manual, "A technical description of the Match ID", and gnubg 1.07 for what the manual
omits: bit 67 is set when the Jacoby rule is *off*. The ID has no place for beavers.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from gammond.engine.errors import FormatError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_id import validate_base64
from gammond.engine.rules.match import MatchState

ID_LENGTH = 12

_FIELD_BITS = {
    "cube": 4,
    "cube_owner": 2,
    "on_roll": 1,
    "crawford": 1,
    "game_state": 3,
    "to_act": 1,
    "doubled": 1,
    "resigned": 2,
    "die1": 3,
    "die2": 3,
    "length": 15,
    "score0": 15,
    "score1": 15,
    "no_jacoby": 1,
    "unused": 5,
}
"""Bits of each field, the first in the least significant bit of the first byte."""

_CENTRED = 3
_PLAYING = 1
_FINISHED_STATES = {2: "over", 3: "resigned", 4: "dropped"}


@lru_cache(maxsize=1024)
def encode_match_id(match: MatchState) -> str:
    """Return the match ID: ``cAkAAAAAAAAE`` for a new money game without Jacoby, seat 1 on roll."""
    die1, die2 = match.roll or (0, 0)
    fields = {
        "cube": match.cube.bit_length() - 1,
        "cube_owner": _CENTRED if match.cube_owner is None else match.cube_owner,
        "on_roll": match.on_roll,
        "crawford": match.crawford,
        "game_state": _PLAYING,
        "to_act": match.to_act,
        "doubled": match.doubled,
        "resigned": match.resigned,
        "die1": die1,
        "die2": die2,
        "length": match.length,
        "score0": match.score[0],
        "score1": match.score[1],
        "no_jacoby": not (match.jacoby and match.is_money),
    }
    key = shift = 0
    for name, width in _FIELD_BITS.items():
        key |= int(fields.get(name, 0)) << shift
        shift += width
    return base64.b64encode(key.to_bytes(9, "little")).decode("ascii")


@lru_cache(maxsize=1024)
def decode_match_id(text: str) -> MatchState:
    """Parse a match ID; blanks around it are accepted.

    Jacoby is set for money play only; IDs from before gnubg had its bit mean Jacoby on, as in gnubg. The game
    state "no game" means playing, because old programs leave it zero.

    Raises:
        FormatError: Not 12 base64 characters, or fields without meaning.
        ValueRangeError: A die is above 6, or one of them 0.
        PositionError: Fields contradict each other.
        UnsupportedError: The game is over.
    """
    digits = text.strip()
    fields = _unpack_fields(digits)
    if fields["game_state"] in _FINISHED_STATES:
        raise UnsupportedError(
            f"match ID {digits}: the game is {_FINISHED_STATES[fields['game_state']]}, "
            f"there is nothing to decide",
            field="match",
        )
    for name, legal in (("game_state", (0, _PLAYING)), ("cube_owner", (0, 1, _CENTRED)), ("unused", (0,))):
        if fields[name] not in legal:
            expected = " or ".join(map(str, legal))
            raise FormatError(
                f"match ID {digits}: expected {expected} as {name}, got {fields[name]}", field=name
            )
    dice = fields["die1"], fields["die2"]
    if dice != (0, 0) and not all(1 <= die <= 6 for die in dice):
        raise ValueRangeError(
            f"match ID {digits}: expected dice of 1 to 6 or both 0, got {dice[0]} and {dice[1]}", field="dice"
        )
    is_other_owner = fields["cube_owner"] == 1 - fields["on_roll"]
    match = MatchState(
        length=fields["length"],
        score=(fields["score0"], fields["score1"]),
        crawford=bool(fields["crawford"]),
        cube=1 << fields["cube"],
        cube_owner=None if fields["cube_owner"] == _CENTRED else fields["cube_owner"],
        on_roll=fields["on_roll"],
        roll=None if dice == (0, 0) else dice,
        doubled=bool(fields["doubled"]),
        beavered=bool(fields["doubled"]) and fields["length"] == 0 and is_other_owner,
        resigned=fields["resigned"],
        jacoby=fields["length"] == 0 and not fields["no_jacoby"],
    )
    if fields["to_act"] != match.to_act:
        raise PositionError(
            f"match ID {digits}: seat {fields['to_act']} is to decide, but with seat {match.on_roll} on roll"
            f"{', a double offered' * match.doubled}{', a resignation offered' * (match.resigned > 0)}"
            f" it is seat {match.to_act}",
            field="on_roll",
        )
    return match


def _unpack_fields(digits: str) -> dict[str, int]:
    key = int.from_bytes(
        base64.b64decode(validate_base64(digits, ID_LENGTH, "a match ID", "match")), "little"
    )
    fields = {}
    for name, width in _FIELD_BITS.items():
        fields[name] = key & ((1 << width) - 1)
        key >>= width
    return fields
