"""Judges the decisions of a match by the notes on its actions: those of its file, or of our own analysis."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cubeful.match_equity import MatchEquityTable
from engine.match_analysis.judgement import (
    ILLEGAL_PLAY,
    Judgement,
    judge_doubling,
    judge_play,
    judge_response,
)
from engine.match_analysis.phases import classify_game_phase
from engine.match_analysis.statistics import JudgedDecision, JudgedRoll
from engine.match_files.model import NO_NOTES, ActionNotes, RecordedMatch
from engine.rules.game_record import DoubleAction, GameAction, PlayAction, ResponseAction
from engine.rules.match import MatchState


def judge_recorded_match(
    match: RecordedMatch, table: MatchEquityTable
) -> tuple[list[JudgedDecision], list[JudgedRoll]]:
    """Judge the decisions that have an evaluation, in the order of the match.

    A legal play that is not among its candidates is left out, and so are beavers.

    Args:
        match: The match as its file was read, or as `engine.match_analysis.analysis.analyse_match` left it.
        table: For match-winning chances.
    """
    decisions: list[JudgedDecision] = []
    rolls: list[JudgedRoll] = []
    for number, game in enumerate(match.games):
        is_whole = game.position == game.rules.starting_position
        plays_done = 0
        for place, (situation, action) in enumerate(game.replay()):
            notes = game.notes.get(place, NO_NOTES)
            worth = compute_mwc_per_point(situation.match, table)
            for seat, judgement in _judge_action(action, situation.match, notes):
                phase = classify_game_phase(situation.position, plays_done if is_whole else None)
                decisions.append(JudgedDecision(seat, judgement, worth, number, place, phase))
            if isinstance(action, PlayAction):
                plays_done += 1
                if notes.luck is not None:
                    rolls.append(JudgedRoll(action.seat, notes.luck, worth, number))
    return decisions, rolls


def compute_mwc_scale(match: MatchState, seat: int, table: MatchEquityTable) -> tuple[float, float]:
    """Return a seat's MWC at an equity of 0, and what a point of equity adds to it at the present cube.

    Args:
        match: The match state; no money play.
        seat: The seat.
        table: The match equity table.
    """
    lost, won = (table.mwc_after(match, seat, points) for points in (-match.cube, match.cube))
    return 0.5 * (won + lost), 0.5 * (won - lost)


def compute_mwc_per_point(match: MatchState, table: MatchEquityTable) -> float | None:
    """Return the MWC that a point of equity is worth at the present cube; None in money play."""
    return None if match.is_money else compute_mwc_scale(match, 0, table)[1]


def compute_mwc(equity_points: float, match: MatchState, table: MatchEquityTable) -> float | None:
    """Return the match-winning chance of an equity for the seat on roll; None in money play."""
    if match.is_money:
        return None
    even, stake = compute_mwc_scale(match, match.on_roll, table)
    return even + stake * equity_points


def _judge_action(
    action: GameAction, match: MatchState, notes: ActionNotes
) -> Iterator[tuple[int, Judgement]]:
    """Yield the seat and the judgement of each decision of an action; a play may follow one not to double."""
    cube = notes.cube
    if isinstance(action, PlayAction):
        if cube is not None:
            yield action.seat, judge_doubling(cube, is_double=False)
        results = [candidate.play.result for candidate in notes.candidates]
        if not action.is_legal:
            if notes.candidates:
                yield action.seat, ILLEGAL_PLAY
        elif action.play.result in results:
            equities = [candidate.evaluation.equity for candidate in notes.candidates]
            yield action.seat, judge_play(equities, results.index(action.play.result))
        elif not action.play.moves and notes.luck is not None:  # analysed: nothing else could be played
            yield action.seat, judge_play([0.0], 0)
    elif cube is None or match.beavered:
        return
    elif isinstance(action, DoubleAction) and not match.doubled:
        yield action.seat, judge_doubling(cube, is_double=True)
    elif isinstance(action, ResponseAction):
        yield action.seat, judge_response(cube, is_take=action.is_take)
