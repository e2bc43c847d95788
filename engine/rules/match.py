"""The match state: score, cube, turn and roll; all of a game but its checkers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from gammond.engine.errors import PositionError, ValueRangeError
from gammond.engine.rules.dice import Roll, validate_roll

MAX_MATCH_LENGTH = 32767
"""The longest match, and the highest money score, that fit into a GNU match ID."""

MAX_CUBE = 4096
"""The highest value of the cube, as in GNU Backgammon."""

SEATS = (0, 1)

RESULT_NAMES = ("single", "gammon", "backgammon")
"""Results of a game, which win one, two and three times the cube."""


@dataclass(frozen=True)
class GameResult:
    """How a game ended.

    Attributes:
        winner: The seat that won.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        points: Points won, cube included.
    """

    winner: int
    kind: int
    points: int

    @property
    def name(self) -> str:
        """The kind of result, one of `RESULT_NAMES`."""
        return RESULT_NAMES[self.kind - 1]


@dataclass(frozen=True)
class MatchState:
    """Score, cube, turn and roll of one game, valid by construction.

    The two players are seats 0 and 1. A `Position` beside a match state has the checkers of seat
    ``on_roll`` in row 0, also while that seat's double is pending.

    Cube actions and resignations are in `gammond.engine.rules.cube_actions`.

    Attributes:
        length: Points of the match; 0 for money play.
        score: Points of seats 0 and 1.
        crawford: Whether this is the Crawford game.
        cube: Value of the cube, a power of two.
        cube_owner: The seat that owns the cube; None while it is centred.
        on_roll: The seat whose turn it is, whose checkers are row 0 of the position.
        roll: The dice to be played, in the order they fell; None before the roll.
        doubled: Whether a double by the seat on roll is pending: the other seat responds, after a beaver the
            doubler.
        beavered: Whether the other seat has beavered the pending double: it owns the cube at the value of the
            double, and a take turns it once more.
        resigned: The pending resignation of the seat that would otherwise act: 0 none, 1 a single game,
            2 a gammon, 3 a backgammon.
        jacoby: Whether gammons count only once the cube is turned; ignored in a match.
        beavers: Whether beavers are allowed; ignored in a match.

    Raises:
        ValueRangeError: A field is out of range.
        PositionError: Fields contradict each other.
    """

    length: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    cube: int = 1
    cube_owner: int | None = None
    on_roll: int = 0
    roll: Roll | None = None
    doubled: bool = False
    beavered: bool = False
    resigned: int = 0
    jacoby: bool = False
    beavers: bool = True

    def __post_init__(self) -> None:
        self._check_ranges()
        self._check_score()
        self._check_double()

    @property
    def is_money(self) -> bool:
        """Whether this is money play."""
        return self.length == 0

    @property
    def to_act(self) -> int:
        """The seat that must act: roll, double or play, or respond to a double or a resignation."""
        return self.on_roll ^ (self.doubled and not self.beavered) ^ (self.resigned > 0)

    @property
    def is_post_crawford(self) -> bool:
        """Whether a side is 1-away and the Crawford game has been played."""
        return not self.is_money and not self.crawford and 1 in (self.away(0), self.away(1))

    def away(self, seat: int) -> int:
        """Return the points that a seat still needs, 1 or more; 0 in money play."""
        return 0 if self.is_money else self.length - self.score[seat]

    def may_double(self, seat: int) -> bool:
        """Return whether a seat may double now, and could gain by it.

        It may before its roll, with access to the cube, outside the Crawford game. A dead cube, at which a
        single game wins the match, is excluded although the rules allow turning it.
        """
        if seat != self.on_roll or self.roll is not None or self.doubled or self.resigned:
            return False
        return self.has_cube_access(seat) and (self.is_money or self.cube < self.away(seat))

    @property
    def may_beaver(self) -> bool:
        """Whether a double of the present cube may be beavered: money play with beavers, up to `MAX_CUBE`."""
        return self.is_money and self.beavers and 4 * self.cube <= MAX_CUBE

    def has_cube_access(self, seat: int) -> bool:
        """Return whether the rules let a seat turn the cube at some time in this game."""
        return not self.crawford and self.cube < MAX_CUBE and self.cube_owner in (None, seat)

    def next_turn(self) -> MatchState:
        """Return the state after a play: the other seat on roll, no dice."""
        return self.before_roll()._with_valid(on_roll=1 - self.on_roll)

    def without_offers(self) -> MatchState:
        """Return the state without a pending double, beaver or resignation; the cube stays."""
        if not (self.doubled or self.beavered or self.resigned):
            return self
        return self._with_valid(doubled=False, beavered=False, resigned=0)

    def with_roll(self, roll: Roll) -> MatchState:
        """Return the state with the dice of the player on roll, in place of any that are out.

        Raises:
            ValueRangeError: A die is not 1..6.
            PositionError: A double is pending.
        """
        if self.doubled:
            return replace(self, roll=roll)
        return self._with_valid(roll=validate_roll(*roll))

    def before_roll(self) -> MatchState:
        """Return the state before dice and offers, the one that evaluations refer to."""
        if self.roll is None:
            return self.without_offers()
        return self._with_valid(roll=None, doubled=False, beavered=False, resigned=0)

    def without_automatic_doubles(self) -> MatchState:
        """Return money play with a centred cube above 1 as the same game with the cube at 1, else the state.

        Money values are per cube of 1.
        """
        if self.cube == 1 or self.cube_owner is not None or not self.is_money:
            return self
        return replace(self, cube=1)

    def game_result(self, winner: int, kind: int) -> GameResult:
        """Return the result of a game won at the present cube, of a kind as in `GameResult`.

        Jacoby counts it single while the cube is centred.
        """
        is_single = self.is_money and self.jacoby and self.cube_owner is None
        return GameResult(winner, kind, self.cube * (1 if is_single else kind))

    def score_after(self, winner: int, points: int) -> tuple[int, int]:
        """Return the score after a game; at the end of a match it reaches or exceeds the length."""
        own, other = self.score
        return (own + points, other) if winner == 0 else (own, other + points)

    def after_game(self, winner: int, points: int) -> MatchState | None:
        """Return the state before the next game, with a centred cube and no dice; None when the match is won.

        The first game in which a side is 1-away is the Crawford game. The seat on roll stays: the opening
        roll decides who begins.

        Raises:
            ValueRangeError: A money score exceeds its range.
        """
        score = self.score_after(winner, points)
        if not self.is_money and score[winner] >= self.length:
            return None
        was_near = 1 in (self.away(0), self.away(1))
        return replace(
            self.before_roll(),
            score=score,
            crawford=not was_near and self.length - score[winner] == 1,
            cube=1,
            cube_owner=None,
        )

    def _with_valid(self, **fields: Any) -> MatchState:  # noqa: ANN401  (values of fields)
        """Return the state with other fields that fit: the checks of a new one take most of a command."""
        state = object.__new__(MatchState)
        state.__dict__.update(self.__dict__, **fields)
        return state

    def _check_ranges(self) -> None:
        if not 0 <= self.length <= MAX_MATCH_LENGTH:
            raise ValueRangeError(
                f"a match length is 0 (money) to {MAX_MATCH_LENGTH}, not {self.length}", field="length"
            )
        if len(self.score) != 2 or not all(0 <= points <= MAX_MATCH_LENGTH for points in self.score):
            raise ValueRangeError(
                f"a score is two numbers 0 to {MAX_MATCH_LENGTH}, not {' and '.join(map(str, self.score))}",
                field="score",
            )
        if not 1 <= self.cube <= MAX_CUBE or self.cube & (self.cube - 1):
            raise ValueRangeError(f"a cube is a power of two up to {MAX_CUBE}, not {self.cube}", field="cube")
        if self.cube_owner is not None and self.cube_owner not in SEATS:
            raise ValueRangeError(
                f"a cube owner is seat 0, 1 or none, not {self.cube_owner}", field="cube_owner"
            )
        if self.on_roll not in SEATS:
            raise ValueRangeError(f"the seat on roll is 0 or 1, not {self.on_roll}", field="on_roll")
        if self.roll is not None:
            validate_roll(*self.roll)
        if not 0 <= self.resigned <= 3:
            raise ValueRangeError(
                f"a resignation is 0 (none) to 3 (backgammon), not {self.resigned}", field="resigned"
            )

    def _check_score(self) -> None:
        if not self.is_money and max(self.score) >= self.length:
            raise PositionError(
                f"the match to {self.length} is over at {self.score[0]}-{self.score[1]}", field="score"
            )
        if self.crawford and sorted((self.away(0) == 1, self.away(1) == 1)) != [False, True]:
            raise PositionError(
                "a Crawford game needs exactly one side one point from the match, not "
                + ("money play" if self.is_money else f"{self.score[0]}-{self.score[1]} to {self.length}"),
                field="crawford",
            )
        if self.crawford and (self.cube, self.cube_owner) != (1, None):
            raise PositionError("in the Crawford game the cube stays in the middle at 1", field="crawford")

    def _check_double(self) -> None:
        if self.beavered:
            self._check_beaver()
            return
        if not self.doubled:
            return
        if self.roll is not None:
            raise PositionError(
                "a double comes before the roll, dice cannot be out while it waits", field="doubled"
            )
        if not self.has_cube_access(self.on_roll):
            raise PositionError(
                f"seat {self.on_roll} cannot have doubled: "
                + ("the Crawford game has no doubling" if self.crawford else "it has no access to the cube"),
                field="doubled",
            )

    def _check_beaver(self) -> None:
        is_possible = self.doubled and self.roll is None and self.is_money and self.beavers
        if not is_possible or self.cube_owner != 1 - self.on_roll or 2 * self.cube > MAX_CUBE:
            raise PositionError(
                "a beaver answers a double before the roll, in money play with beavers, and takes the cube",
                field="beavered",
            )


@lru_cache(maxsize=4096)
def make_canonical(match: MatchState) -> MatchState:
    """Return the match state that stands for all in which the same is at stake, without dice.

    Seat 1 is on roll, and the match is the shortest with these points away.
    """
    state, seat = match.before_roll().without_automatic_doubles(), match.on_roll
    own, other = state.away(seat), state.away(1 - seat)
    length = max(own, other)
    seats = {None: None, seat: 1, 1 - seat: 0}
    return MatchState(
        length=length,
        score=(length - other, length - own),
        crawford=state.crawford,
        cube=state.cube,
        cube_owner=seats[state.cube_owner],
        on_roll=1,
        jacoby=state.jacoby and state.is_money,
        beavers=state.beavers or not state.is_money,
    )
