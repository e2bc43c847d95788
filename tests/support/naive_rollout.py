"""A slow, obvious twin of rollouts: one trial after the other, one roll after the other, in plain Python."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, make_cube_game
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.rollout.dice import draw_rolls
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.outcome import Outcome, evaluate_finished
from gammond.engine.rules.position import Position


def trial_outcome(start: Position, trial: int, evaluator, settings, exact=None) -> list[float]:
    """Play one trial and return its outcome for the player on roll at the start, less the luck."""
    position, turn, luck = start, 0, [0.0] * 5
    while True:
        end = _end(position, turn, evaluator, settings, exact)
        if end is not None:
            return [a - b for a, b in zip(_for_starter(end, turn), luck, strict=True)]
        roll = _draw_roll(settings.seed, trial, turn)
        if settings.variance_reduction:
            values = {
                other: _for_starter(_value(_best(position, other, evaluator), evaluator), turn + 1)
                for other in ROLLS
            }
            came = values[roll]
            for column in range(5):
                mean = sum(w * values[r][column] for r, w in zip(ROLLS, ROLL_WEIGHTS, strict=True))
                luck[column] += came[column] - mean
        position = _best(position, roll, evaluator)
        turn += 1


def _draw_roll(seed, trial, turn):
    return ROLLS[draw_rolls(seed, np.array([trial]), range(turn, turn + 1))[0, 0]]


def _end(position, turn, evaluator, settings, exact):
    if position.is_over:
        return evaluate_finished(position.board[None])[0].tolist()
    if exact is not None and exact.covers(position.board[None])[0]:
        return exact.evaluate(position.board[None])[0].tolist()
    if turn and turn == settings.truncation:
        return _value(position, evaluator)
    return None


def _value(position, evaluator):
    return evaluator.evaluate(position.board[None])[0].tolist()


@functools.lru_cache(maxsize=10_000)  # trials begin alike
def _best(position, roll, evaluator):
    plays = generate_plays(position, roll)
    outcomes = evaluator.evaluate(plays.boards).tolist()
    return plays[np.argmin([np.float32(Outcome(*outcome).equity) for outcome in outcomes])].result


def _for_starter(outcome, turn):
    if turn % 2 == 0:
        return outcome
    win, win_g, win_bg, lose_g, lose_bg = outcome
    return [1 - win, lose_g, lose_bg, win_g, win_bg]


def cubeful_trial_value(
    start: Position, trial: int, evaluator, settings, match: MatchState, *, doubles_at_once: bool
) -> float:
    """Play one trial with the cube and return its value for the side on roll at the start, less the luck.

    The value is in points for the cube at the start in money play, and a chance to win the match otherwise.
    """
    position, turn, luck = start, 0, 0.0
    unit, seat = match.cube, match.on_roll
    while True:
        if position.is_over:
            return _result_value(position, match, unit, seat) - luck
        if turn and turn == settings.truncation:
            return _best_value(position, evaluator, match, unit, seat) - luck
        if turn or doubles_at_once:
            decision = _decision(position, evaluator, match)
            if decision.should_double and decision.response is CubeResponse.PASS:
                return _make_view(decision.double_pass, match, unit, seat) - luck
            if decision.should_double:
                factor = 4 if decision.response is CubeResponse.BEAVER else 2
                match = replace(match, cube=match.cube * factor, cube_owner=1 - match.on_roll)
        roll = _draw_roll(settings.seed, trial, turn)
        after = match.next_turn()
        if settings.variance_reduction:
            values = [
                _best_value(_best(position, other, evaluator), evaluator, after, unit, seat)
                for other in ROLLS
            ]
            luck += values[ROLLS.index(roll)] - float(np.dot(ROLL_WEIGHTS, values))
        position, match, turn = _best(position, roll, evaluator), after, turn + 1


def _decision(position, evaluator, match):
    outcome = Outcome(*_value(position, evaluator))
    efficiencies = DEFAULT_EFFICIENCIES.for_boards(position.board[None], np.array([outcome], np.float32))[0]
    return make_cube_game(match).decide_outcome(outcome, efficiencies)


def _best_value(position, evaluator, match, unit, seat):
    if position.is_over:
        return _result_value(position, match, unit, seat)
    return _make_view(_decision(position, evaluator, match).best, match, unit, seat)


def _make_view(value, match, unit, seat):
    """A value of the side on roll, seen by a seat."""
    if match.is_money:
        points = value.equity * match.cube / unit
        return points if match.on_roll == seat else -points
    return value.mwc if match.on_roll == seat else 1 - value.mwc


def _result_value(position, match, unit, seat):
    """Return the value of a finished game to a seat."""
    win, win_g, win_bg, lose_g, lose_bg = evaluate_finished(position.board[None])[0].tolist()
    points = int(1 + win_g + win_bg) if win else -int(1 + lose_g + lose_bg)
    if match.on_roll != seat:
        points = -points
    if match.is_money:
        gammons_count = not match.jacoby or match.cube_owner is not None
        return (points if gammons_count else np.sign(points)) * match.cube / unit
    return load_default_table().mwc_after(match, seat, points * match.cube)
