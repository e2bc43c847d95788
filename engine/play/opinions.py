"""What a player thinks of a position and of the plays of a roll: outcomes, or scores on its own scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.play.player import Player
from engine.rules.dice import Roll
from engine.rules.moves import Play, legal_plays
from engine.rules.outcome import Outcome, Outcomes, cubeless_equity, invert_outcomes
from engine.rules.position import Board, Position
from engine.rules.rules import STANDARD_RULES, Rules


@dataclass(frozen=True)
class Opinion:
    """What a player thinks of a position, or of one after a play.

    Attributes:
        score: The number by which it chooses: the cubeless money equity of a player that estimates outcomes,
            else on a scale of its own, higher is better.
        outcome: Its estimate; None for a player that estimates none.
        features: What it sees there, by name; empty for most players.
    """

    score: float
    outcome: Outcome | None
    features: Mapping[str, float | str]


def form_opinion(player: Player, position: Position) -> Opinion:
    """Return what a player thinks of a position, for the side on roll.

    A player that scores positions after a play scores it as if that side had just played.

    Raises:
        UnsupportedError: Its choice does not come from a number for each play.
    """
    board = position.board[None]
    turned = np.ascontiguousarray(board[:, ::-1])
    if player.evaluator is not None:
        outcomes = player.evaluator.evaluate(board.copy())
        return _make_outcome_opinion(player, outcomes[0], turned[0])
    score = player.score_plays(board, turned, np.array([0, 1]))[0]
    return Opinion(float(score), None, player.list_features(turned[0]))


def rank_by_opinion(
    player: Player, position: Position, roll: Roll, rules: Rules = STANDARD_RULES
) -> list[tuple[Play, Opinion]]:
    """Return the legal plays of a roll, each with what a player thinks of it for the side that plays.

    Args:
        player: The player; one that looks ahead is asked for the estimates behind its search.
        position: The position, the player on roll to move.
        roll: Two dice.
        rules: The rules of the game.

    Returns:
        The best first.

    Raises:
        UnsupportedError: As `form_opinion`.
        GammondError: As `engine.rules.moves.legal_plays`.
    """
    plays = legal_plays(position, roll, rules)
    children = np.stack([play.result.board for play in plays])
    if player.evaluator is not None:
        outcomes = invert_outcomes(player.evaluator.evaluate(children))
        opinions = [
            _make_outcome_opinion(player, outcome, board)
            for outcome, board in zip(outcomes, children, strict=True)
        ]
    else:
        scores = player.score_plays(position.board[None], children, np.array([0, len(plays)]))
        opinions = [
            Opinion(score, None, player.list_features(board))
            for score, board in zip(scores.tolist(), children, strict=True)
        ]
    return sorted(zip(plays, opinions, strict=True), key=lambda each: -each[1].score)


def _make_outcome_opinion(player: Player, outcome: Outcomes, turned: Board) -> Opinion:
    equity = float(cubeless_equity(outcome[None])[0])
    return Opinion(equity, Outcome(*map(float, outcome)), player.list_features(turned))
