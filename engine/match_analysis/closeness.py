"""Which decisions are worth a deeper judgement: those that are close, and those that look wrong."""

from __future__ import annotations

from engine.match_analysis.judgement import judge_doubling, judge_response
from engine.match_analysis.tasks import AnalysisTask
from engine.match_files.model import ActionNotes, RecordedCubeDecision
from engine.rules.game_record import DoubleAction, ResponseAction

CLOSE_POINTS = 0.02
"""A decision whose error is as large, or whose two best choices are as near, is judged anew where deeper
judgement is wanted."""


def is_close(task: AnalysisTask, notes: ActionNotes) -> bool:
    """Return whether a decision is close or wrong, by what is known of it.

    Args:
        task: The decision; a roll that was not played is never close.
        notes: The candidates of a play, or the cube decision.
    """
    if task.roll is None:
        assert notes.cube is not None
        return _is_close_cube(task, notes.cube)
    if task.play is None:
        return False
    best = notes.candidates[0].evaluation
    made = task.find_made(notes.candidates)
    equities = [each.evaluation.equity for each in notes.candidates if each.evaluation.depth == best.depth]
    is_near = len(equities) > 1 and equities[0] - equities[1] < CLOSE_POINTS
    return is_near or best.equity - made.evaluation.equity >= CLOSE_POINTS


def _is_close_cube(task: AnalysisTask, cube: RecordedCubeDecision) -> bool:
    errors = [judge_doubling(cube, is_double=isinstance(task.actions[0], DoubleAction))]
    errors += [
        judge_response(cube, is_take=action.is_take)
        for action in task.actions
        if isinstance(action, ResponseAction)
    ]
    margin = min(abs(cube.no_double - cube.double), abs(cube.double_take - cube.double_pass))
    return margin < CLOSE_POINTS or any(each.error_points >= CLOSE_POINTS for each in errors)
