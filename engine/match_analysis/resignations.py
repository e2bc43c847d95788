"""What resignations lost, and what accepting or rejecting them lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.cubeful.match_equity import MatchEquityTable
from engine.match_analysis.decisions import compute_mwc_scale
from engine.match_files.model import NO_NOTES, ActionNotes, RecordedMatch
from engine.rules.game_record import ResignationAction
from engine.rules.match import MatchState


@dataclass(frozen=True)
class JudgedResignation:
    """An offer to resign, and its answer.

    Attributes:
        seat: Who offered.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        is_accepted: Whether the other seat accepted.
        game: The place of its game in the match, from 0.
        action: The place of the action in the game, from 0.
        offered_points: The equity of the offer for the seat that made it, in units of the present cube.
        worth_points: The equity of playing on for that seat.
        match: The match state before it, with the dice if they were out.
        notes: The engine's opinion of playing on: plays of the roll, or the cube decision.
    """

    seat: int
    kind: int
    is_accepted: bool
    game: int
    action: int
    offered_points: float
    worth_points: float
    match: MatchState
    notes: ActionNotes

    @property
    def loss_points(self) -> float:
        """What the offer lost against playing on, if it was accepted; 0 or more."""
        return max(0.0, self.worth_points - self.offered_points) if self.is_accepted else 0.0

    @property
    def answer_loss_points(self) -> float:
        """What the answer lost against the other answer; 0 or more."""
        gain = self.offered_points - self.worth_points
        return max(0.0, gain if self.is_accepted else -gain)


def judge_resignations(match: RecordedMatch, table: MatchEquityTable) -> Iterator[JudgedResignation]:
    """Yield the resignations of an analysed match, in order.

    Args:
        match: The match, with the engine's notes on its actions.
        table: For the results of games.
    """
    for number, game in enumerate(match.games):
        for place, (situation, action) in enumerate(game.replay()):
            notes = game.notes.get(place, NO_NOTES)
            if not isinstance(action, ResignationAction):
                continue
            worth = _find_worth(notes, situation.match)
            if worth is None:
                continue
            own = worth if action.seat == situation.match.on_roll else -worth
            offered = -compute_result_equity(situation.match, 1 - action.seat, action.kind, table)
            yield JudgedResignation(
                action.seat,
                action.kind,
                action.is_accepted,
                number,
                place,
                offered,
                own,
                situation.match,
                notes,
            )


def compute_result_equity(match: MatchState, winner: int, kind: int, table: MatchEquityTable) -> float:
    """Return the equity of a result for its winner, in units of the present cube.

    Args:
        match: The match state of the game.
        winner: The seat that wins.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        table: The match equity table.
    """
    points = match.game_result(winner, kind).points
    if match.is_money:
        return points / match.cube
    even, stake = compute_mwc_scale(match, winner, table)
    return (table.mwc_after(match, winner, points) - even) / stake if stake else 0.0


def _find_worth(notes: ActionNotes, match: MatchState) -> float | None:
    """Return the equity of playing on for the seat on roll; None if nothing is known of it."""
    if match.roll is not None:
        return notes.candidates[0].evaluation.equity if notes.candidates else None
    if notes.cube is None:
        return None
    if match.doubled:
        return notes.cube.double
    may_double = match.may_double(match.on_roll)
    return max(notes.cube.no_double, notes.cube.double) if may_double else notes.cube.no_double
