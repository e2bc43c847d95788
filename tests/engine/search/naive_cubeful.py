"""A slow, obvious twin of the search with the cube: one state of the cube at a time."""

import functools
from dataclasses import dataclass, field, replace

import numpy as np

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, make_cube_game
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.outcome import evaluate_finished, invert_outcomes
from gammond.engine.rules.position import Position
from tests.support.boards import replies


@dataclass
class NaiveCubeful:
    """Values of positions in one state of the cube, for a seat, before its roll.

    In money play values are points for a cube of 1 whatever it shows, in a match chances to win it.

    Attributes:
        evaluator: Evaluates the leaves.
        match: The match state.
    """

    evaluator: object
    match: MatchState
    leaves: dict = field(default_factory=dict)

    def value(self, position: Position, seat: int, cube: int, owner: int | None, plies: int) -> float:
        """The value if the seat does not double now."""
        if plies == 0 or position.is_over:
            return self._leaf(position, seat, cube, owner)
        total = 0.0
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            total += weight * max(
                self._turned(self.best(reply, 1 - seat, cube, owner, plies - 1))
                for reply in replies(position, roll)
            )
        return total

    def best(self, position: Position, seat: int, cube: int, owner: int | None, plies: int) -> float:
        """The value if the seat doubles where that is right."""
        held = self.value(position, seat, cube, owner, plies)
        if not self._may_double(seat, cube, owner):
            return held
        if not self.match.is_money:
            taken = self.value(position, seat, 2 * cube, 1 - seat, plies)
            passed = self._after_win(seat, cube)
            return max(held, min(taken, passed))
        taken = 2.0 * self.value(position, seat, 1, 1 - seat, plies)
        if self.match.beavers and taken < 0.0:
            taken = 2.0 * taken
        return max(held, min(taken, 1.0))

    def outcome(self, position: Position, seat: int, cube: int, owner: int | None, plies: int):
        """``float[5]``: the outcome with the plays that suit this state of the cube."""
        if position.is_over or plies == 0:
            return _evaluate(self.evaluator, position)
        total = np.zeros(5)
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            found = replies(position, roll)
            worths = [self.best(reply, 1 - seat, cube, owner, plies - 1) for reply in found]
            reply = found[int(np.argmin(worths))]
            total += weight * invert_outcomes(self.outcome(reply, 1 - seat, cube, owner, plies - 1))
        return total

    def _may_double(self, seat: int, cube: int, owner: int | None) -> bool:
        if self.match.crawford or owner == 1 - seat:
            return False
        return self.match.is_money or (cube < MAX_CUBE and cube < self.match.away(seat))

    def _turned(self, value: float) -> float:
        return -value if self.match.is_money else 1.0 - value

    def _after_win(self, seat: int, cube: int) -> float:
        match = replace(self.match, cube=1, cube_owner=None)
        game = make_cube_game(match)
        return game.table.mwc_after(match, seat, cube)

    def _leaf(self, position: Position, seat: int, cube: int, owner: int | None) -> float:
        values = self.leaves.get((position, seat))
        if values is None:
            values = self.leaves[position, seat] = self._find_leaf(position, seat)
        return values[cube, owner]

    def _find_leaf(self, position: Position, seat: int) -> dict[tuple[int, int | None], float]:
        """The values in all states of the cube, by its value and owner."""
        game = make_cube_game(self.match)
        game = game if game.seat == seat else game.other
        outcomes, board = _evaluate(self.evaluator, position)[None], position.board[None]
        values = game.evaluate(outcomes, DEFAULT_EFFICIENCIES.for_boards(board, outcomes))[0].tolist()
        return {(state.value, state.owner): value for state, value in zip(game.states, values, strict=True)}


@functools.lru_cache(maxsize=50_000)  # the same leaves at every score
def _evaluate(evaluator: object, position: Position):
    """``float32[5]`` at 0 plies."""
    evaluate = evaluate_finished if position.is_over else evaluator.evaluate
    return evaluate(position.board[None])[0]
