"""What resignations lost, and what accepting or rejecting them lost."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.evaluation.results import is_on_scale
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
        worth_points: The equity of playing on for that seat.
        match: The match state before it, with the dice if they were out.
        notes: The engine's opinion of playing on: plays of the roll, or the cube decision.
        mwc_per_point: The match-winning chance that a point of equity is worth here; None in money play.
    """

    seat: int
    kind: int
    is_accepted: bool
    game: int
    place: int
    move: int
    offered_points: float
    worth_points: float
    match: MatchState
    notes: ActionNotes
    mwc_per_point: float | None

    @property
    def loss_points(self) -> float:
        """What the offer lost against playing on, if it was accepted; 0 or more."""
        return max(0.0, self.worth_points - self.offered_points) if self.is_accepted else 0.0

    @property
    def answer_loss_points(self) -> float:
        """What the answer lost against the other answer; 0 or more."""
        gain = self.offered_points - self.worth_points
        return max(0.0, gain if self.is_accepted else -gain)

    def measure(self, loss_points: float) -> float:
        """Return the size of a loss: at double match point where points have no scale (`is_on_scale`)."""
        is_scaled = is_on_scale(loss_points, self.mwc_per_point)
        return loss_points if is_scaled else 2.0 * loss_points * (self.mwc_per_point or 0.0)


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
        worth if action.seat == match.on_roll else -worth,
        *(match, notes, table.mwc_per_point(match)),
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
