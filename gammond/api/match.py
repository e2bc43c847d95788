"""The state of a match or money game: score, cube, turn and dice, everything but the checkers."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gammond.engine.rules.match import MatchState as _EngineState

Dice = tuple[int, int]


def check_dice(dice: Dice) -> Dice:
    """Return dice, checked.

    Raises:
        FormatError: They are not two whole numbers.
        ValueRangeError: A die is not 1 to 6.
    """
    from gammond.engine.errors import FormatError
    from gammond.engine.rules.dice import validate_roll

    try:
        die1, die2 = map(operator.index, dice)
    except (TypeError, ValueError):
        raise FormatError(
            f"expected dice as two numbers such as (3, 1), got {dice!r}", field="dice"
        ) from None
    return validate_roll(die1, die2)


@dataclass(frozen=True)
class MatchState:
    """Score, cube, turn and dice of one game; money play unless it says otherwise.

    The players are seats 0 and 1. A `Position` beside it has the checkers of the seat on roll first.

    Attributes:
        length: Points of the match; 0 for money play.
        score: Points of seats 0 and 1.
        crawford: Whether this is the Crawford game.
        cube: Value of the cube, a power of two.
        cube_owner: The seat that holds the cube; None while it is in the middle.
        on_roll: The seat whose turn it is.
        dice: The dice that are out; None before the roll.
        doubled: Whether the seat on roll has doubled and the answer is awaited.
        beavered: Whether the other seat has answered the double with a beaver.
        resigned: What the seat to act offers to lose: 0 nothing, 1 a single game, 2 a gammon, 3 a backgammon.
        jacoby: Whether gammons count only once the cube is turned; money play only.
        beavers: Whether beavers are allowed; money play only.

    Raises:
        ValueRangeError: A field is out of range.
        PositionError: Fields that cannot come up together.

    Examples:
        >>> MatchState(length=7, score=(3, 5)).id
        'MAHgADAAKAAE'
    """

    length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    cube: int = 1
    cube_owner: int | None = None
    on_roll: int = 0
    dice: Dice | None = None
    doubled: bool = False
    beavered: bool = False
    resigned: int = 0
    jacoby: bool = False
    beavers: bool = True

    def __post_init__(self) -> None:
        self._to_engine()

    @classmethod
    def from_id(cls, text: str) -> MatchState:
        """Read a GNU match ID.

        Raises:
            FormatError: The text is no match ID.
            PositionError: Its fields cannot come up together.
        """
        from gammond.engine.formats.match_id import decode_match_id

        return cls._from_engine(decode_match_id(text))

    @classmethod
    def from_xgid(cls, text: str) -> MatchState:
        """Read the match state of an XGID.

        Raises:
            FormatError: The text is no XGID.
            PositionError: Its fields cannot come up together.
        """
        from gammond.engine.formats.xgid import decode_xgid

        return cls._from_engine(decode_xgid(text)[1])

    @classmethod
    def from_ogid(cls, text: str) -> MatchState:
        """Read the match state of an OGID, whose colour is the player who reached the position.

        Raises:
            FormatError: The text is no OGID.
            PositionError: Its fields cannot come up together.
        """
        from gammond.engine.formats.ogid import decode_ogid

        return cls._from_engine(decode_ogid(text)[1])

    @classmethod
    def from_snowie(cls, text: str) -> MatchState:
        """Read the match state of Snowie's line of 40 fields.

        Raises:
            FormatError: The text is no such line.
            PositionError: Its fields cannot come up together.
        """
        from gammond.engine.formats.snowie import decode_snowie

        return cls._from_engine(decode_snowie(text)[1])

    @property
    def id(self) -> str:
        """The GNU match ID."""
        from gammond.engine.formats.match_id import encode_match_id

        return encode_match_id(self._to_engine())

    @property
    def is_money(self) -> bool:
        """Whether this is money play."""
        return self.length == 0

    def away(self, seat: int) -> int:
        """Return the points that a seat still needs; 0 in money play."""
        return 0 if self.is_money else self.length - self.score[seat]

    def _to_engine(self) -> _EngineState:
        from gammond.engine.rules.match import MatchState as State

        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        values["roll"] = values.pop("dice")
        return State(**values)

    @classmethod
    def _from_engine(cls, state: _EngineState) -> MatchState:
        values = {
            name: getattr(state, name) for name in (field.name for field in fields(cls)) if name != "dice"
        }
        return cls(dice=state.roll, **values)


@lru_cache(maxsize=1024)
def read_asked_state(match: MatchState | None) -> _EngineState:
    """Return the match state of a question, money play if None.

    Raises:
        PositionError: Value and owner of the cube cannot come up together.
    """
    from gammond.engine.errors import PositionError
    from gammond.protocol.state.offers import check_cube_owner

    state = (match or MatchState())._to_engine()
    try:
        check_cube_owner(state)
    except PositionError as error:
        raise error.with_field("match") from error
    return state
