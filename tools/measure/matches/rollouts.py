"""gnubg's rollouts of decisions on which two analyses differ."""

from __future__ import annotations

from dataclasses import replace

from engine.match_analysis.judgement import Choice, judge_doubling, judge_play, judge_response
from engine.rules.game_record import PlayAction
from engine.rules.moves import Play
from tools.gnubg.analysis import GnubgRoller
from tools.measure.matches.comparison import Disagreement, RolledError, combine_errors


def roll_out(disagreement: Disagreement, roller: GnubgRoller) -> Disagreement:
    """Let gnubg roll out the choice that was made and the best ones of both analyses.

    Raises:
        GammondError: As the methods of `GnubgRoller`.
    """
    choice = disagreement.ours.judged.judgement.choice
    rolled = _roll_out_play if choice is Choice.PLAY else _roll_out_cube
    return replace(disagreement, rolled=rolled(disagreement, roller))


def _roll_out_play(disagreement: Disagreement, roller: GnubgRoller) -> RolledError:
    ours, theirs = disagreement.ours, disagreement.theirs
    action = roller.match.games[ours.judged.game].actions[ours.judged.action]
    assert isinstance(action, PlayAction)
    best = (side.notes.candidates[0].play for side in (ours, theirs))
    plays: dict[object, Play] = {play.result: play for play in (action.play, *best)}
    if len(plays) == 1:
        return RolledError(0.0, 0.0)
    found = roller.roll_out_plays(ours.situation, action.roll, list(plays.values()))
    ranked = sorted(found, key=lambda each: -each.evaluation.equity)
    made = next(place for place, each in enumerate(ranked) if each.play.result == action.play.result)
    judged = judge_play([each.evaluation.equity for each in ranked], made)
    errors = [ranked[place].evaluation.error for place in {0, made}]
    return RolledError(judged.error_points, combine_errors(*errors) if made else 0.0)


def _roll_out_cube(disagreement: Disagreement, roller: GnubgRoller) -> RolledError:
    choice = disagreement.ours.judged.judgement.choice
    cube = roller.roll_out_cube(disagreement.ours.situation)
    held, taken = (each.error if each else None for each in (cube.evaluation, cube.taken_evaluation))
    if choice in (Choice.TAKE, Choice.PASS):
        judged = judge_response(cube.double_take, cube.double_pass, is_take=choice is Choice.TAKE)
        return RolledError(judged.error_points, combine_errors(taken))
    judged = judge_doubling(
        cube.no_double, cube.double_take, cube.double_pass, is_double=choice is Choice.DOUBLE
    )
    answered = taken if cube.double_take < cube.double_pass else 0.0
    return RolledError(judged.error_points, combine_errors(held, answered))
