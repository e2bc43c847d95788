"""The table of one client: the game with its dice, the match that is kept, and the steps to undo."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.dice import DiceSource, Roll, RollSequence, SeededDice, format_roll
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import Play, legal_plays
from gammond.engine.rules.position import Position
from gammond.protocol.state.game_log import GameLog, LoggedAction
from gammond.protocol.state.game_state import SEAT_NAMES, GameState, SeatNames
from gammond.protocol.state.offers import check_cube_owner, check_no_offer
from gammond.protocol.state.undoable_table import UndoableTable


class _Step(NamedTuple):
    """What `GameTable.undo` goes back to: the game, its log, and the place of the dice when it came about."""

    game: GameState
    log: GameLog
    rolls: RollSequence


class GameTable(UndoableTable[_Step]):
    """A game, and how it came about: every change of it can be undone.

    Args:
        seed: Where the dice start.
        undo_steps: As for `UndoableTable`.

    Attributes:
        game: The present state.
        keeps_match: Whether it counts the points of games, sets up the next ones, and logs what is done.
        log: What was done while it did.
    """

    def __init__(self, seed: int, undo_steps: int) -> None:
        super().__init__(undo_steps)
        self.game = GameState()
        self.keeps_match = False
        self.log = GameLog()
        self._rolls = self._rolls_of_game = RollSequence(SeededDice(seed))
        self._opening: GameState | None = None
        self._opening_rolled: GameState | None = None

    def push_state(self, game: GameState) -> None:
        """Go on to another state of the game, which `undo` takes back; what was taken back before is gone."""
        self._begin_change()
        self.game, self._rolls_of_game = game, self._rolls

    def _describe_step(self) -> _Step:
        return _Step(self.game, self.log, self._rolls_of_game)

    def _go_to(self, step: _Step) -> None:
        """Go back, or on, to a step; rolls that came after it come again."""
        self.game, self.log, rolls = step
        self.rewind_dice(rolls)

    @property
    def dice(self) -> DiceSource:
        """Where rolls come from."""
        return self._rolls.source

    @dice.setter
    def dice(self, source: DiceSource) -> None:
        self._rolls = self._rolls_of_game = RollSequence(source)

    @property
    def rolls(self) -> RollSequence:
        """The place of the dice."""
        return self._rolls

    def rewind_dice(self, rolls: RollSequence) -> None:
        """Go to a place of the dice, unless they have been started again since."""
        if rolls.source is self._rolls.source:
            self._rolls = self._rolls_of_game = rolls

    def _read_dice(self) -> Roll:
        roll, self._rolls = self._rolls.read()
        return roll

    def set_position(self, position: Position, match: MatchState | None = None) -> None:
        """Set up the checkers, with the match state that came with them if one did.

        Without one, score, cube and seat on roll stay, and dice and offers go.
        """
        self.push_state(GameState(position, match or self.game.match.before_roll(), rules=self.game.rules))

    def push_action(
        self,
        text: str,
        position: Position,
        match: MatchState,
        result: GameResult | None = None,
        *,
        is_conceded: bool = False,
    ) -> None:
        """Go on after what a seat did; in a match that is kept, log it, and count the points.

        Args:
            text: What ``play`` calls it.
            position: The checkers after it.
            match: The match state after it, before the points of a game that it ended are counted.
            result: How the game ended by it; None if it did not.
            is_conceded: Whether the game ended by a drop or a resignation.

        Raises:
            ValueRangeError: A money score exceeds its range; nothing is changed.
        """
        before, final_score = self.game, None
        if result is not None and self.keeps_match:
            following = match.after_game(result.winner, result.points)
            if following is None:
                final_score = match.score_after(result.winner, result.points)
            else:
                match = following
        self.push_state(GameState(position, match, is_conceded, before.rules, final_score))
        if self.keeps_match:
            self.log = self.log.add(LoggedAction(before, self.game, text, result))

    def set_roll(self, roll: Roll) -> None:
        """Put the dice of the player on roll on the board, in place of any that lie there.

        Raises:
            StateError: There is no position, the game is over, or an offer waits for its answer.
        """
        self.require_game()
        check_no_offer(self.game.match)
        game = self.game
        match = game.match.with_roll(roll)
        sets_opening = self.sets_opening_roll
        if sets_opening:
            if roll[0] == roll[1]:
                raise ValueRangeError(
                    f"expected two different dice, the first of p0 and the second of p1, to begin a game, "
                    f"got {roll[0]} and {roll[1]}: roll again",
                    field="dice",
                )
            match = replace(match, on_roll=int(roll[1] > roll[0]), roll=(max(roll), min(roll)))
        self.push_state(GameState(game.position, match, game.is_conceded, game.rules))
        if sets_opening:
            self._opening_rolled = self.game

    def roll_dice(self) -> None:
        """Roll the session's own dice.

        Raises:
            StateError: There is no position, the game is over, the dice are already out, or an offer waits.
        """
        self.require_game()
        check_no_offer(self.game.match)
        roll = self.game.match.roll
        if roll is not None:
            raise StateError(f"the roll {format_roll(roll)} is not played yet: play it first", field="dice")
        if self.is_opening:
            self.roll_opening()
            self._opening_rolled = self.game
        else:
            self.set_roll(self._read_dice())

    @property
    def is_opening(self) -> bool:
        """Whether a game of a match that is kept begins: the next roll decides who plays it."""
        return self.keeps_match and self.game is self._opening

    @property
    def sets_opening_roll(self) -> bool:
        """Whether dice decide who begins: those of an opening, or in place of its roll."""
        return self.is_opening or (self.keeps_match and self.game is self._opening_rolled)

    def roll_opening(self, first_seat: int = 0) -> Roll:
        """Roll one die for each seat until they differ; the higher begins with both.

        Dice that are set in its place belong to this seat, whatever they are.

        Args:
            first_seat: The seat whose die is rolled first.

        Returns:
            The dice of this seat and of the other.
        """
        roll = self._read_dice()
        while roll[0] == roll[1]:
            roll = self._read_dice()
        self.set_roll(roll if first_seat == 0 else roll[::-1])
        self._opening_rolled = None
        return roll

    def start_game(self, names: SeatNames = SEAT_NAMES, first_seat: int | None = None) -> None:
        """Set up the starting position: cube in the middle, no dice; score and seat on roll stay.

        Where the match is kept and over, another one of its length begins.

        Args:
            names: Of seats 0 and 1, in the log.
            first_seat: The seat that begins, whatever it rolls; None for that on roll, or in a match that is
                kept for that of an opening roll.
        """
        game, match = self.game, self.game.match
        if game.final_score is not None:
            start = MatchState(
                match.length, jacoby=match.jacoby, beavers=match.beavers, on_roll=match.on_roll
            )
        else:
            start = replace(match.before_roll(), cube=1, cube_owner=None)
        if first_seat is not None:
            start = replace(start, on_roll=first_seat)
        self.push_state(GameState(game.rules.starting_position, start, rules=game.rules))
        if self.keeps_match:
            self._opening = self.game if first_seat is None else self._opening
            self.log = self.log.begin(self.game, names)

    def require_position(self) -> Position:
        """Return the position.

        Raises:
            StateError: None has been set.
        """
        if self.game.position is None:
            raise StateError(
                "no position",
                field="position",
                missing="position",
                advice="send 'position gnubgid ID' or 'newgame' first",
            )
        return self.game.position

    def require_game(self) -> Position:
        """Return the position of an unfinished game.

        Raises:
            StateError: There is no position, or the game is over.
        """
        position = self.require_position()
        if self.game.is_over:
            raise StateError(
                "the game is over",
                field="position",
                missing="game",
                advice="send 'newgame' or 'position' first",
            )
        return position

    def require_roll(self) -> tuple[Position, Roll]:
        """Return the position and the dice to be played in it.

        Raises:
            StateError: One of them is missing, the game is over, or an offer waits for its answer.
        """
        position = self.require_game()
        roll = self.game.match.roll
        if roll is None:
            check_no_offer(self.game.match)
            raise StateError(
                "no dice", field="dice", missing="dice", advice="send 'dice A B' or 'roll' first"
            )
        return position, roll

    def require_evaluable_position(self) -> Position:
        """Return a position that can be evaluated: of an unfinished game, or decided by the checkers.

        Raises:
            StateError: There is no position, or the game was given up.
        """
        return self.require_game() if self.game.is_conceded else self.require_position()

    def require_evaluable_match(self) -> MatchState:
        """Return the match state for evaluations: before the roll and without offers.

        Raises:
            PositionError: Value and owner of the cube do not fit together.
        """
        check_cube_owner(self.game.match)
        return self.game.match.before_roll()

    def list_legal_plays(self) -> list[Play]:
        """List the legal plays of the position and dice, at least one.

        Raises:
            StateError: As for `require_roll`.
        """
        return legal_plays(*self.require_roll(), self.game.rules)
