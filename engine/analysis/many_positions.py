"""Values and best plays of many positions, each in its own match state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.cubeful import ScoreMatrix, compute_score_matrix
from gammond.engine.evaluation.results import CubeDecision, Evaluations
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import LegalPlays, expand_rolls
from gammond.engine.rules.notation import format_play, format_plays
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import Feature
from gammond.engine.runtime.threads import Workers
from gammond.engine.search import SearchWatch
from gammond.engine.search.tree import Objective

_TASK_POSITIONS = 64
"""Positions whose plays are ranked at once at 0-ply: some 1,500 plays, and 200,000 at the very most."""


def evaluate_matches(
    engine: Engine,
    boards: Board,
    matches: Sequence[MatchState],
    match_indices: NDArray[np.int64],
    settings: EvalSettings | None = None,
    watch: SearchWatch | None = None,
    *,
    may_double_now: bool = True,
    decides: bool = False,
) -> Evaluations:
    """Evaluate many positions at once, each in its own match state.

    Args:
        engine: Evaluates them.
        boards: ``int8[n, 2, 26]``, the checkers of the seat on roll first; finished positions allowed.
        matches: The different match states.
        match_indices: ``int64[n]``, which of them each position has.
        settings: As for `Engine.evaluate_boards`.
        watch: As there.
        may_double_now: As there.
        decides: As there.

    Returns:
        As `Engine.evaluate_boards`. Among several match states, the match-winning chance of a position in
        money play is nan.

    Raises:
        PositionError: As `Engine.evaluate_boards`.
        UnsupportedError: As `Engine.evaluate_boards`.
        CancelledWork: The watch stopped it.
    """
    evaluate = partial(
        engine.evaluate_boards,
        settings=settings,
        watch=watch,
        may_double_now=may_double_now,
        decides=decides,
    )
    if len(matches) == 1:
        return evaluate(boards, matches[0])
    settings = settings or EvalSettings.make_default(engine.rules)
    outcomes, cubeful = np.empty((len(boards), OUTCOME_COLUMNS), np.float32), np.empty(len(boards))
    mwc, worths = np.full((2, len(boards)), np.nan)
    decisions: list[CubeDecision | None] = [None] * len(boards)
    for which in np.unique(match_indices).tolist():
        rows = np.flatnonzero(match_indices == which)
        chosen = boards if len(rows) == len(boards) else boards[rows]
        found = evaluate(chosen, matches[which])
        outcomes[rows] = found.outcomes
        if found.cubeful is not None:
            cubeful[rows] = found.cubeful
        if found.mwc is not None:
            mwc[rows], worths[rows] = found.mwc, found.mwc_per_point
        for row, decision in zip(rows.tolist(), found.decisions or (), strict=False):
            decisions[row] = decision
    return Evaluations(
        outcomes,
        cubeful if settings.is_cubeful else None,
        mwc,
        worths,
        decisions if decides else None,
    )


@dataclass(frozen=True, eq=False)
class BestPlays:
    """The best plays of n positions, best first, for the players who make them.

    Attributes:
        texts: The plays in common notation; fewer than asked for where there are no more.
        scores: ``float64[n, k]``, the equities that they are ranked by, in points; nan where there is no such
            play.
        mwc: ``float64[n, k]``, match-winning chances; nan there too, and in money play.
    """

    texts: list[list[str]]
    scores: NDArray[np.float64]
    mwc: NDArray[np.float64]


def find_best_plays(
    engine: Engine,
    boards: Board,
    rolls: NDArray[np.int8],
    matches: Sequence[MatchState],
    match_indices: NDArray[np.int64],
    settings: EvalSettings,
    *,
    count: int = 2,
    workers: Workers | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> BestPlays:
    """Find the best plays of many positions, as `Engine.rank_plays` ranks them.

    All of these plays are searched to the full depth, whatever the move filter says.

    Args:
        engine: Ranks the plays.
        boards: ``int8[n, 2, 26]``, the player on roll first; none of them finished.
        rolls: ``int8[n, 2]``.
        matches: The different match states.
        match_indices: ``int64[n]``, which of them each position has.
        settings: Depth, filter and cube.
        count: Number of plays wanted of each position.
        workers: Threads that share the work.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
        CancelledWork: It was cancelled.
    """
    workers, number = workers or Workers(), len(boards)
    found = BestPlays(
        [[] for _ in range(number)], np.full((number, count), np.nan), np.full((number, count), np.nan)
    )
    if settings.plies:
        alone = engine.with_threads(1) if workers.threads > 1 else engine
        settings = replace(settings, candidates=max(settings.candidates, count))

        def search(place: int) -> None:
            watch, position = SearchWatch(cancelled), Position.from_valid_board(boards[place])
            one, two = rolls[place].tolist()
            ranked = alone.rank_plays(position, (one, two), matches[match_indices[place]], settings, watch)
            watch.check()  # a search that is stopped ends at fewer plies
            best = ranked[:count]
            found.texts[place] = [format_play(play.play) for play in best]
            for rank, play in enumerate(best):
                found.scores[place, rank] = play.evaluation.equity
                found.mwc[place, rank] = np.nan if play.evaluation.mwc is None else play.evaluation.mwc

        workers.map(search, range(number))
        return found
    tasks = []
    for which in np.unique(match_indices).tolist():
        objective = engine.make_objective(matches[which], settings).other
        places = np.flatnonzero(match_indices == which)
        tasks += [
            (objective, places[start : start + _TASK_POSITIONS])
            for start in range(0, len(places), _TASK_POSITIONS)
        ]

    def rank(task: tuple[Objective, NDArray[np.int64]]) -> None:
        objective, places = task
        SearchWatch(cancelled).check()
        _rank_together(objective, places, boards[places], rolls[places], found)

    workers.map(rank, tasks)
    return found


def _rank_together(
    objective: Objective,
    places: NDArray[np.int64],
    boards: Board,
    rolls: NDArray[np.int8],
    found: BestPlays,
) -> None:
    """Rank the plays of positions of one match state at 0-ply.

    Args:
        objective: The next mover's.
        places: Their places among all positions.
        boards: ``int8[n, 2, 26]``.
        rolls: ``int8[n, 2]``.
        found: Takes the plays.
    """
    children, moves, offsets = expand_rolls(boards, rolls)
    values = objective.game.with_double(objective.evaluate(children))
    equities = objective.game.equities(values)
    chances = objective.game.match_winning_chances(values)
    numbers = np.repeat(np.arange(len(places)), np.diff(offsets))
    order = np.lexsort((cubeless_equity(values), equities, numbers))
    for number, place in enumerate(places.tolist()):
        best = order[offsets[number] : offsets[number + 1]][: found.scores.shape[1]]
        start = Position.from_valid_board(boards[number])
        found.texts[place] = format_plays(LegalPlays(start, children[best], moves[best]))
        found.scores[place, : len(best)] = -equities[best]
        if chances is not None:
            found.mwc[place, : len(best)] = 1.0 - chances[best]


def search_score_matrix(
    engine: Engine,
    position: Position,
    away: int,
    *,
    cube: int = 1,
    settings: EvalSettings | None = None,
    watch: SearchWatch | None = None,
) -> tuple[ScoreMatrix, bool]:
    """Search the cube decision at every score up to a number of points away.

    Args:
        engine: Searches.
        position: The checkers, those of the player on roll first.
        away: Greatest number of points away, 2 to 64.
        cube: Value of the cube; above 1 the player on roll owns it.
        settings: Look-ahead at every score, and whether kept values of this depth will do; 0-ply if None.
        watch: Counts nodes and stops the work.

    Returns:
        The decisions, and whether all of them were kept, and nothing was searched.

    Raises:
        ValueRangeError: An argument is out of range.
        UnsupportedError: The rules have no cube.
        CancelledWork: The watch stopped it.
    """
    engine.rules.check_supports(Feature.CUBE)
    settings, watch = replace(settings or EvalSettings(), is_cubeful=True), watch or SearchWatch()

    is_stored = True

    def decide(match: MatchState) -> CubeDecision:
        nonlocal is_stored
        values, was_kept = engine.find_values(position, match, settings, watch)
        is_stored &= was_kept
        return engine.make_objective(match, settings).game.decide(values[OUTCOME_COLUMNS:])

    return compute_score_matrix(decide, away, cube=cube), is_stored
