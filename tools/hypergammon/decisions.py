"""What the engine loses against the solution of hypergammon in random decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.analysis.engine import Engine
from engine.hypergammon.table import HypergammonTable
from engine.hypergammon.verification import VALUE_NAMES, draw_positions, value_replies
from engine.rules.match import MatchState
from engine.rules.moves import generate_plays
from engine.rules.position import Position

MONEY = MatchState(jacoby=False, beavers=False)
MONEY_JACOBY = MatchState(jacoby=True, beavers=False)

_CENTRED, _JACOBY = "cube centred", "cube centred, Jacoby"


@dataclass(frozen=True)
class Losses:
    """What decisions lost.

    Attributes:
        plays: The number of decisions about plays that were no forced moves.
        doubles: The number of decisions whether to double, and to take.
        wrong: How many lost anything.
        points: What they lost in all.
    """

    plays: int
    doubles: int
    wrong: int
    points: float


def measure_losses(
    engine: Engine, table: HypergammonTable, count: int, seed: int, on_done: Callable[[int], None]
) -> Losses:
    """Let the engine decide in random positions, and look up in the table what its decisions lose.

    In each position it chooses the play of a random roll, with the cube in the middle, and every second time
    by the Jacoby rule; then whether to double, and whether to take.

    Args:
        engine: By the rules of the table's variant.
        table: The solution.
        count: The number of positions.
        seed: Chooses them and the rolls.
        on_done: Called with the number of positions done.
    """
    boards = draw_positions(table.checkers, count, seed)
    rolls = np.random.default_rng([seed, 1]).integers(1, 7, (count, 2)).tolist()
    plays = doubles = wrong = 0
    points = 0.0
    for number, (board, roll) in enumerate(zip(boards, rolls, strict=True)):
        is_jacoby = number % 2 == 1
        position, match = Position(board, table.checkers), MONEY_JACOBY if is_jacoby else MONEY
        legal = generate_plays(position, (roll[0], roll[1]), engine.rules)
        losses = [_judge_cube(engine, table, position, match)]
        doubles += 1
        if len(legal) > 1:
            best = engine.rank_plays(position, (roll[0], roll[1]), match).best.play.result
            column = VALUE_NAMES.index(_JACOBY if is_jacoby else _CENTRED)
            least = value_replies(table, legal.boards)[:, column].min()
            losses.append(float(value_replies(table, best.board[None])[0, column] - least))
            plays += 1
        wrong += sum(loss > 0.0 for loss in losses)
        points += sum(losses)
        on_done(number + 1)
    return Losses(plays, doubles, wrong, points)


def _judge_cube(engine: Engine, table: HypergammonTable, position: Position, match: MatchState) -> float:
    """Return what the engine's double or no double loses, and its take or pass of one."""
    decision = engine.evaluate(position, match).decision
    assert decision is not None  # the game is not over, and the cube in the middle
    centred, _, opponents, jacoby = table.cubeful_equities(position.board[None])[0].astype(np.float64)
    waiting, taken = (jacoby if match.jacoby else centred), 2.0 * opponents
    answered = taken if decision.should_take else 1.0
    right = min(taken, 1.0)
    doubled = right if decision.should_double else waiting
    return float(answered - right + max(waiting, right) - doubled)
