"""The best plays of many positions, each with its own roll and match state, ranked together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.rules.match import MatchState
from engine.rules.moves import LegalPlays, expand_rolls
from engine.rules.notation import format_play, format_plays
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Board, Position
from engine.runtime.threads import Workers
from engine.search import SearchWatch
from engine.search.objective import Objective

_TASK_POSITIONS = 64
"""Positions whose plays are ranked at once at 0-ply: some 1,500 plays, and 200,000 at the very most."""


@dataclass(frozen=True, eq=False)
class RolledPositions:
    """Positions with a roll to play, each in its own match state.

    Attributes:
        boards: ``int8[n, 2, 26]``, the player on roll first; none of them finished.
        rolls: ``int8[n, 2]``.
        matches: The different match states.
        match_indices: ``int64[n]``, which of them each position has.
    """

    boards: Board
    rolls: NDArray[np.int8]
    matches: Sequence[MatchState]
    match_indices: NDArray[np.int64]


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
    positions: RolledPositions,
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
        positions: The positions, with their rolls.
        settings: Depth, filter and cube.
        count: Number of plays wanted of each position.
        workers: Threads that share the work.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        PositionError: The settings are cubeful, and in a match a cube above 1 has no owner.
        CancelledWork: It was cancelled.
    """
    workers, number = workers or Workers(), len(positions.boards)
    found = BestPlays(
        [[] for _ in range(number)], np.full((number, count), np.nan), np.full((number, count), np.nan)
    )
    if settings.plies:
        _search_each(engine, positions, settings, found, workers, cancelled)
        return found
    tasks = []
    for which in np.unique(positions.match_indices).tolist():
        objective = engine.make_objective(positions.matches[which], settings).other
        places = np.flatnonzero(positions.match_indices == which)
        tasks += [
            (objective, places[start : start + _TASK_POSITIONS])
            for start in range(0, len(places), _TASK_POSITIONS)
        ]
    workers.map(lambda task: _rank_together(*task, positions, found, SearchWatch(cancelled)), tasks)
    return found


def _rank_together(
    objective: Objective,
    places: NDArray[np.int64],
    positions: RolledPositions,
    found: BestPlays,
    watch: SearchWatch,
) -> None:
    """Rank the plays of positions of one match state at 0-ply.

    Args:
        objective: The next mover's.
        places: Which positions.
        positions: All of them.
        found: Takes the plays.
        watch: Stops the work.
    """
    watch.check()
    children, moves, offsets = expand_rolls(positions.boards[places], positions.rolls[places])
    values = objective.add_double_option(objective.evaluate(children))
    equities = objective.equities(values)
    chances = objective.match_winning_chances(values)
    numbers = np.repeat(np.arange(len(places)), np.diff(offsets))
    order = np.lexsort((cubeless_equity(values), equities, numbers))
    for number, place in enumerate(places.tolist()):
        best = order[offsets[number] : offsets[number + 1]][: found.scores.shape[1]]
        start = Position.from_valid_board(positions.boards[place])
        found.texts[place] = format_plays(LegalPlays(start, children[best], moves[best]))
        found.scores[place, : len(best)] = -equities[best]
        if chances is not None:
            found.mwc[place, : len(best)] = 1.0 - chances[best]


def _search_each(
    engine: Engine,
    positions: RolledPositions,
    settings: EvalSettings,
    found: BestPlays,
    workers: Workers,
    cancelled: Callable[[], bool] | None,
) -> None:
    """Rank the plays of each position by a search of its own, arguments as `find_best_plays`."""
    alone, count = engine.with_threads(1) if workers.threads > 1 else engine, found.scores.shape[1]
    settings = replace(settings, candidates=max(settings.candidates, count))

    def search(place: int) -> None:
        watch = SearchWatch(cancelled)
        one, two = positions.rolls[place].tolist()
        ranked = alone.rank_plays(
            Position.from_valid_board(positions.boards[place]),
            (one, two),
            positions.matches[positions.match_indices[place]],
            settings,
            watch,
        )
        watch.check()  # a search that is stopped ends at fewer plies
        best = ranked.plays[:count]
        found.texts[place] = [format_play(play.play) for play in best]
        for rank, play in enumerate(best):
            found.scores[place, rank] = play.score
            found.mwc[place, rank] = np.nan if play.mwc is None else play.mwc

    workers.map(search, range(len(positions.boards)))
