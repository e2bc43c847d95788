"""Choices by the match state, without looking ahead: which play, and what to do with the cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision, cube_efficiencies, cube_game, dead_values, decide, leaf_values
from engine.evaluator import Evaluator
from engine.match import MatchState
from engine.outcome import Outcomes
from engine.position import Position
from engine.ranking import RankedPlay


def best_play(ranked: Sequence[RankedPlay], match: MatchState) -> RankedPlay:
    """Choose a play: by equity for money, in a match by the chance to win it with the cube at rest.

    Args:
        ranked: The plays, best equity first, as `engine.ranking.rank_plays` gives them.
        match: The match state; its seat on roll is the one that plays.

    Returns:
        The best; among equals, which are common where gammons do not matter, the one of higher equity.
    """
    if match.is_money:
        return ranked[0]
    owner = None if match.cube == 1 else match.on_roll  # whose it is does not matter to a cube at rest
    game = cube_game(replace(match, cube_owner=owner), cube_turns=0)
    outcomes = np.array([play.outcome for play in ranked], np.float32)
    return ranked[int(np.argmax(dead_values(outcomes, game)))]


def cube_decision(evaluator: Evaluator, position: Position, match: MatchState) -> CubeDecision:
    """Decide about the cube, for both sides.

    Args:
        evaluator: The judge of the position.
        position: The checkers, those of the seat on roll first.
        match: The match state. While a double waits, its cube is the one before the double.

    Raises:
        PositionError: The cube of a match shows more than 1 and nobody owns it.
    """
    game = cube_game(_without_automatic_doubles(match))
    outcomes, efficiencies = _judged(evaluator, position)
    return decide(leaf_values(outcomes, efficiencies, game)[0], game)


def takes_beaver(evaluator: Evaluator, position: Position, match: MatchState) -> bool:
    """Decide whether a double that was beavered is played out, rather than the doubled stake lost.

    Args:
        evaluator: The judge of the position.
        position: The checkers, those of the doubler first, who is on roll.
        match: The match state, money play; its cube shows what the opponent, who holds it, would turn.
    """
    played_out = cube_decision(evaluator, position, match).no_double
    return played_out.equity_points > -0.5  # of the beavered stake, half of which is lost by giving up


def position_value(evaluator: Evaluator, position: Position, match: MatchState, *, cubeful: bool) -> float:
    """Value a position before the roll, for the seat on roll.

    Args:
        evaluator: The judge of the position.
        position: The checkers, those of the seat on roll first.
        match: The match state.
        cubeful: Whether the cube can still be turned, though not on this roll; otherwise the game is played
            out at its present stake, with gammons.

    Returns:
        In money play the equity in points for a cube of 1, in a match the chance to win it.

    Raises:
        PositionError: The cube of a match shows more than 1 and nobody owns it.
    """
    game = cube_game(_without_automatic_doubles(match))
    outcomes, efficiencies = _judged(evaluator, position)
    if cubeful:
        return float(leaf_values(outcomes, efficiencies, game)[0, 0])
    return float(dead_values(outcomes, game)[0])


def _judged(evaluator: Evaluator, position: Position) -> tuple[Outcomes, NDArray[np.float32]]:
    """Return a position's outcome and cube efficiency, as batches of one."""
    boards = np.ascontiguousarray(position.board[None])
    return evaluator.evaluate(boards), cube_efficiencies(boards)


def _without_automatic_doubles(match: MatchState) -> MatchState:
    """Money play with a centred cube above 1 as the same game for a cube of 1: values are per cube of 1."""
    return replace(match, cube=1) if match.is_money and match.cube_owner is None else match
