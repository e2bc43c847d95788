"""Positions and plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gammond.api.match import Dice, MatchState, check_dice

if TYPE_CHECKING:
    from gammond.engine.rules.moves import Play as _EnginePlay
    from gammond.engine.rules.position import Position as _EnginePosition

Board = NDArray[np.int8]
"""``int8[2, 26]``: row 0 the player on roll, row 1 the opponent, each in its own numbering. Index 0 is borne
off, 1 to 24 are the points (1 the ace point), 25 is the bar."""


BACKGAMMON = "backgammon"
"""The usual variant."""


class Position:
    """The checkers of both sides, seen by the player on roll; immutable, hashable, and drawn in a notebook.

    Args:
        board: Two rows of 26 counts, as `Board` has them.
        variant: The game, which says how many checkers a side has: ``backgammon``, ``nackgammon``,
            ``longgammon``, ``hypergammon``, ``hypergammon2`` or ``hypergammon1``.

    Raises:
        PositionError: The counts are no position of the game.
        ValueRangeError: There is no such variant.

    Examples:
        >>> start = Position.start()
        >>> start.id
        '4HPwATDgc/ABMA'
        >>> start.play("8/5 6/5").id
        'sGfwATDgc/ABMA'
    """

    __slots__ = ("_position",)

    def __init__(self, board: ArrayLike, variant: str = BACKGAMMON) -> None:
        from gammond.engine.errors import PositionError
        from gammond.engine.rules.position import Position as EnginePosition
        from gammond.engine.rules.rules import find_variant

        if isinstance(board, str):
            raise PositionError(
                "expected a board, two rows of 26 counts: Position.parse reads texts", field="board"
            )
        self._position: _EnginePosition = EnginePosition(np.asarray(board), find_variant(variant).checkers)

    @classmethod
    def start(cls, variant: str = BACKGAMMON) -> Position:
        """Return the starting position of a variant."""
        from gammond.engine.rules.rules import find_variant

        return cls._wrap(find_variant(variant).starting_position)

    @classmethod
    def parse(cls, text: str, variant: str = BACKGAMMON) -> Position:
        """Read a position in any format: GNU ID (with a match ID or without), XGID, OGID and others.

        Raises:
            FormatError: The text is in none of them.
            PositionError: Its checkers cannot come up in a game.
        """
        return parse(text, variant)[0]

    @classmethod
    def from_id(cls, text: str, variant: str = BACKGAMMON) -> Position:
        """Read a GNU position ID.

        Raises:
            FormatError: The text is no position ID.
            PositionError: Its checkers cannot come up in a game.
        """
        from gammond.engine.formats.position_id import decode_position_id
        from gammond.engine.rules.rules import find_variant

        return cls._wrap(find_variant(variant).adopt_position(decode_position_id(text)))

    @classmethod
    def from_xgid(cls, text: str) -> Position:
        """Read the checkers of an XGID.

        Raises:
            FormatError: The text is no XGID.
            PositionError: Its checkers, score or cube cannot come up in a game.
        """
        from gammond.engine.formats.xgid import decode_xgid

        return cls._wrap(decode_xgid(text)[0])

    @classmethod
    def from_ogid(cls, text: str) -> Position:
        """Read the checkers of an OGID, whose colour is the player who reached the position.

        Raises:
            FormatError: The text is no OGID.
            PositionError: Its checkers, score or cube cannot come up in a game.
        """
        from gammond.engine.formats.ogid import decode_ogid

        return cls._wrap(decode_ogid(text)[0])

    @classmethod
    def from_snowie(cls, text: str) -> Position:
        """Read the checkers of Snowie's line of 40 fields.

        Raises:
            FormatError: The text is no such line.
            PositionError: Its checkers, score or cube cannot come up in a game.
        """
        from gammond.engine.formats.snowie import decode_snowie

        return cls._wrap(decode_snowie(text)[0])

    @property
    def id(self) -> str:
        """The GNU position ID."""
        from gammond.engine.formats.position_id import encode_position_id

        return encode_position_id(self._position)

    def to_xgid(self, match: MatchState | None = None) -> str:
        """Write the position and a match state (money play if None) as an XGID."""
        from gammond.engine.formats.xgid import encode_xgid

        return encode_xgid(self._position, (match or MatchState())._to_engine())

    def to_ogid(self, match: MatchState | None = None) -> str:
        """Write the position and a match state (money play if None) as an OGID."""
        from gammond.engine.formats.ogid import encode_ogid

        return encode_ogid(self._position, (match or MatchState())._to_engine())

    def to_snowie(self, match: MatchState | None = None) -> str:
        """Write the position and a match state (money play if None) as Snowie's line."""
        from gammond.engine.formats.snowie import encode_snowie

        return encode_snowie(self._position, (match or MatchState())._to_engine())

    @property
    def board(self) -> Board:
        """The counts, ``int8[2, 26]``, read-only; see `Board`."""
        return self._position.board

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of the player on roll and of the opponent."""
        return self._position.pips

    @property
    def is_over(self) -> bool:
        """Whether one side has borne off all its checkers."""
        return self._position.is_over

    @property
    def phase(self) -> str:
        """``contact``, ``crashed`` or ``race``; ``over`` at the end."""
        return self._position.phase.name.lower()

    def swap_sides(self) -> Position:
        """Return the same checkers with the other player on roll."""
        return self._wrap(self._position.swap_sides())

    def legal_plays(self, dice: Dice) -> list[Play]:
        """List the legal plays of a roll, one for each resulting position; at least one, perhaps no move.

        Raises:
            FormatError: The dice are not two numbers.
            ValueRangeError: A die is not 1 to 6.
            StateError: The game is over.
        """
        from gammond.engine.rules.moves import legal_plays

        return [Play._wrap(play) for play in legal_plays(self._position, check_dice(dice))]

    def play(self, play: str | Play, dice: Dice | None = None) -> Position:
        """Make a play.

        Args:
            play: A play of this position, or its text: ``8/5 6/5``, ``bar/22*``, ``6/off(2)``.
            dice: The roll; if None, any roll that allows the play.

        Returns:
            The position after it, seen by the next player on roll.

        Raises:
            FormatError: The text is no play, or the dice are not two numbers.
            PlayError: The rules do not allow it, or it is a play of another position.
        """
        from gammond.engine.errors import PlayError
        from gammond.engine.rules.dice import ROLLS
        from gammond.engine.rules.notation import parse_play

        if isinstance(play, Play):
            if not self._leads_to_result(play):
                raise PlayError(
                    f"expected a play of this position, got {play.text!r} of another", field="play"
                )
            if dice is None:
                return play.result
            play = play.text
        if dice is not None:
            return self._wrap(parse_play(play, self._position, check_dice(dice)).result)
        refusal: PlayError | None = None
        for roll in ROLLS:
            try:
                return self._wrap(parse_play(play, self._position, roll).result)
            except PlayError as error:
                refusal = error
        raise PlayError(f"no roll allows {play!r} in this position", field="play") from refusal

    def _leads_to_result(self, play: Play) -> bool:
        """Return whether the moves of a play lead from this position to its result."""
        board = self.board.copy()
        for (source, target), is_hit in zip(play.moves, play.hits, strict=False):
            board[0, source] -= 1
            board[0, target] += 1
            if is_hit:
                board[1, 25 - target] -= 1
                board[1, 25] += 1
        return np.array_equal(board[::-1], play.result.board)

    def draw(self, match: MatchState | None = None, names: tuple[str, str] = ("O", "X")) -> str:
        """Draw the board as text, with the player on roll at the bottom.

        Args:
            match: Score, cube and dice; money play if None.
            names: Names of seats 0 and 1.
        """
        from gammond.protocol.commands.board_drawing import draw_board

        return "\n".join(draw_board(self._position, (match or MatchState())._to_engine(), names))

    def to_svg(self, match: MatchState | None = None) -> str:
        """Draw the board as an SVG image, with the player on roll at the bottom.

        Args:
            match: Score, cube and dice; money play if None.
        """
        from gammond.engine.formats.board_svg import draw_svg

        return draw_svg(self._position, (match or MatchState())._to_engine())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._position == other._position

    def __hash__(self) -> int:
        return hash(self._position)

    def __reduce__(self) -> tuple[Callable[[_EnginePosition], Position], tuple[_EnginePosition]]:
        return Position._wrap, (self._position,)

    def __repr__(self) -> str:
        variant = find_variant_name(self._position.checkers)
        return f"Position.from_id({self.id!r}{'' if variant == BACKGAMMON else f', {variant!r}'})"

    def __str__(self) -> str:
        return self.draw()

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return self.to_svg()

    @classmethod
    def _wrap(cls, position: _EnginePosition) -> Position:
        wrapped = cls.__new__(cls)
        wrapped._position = position
        return wrapped


@dataclass(frozen=True)
class Play:
    """Everything moved for one roll.

    Attributes:
        text: In standard notation, such as ``8/5 6/5``.
        moves: From point to point for each checker moved, 25 the bar and 0 off; empty where nothing can move.
        hits: For each of them, whether it hits.
        result: The position after the play, seen by the next player on roll.
    """

    text: str
    moves: tuple[tuple[int, int], ...]
    hits: tuple[bool, ...]
    result: Position

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _wrap(cls, play: _EnginePlay) -> Play:
        from gammond.engine.rules.notation import format_play

        return cls(format_play(play), play.moves, play.hits, Position._wrap(play.result))


def parse(text: str, variant: str = BACKGAMMON) -> tuple[Position, MatchState | None]:
    """Read a position in any format, with its match state where the format has one.

    Args:
        text: A GNU position ID, alone or with a match ID behind it, an XGID, an OGID, or any other format
            that [Formats](formats.md) lists.
        variant: The game that it is of.

    Returns:
        The position, and the match state; None for a position ID alone.

    Raises:
        FormatError: The text is in none of these formats.
        PositionError: Its checkers, score or cube cannot come up in a game.

    Examples:
        >>> position, match = parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10")
        >>> position == Position.start(), match.length, match.dice
        (True, 7, (3, 1))
    """
    from gammond.engine.formats.position_text import parse_position
    from gammond.engine.rules.rules import find_variant

    position, match = parse_position(text, find_variant(variant))
    return Position._wrap(position), None if match is None else MatchState._from_engine(match)


def stack_boards(positions: Sequence[Position]) -> Board:
    """Return the boards of positions as one array, ``int8[n, 2, 26]``."""
    return np.array([position.board for position in positions], np.int8).reshape(-1, 2, 26)


def read_boards(positions: Sequence[Position] | Board, checkers: int | None = None) -> Board:
    """Return positions, or their boards, as one array, ``int8[n, 2, 26]``.

    Args:
        positions: Positions, or an array of boards.
        checkers: How many each side has, borne off included; those of the first board if None.

    Raises:
        PositionError: An array is no batch of boards, or a side has another number of checkers.
    """
    from gammond.engine.errors import PositionError

    boards = positions if isinstance(positions, np.ndarray) else stack_boards(positions)
    if boards.ndim != 3 or boards.shape[1:] != (2, 26) or boards.dtype != np.int8:
        raise PositionError(
            f"expected boards as int8[n, 2, 26], got {boards.dtype}{list(boards.shape)}", field="positions"
        )
    counts = boards.sum(axis=2)
    if checkers is None:
        checkers = int(counts[0, 0]) if len(boards) else 0
    if not (counts == checkers).all() or (boards < 0).any():
        raise PositionError(
            f"expected {checkers} checkers a side in each board, borne off included", field="positions"
        )
    return np.ascontiguousarray(boards)


@lru_cache
def find_variant_name(checkers: int) -> str:
    """Return the first variant with a number of checkers a side: all of the same number share their answers.

    Raises:
        PositionError: There is none.
    """
    from gammond.engine.errors import PositionError
    from gammond.engine.rules.rules import VARIANTS

    found = next((name for name, each in VARIANTS.items() if each.checkers == checkers), None)
    if found is None:
        known = ", ".join(map(str, sorted({each.checkers for each in VARIANTS.values()})))
        raise PositionError(f"expected {known} checkers a side, got {checkers}", field="positions")
    return found
