"""gnubg's rollouts of decisions on which two analyses differ."""

from __future__ import annotations

from dataclasses import replace

from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.moves import Play
from gammond.tools.gnubg.analysis import GnubgRoller
from gammond.tools.measure.matches.comparison import Disagreement, RolledLoss, combine_errors


def roll_out(disagreement: Disagreement, roller: GnubgRoller) -> Disagreement:
    """Let gnubg roll out the choice that was made and the best ones of both analyses.

    Raises:
        GammondError: As the methods of `GnubgRoller`.
    """
    choice = disagreement.ours.choice
    rolled = _roll_out_play if choice is Choice.PLAY else _roll_out_cube
    return replace(disagreement, rolled=rolled(disagreement, roller))


def _roll_out_play(disagreement: Disagreement, roller: GnubgRoller) -> RolledLoss | None:
    ours, theirs = disagreement.ours, disagreement.theirs
    action = roller.match.games[ours.game].actions[ours.place]
    assert isinstance(action, PlayAction)
    best = (side.notes.candidates[0].play for side in (ours, theirs))
    plays: dict[object, Play] = {play.result: play for play in (action.play, *best)}
    if len(plays) == 1:
        return None
    found = roller.roll_out_plays(ours.situation, action.roll, list(plays.values()))
    (made,) = (each.evaluation for each in found if each.play.result == action.play.result)
    others = [each.evaluation for each in found if each.play.result != action.play.result]
    other = max(others, key=lambda each: each.equity)
    return RolledLoss(other.equity - made.equity, combine_errors(other.error, made.error))


def _roll_out_cube(disagreement: Disagreement, roller: GnubgRoller) -> RolledLoss:
    choice = disagreement.ours.choice
    cube = roller.roll_out_cube(disagreement.ours.situation)
    no_double, double_take, double_pass = cube.equities
    held, taken = cube.no_double.error, cube.double_take and cube.double_take.error
    if choice in (Choice.TAKE, Choice.PASS):
        gain = double_take - double_pass
        return RolledLoss(gain if choice is Choice.TAKE else -gain, combine_errors(taken))
    gain = cube.double - no_double
    answered = taken if double_take < double_pass else 0.0
    return RolledLoss(-gain if choice is Choice.DOUBLE else gain, combine_errors(held, answered))
