"""What the records of eXtreme Gammon say, in terms of the model of match files."""

from __future__ import annotations

from engine.match_files.model import RecordedCubeDecision, RecordedEvaluation
from engine.match_files.xg.records import XgCubeEvaluation, XgEvaluation, XgMatchHeader
from engine.rules.position import CHECKERS, OFF, Board, swap_sides

_LEVELS = {
    0: "1-ply", 1: "2-ply", 2: "3-ply", 3: "4-ply", 4: "5-ply", 5: "6-ply", 6: "7-ply", 12: "3-ply red",
    100: "rollout", 998: "opening book", 999: "opening book", 1000: "XG Roller", 1001: "XG Roller+",
    1002: "XG Roller++",
}  # fmt: skip
_VARIATIONS = {0: "backgammon", 1: "nackgammon", 2: "hypergammon", 3: "longgammon"}
_MAX_CUBE_LOG = 30


def name_variation(header: XgMatchHeader) -> str:
    """Return the name of the variant of a match."""
    return _VARIATIONS.get(header.variation, f"variation {header.variation}")


def view_from(board: Board, seat: int, checkers: int = CHECKERS) -> Board:
    """Return a board of a record, with player 1 first, as a seat sees it.

    Args:
        board: ``int8[2, 26]``, as with 15 checkers a side.
        seat: Player 1 is seat 0.
        checkers: How many checkers each side has in the game.
    """
    seen = swap_sides(board) if seat else board.copy()
    seen[:, OFF] += checkers - CHECKERS
    return seen


def make_evaluation(evaluation: XgEvaluation, equity: float) -> RecordedEvaluation:
    """Return an evaluation with its level in eXtreme Gammon's words.

    Args:
        evaluation: The evaluation.
        equity: The cubeful equity, which is not part of the evaluations of cube decisions.
    """
    depth = _LEVELS.get(evaluation.level, f"level {evaluation.level}")
    return RecordedEvaluation(equity, evaluation.outcomes, depth)


def make_cube_decision(evaluation: XgCubeEvaluation | None) -> RecordedCubeDecision | None:
    """Return a cube decision; None for None."""
    if evaluation is None:
        return None
    doubled = evaluation.doubled
    return RecordedCubeDecision(
        evaluation.no_double,
        evaluation.double_take,
        evaluation.double_pass,
        make_evaluation(evaluation.rolling, evaluation.no_double),
        None if doubled is None else make_evaluation(doubled, evaluation.double_take),
    )


def split_cube(number: int) -> tuple[int, int | None]:
    """Return the value of the cube and the seat that owns it.

    Args:
        number: The logarithm of the value, positive if player 1 owns it, negative if player 2 does; 0 for the
            cube in the middle. Right or wrong: `MatchState` refuses what no cube can have.
    """
    return 1 << min(abs(number), _MAX_CUBE_LOG), None if number == 0 else int(number < 0)
