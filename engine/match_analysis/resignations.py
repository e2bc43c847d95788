"""What resignations lost, and what accepting or rejecting them lost."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.match_analysis.decision_errors import ScaledPoints
from gammond.engine.match_files.model import ActionNotes, ReplayedAction
from gammond.engine.rules.game_record import ResignationAction
from gammond.engine.rules.match import MatchState


@dataclass(frozen=True)
class AnalysedResignation:
    """An offer to resign, and its answer.

    Attributes:
        seat: Who offered.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        is_accepted: Whether the other seat accepted.
        game: The place of its game in the match, from 0.
        place: The place of the action in the game, from 0.
        move: The number of its move, by `gammond.engine.match_files.model.number_moves`.
        offered_points: The equity of the offer for the seat that made it, in units of the present cube.
        worth: What playing on was worth to that seat.
        match: The match state before it, with the dice if they were out.
        notes: The engine's opinion of playing on: plays of the roll, or the cube decision.
    """

    seat: int
    kind: int
    is_accepted: bool
    game: int
    place: int
    move: int
    offered_points: float
    worth: ScaledPoints
    match: MatchState
    notes: ActionNotes

    @property
    def loss(self) -> ScaledPoints:
        """What the offer lost against playing on, if it was accepted; 0 or more."""
        lost = self.worth.equity - self.offered_points if self.is_accepted else 0.0
        return self.worth._replace(equity=max(0.0, lost))

    @property
    def answer_loss(self) -> ScaledPoints:
        """What the answer lost against the other answer; 0 or more."""
        gain = self.offered_points - self.worth.equity
        return self.worth._replace(equity=max(0.0, gain if self.is_accepted else -gain))


def analyse_resignation(
    game: int, place: int, replayed: ReplayedAction, notes: ActionNotes, table: MatchEquityTable
) -> AnalysedResignation | None:
    """Return a resignation; None if only the result tells of it, or nothing is known of playing on.

    Args:
        game: The place of the game in the match.
        place: That of the action in the game.
        replayed: The action.
        notes: What the engine thinks of playing on.
        table: For the results of games.
    """
    situation, action, move = replayed
    match = situation.match
    worth = _find_worth(notes, match)
    if not isinstance(action, ResignationAction) or not action.is_stated or worth is None:
        return None
    return AnalysedResignation(
        *(action.seat, action.kind, action.is_accepted, game, place, move),
        -compute_result_equity(match, 1 - action.seat, action.kind, table),
        ScaledPoints(worth if action.seat == match.on_roll else -worth, table.mwc_per_point(match)),
        *(match, notes),
    )


def compute_result_equity(match: MatchState, winner: int, kind: int, table: MatchEquityTable) -> float:
    """Return the equity of a result for its winner, in units of the present cube.

    Args:
        match: The match state of the game.
        winner: The seat that wins.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        table: The match equity table.
    """
    even, stake = table.equity_scale(match, winner)
    return (table.result_value(match, winner, kind) - even) / stake if stake else 0.0


def _find_worth(notes: ActionNotes, match: MatchState) -> float | None:
    """Return the equity of playing on for the seat on roll; None if nothing is known of it."""
    if match.roll is not None:
        return notes.candidates[0].evaluation.equity if notes.candidates else None
    if notes.cube is None:
        return None
    if match.doubled:
        return notes.cube.double
    may_double = match.may_double(match.on_roll)
    held = notes.cube.no_double.equity
    return max(held, notes.cube.double) if may_double else held
