"""Positions to measure cube efficiencies on: near the doubling window, from self-play games."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeGame, are_all_home
from gammond.engine.errors import LimitError
from gammond.engine.evaluation.evaluator import CubefulEvaluator
from gammond.engine.rollout import RolloutEvaluators
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board, Phase, classify_phases, find_finished
from gammond.engine.rules.rules import STANDARD_RULES

CONTACT, CRASHED, RACE, BEAROFF, ENDING = "contact", "crashed", "race", "bearoff", "ending"

KINDS = (CONTACT, CRASHED, RACE, BEAROFF, ENDING)
"""Kinds of positions; bearoff: a race with every checker home, unless it is an ending, which is in a cubeful
bearoff table."""

DOUBLING_WINDOW_POINTS = (0.4, 1.4)
"""A position is near the doubling window if double/take is worth this much to the side on roll."""

_GAMES_AT_ONCE = 512
_SAMPLED_SHARE = 0.1
_MAX_TURNS = 20_000


def classify_positions(boards: Board, exact: Sequence[CubefulEvaluator]) -> NDArray[np.int8]:
    """Classify positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        exact: Cubeful bearoff tables.

    Returns:
        ``int8[n]``, places in `KINDS`; -1 for finished ones.
    """
    phase_of = classify_phases(boards)
    kinds = np.full(len(boards), -1, np.int8)
    kinds[phase_of == Phase.CONTACT] = KINDS.index(CONTACT)
    kinds[phase_of == Phase.CRASHED] = KINDS.index(CRASHED)
    kinds[phase_of == Phase.RACE] = KINDS.index(RACE)
    kinds[(phase_of == Phase.RACE) & are_all_home(boards)] = KINDS.index(BEAROFF)
    for table in exact:
        kinds[table.covers(boards) & (phase_of == Phase.RACE)] = KINDS.index(ENDING)
    return kinds


def is_near_doubling_window(boards: Board, outcomes: Outcomes, game: CubeGame) -> NDArray[np.bool_]:
    """Return which positions are near the doubling window, by the default efficiencies.

    Args:
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``.
        game: Money play with the cube centred, for the side on roll.
    """
    values = game.evaluate(outcomes, DEFAULT_EFFICIENCIES.for_boards(boards, outcomes))
    taken = game.arrays.stake_factor * values[:, game.state_after_take]
    least, most = DOUBLING_WINDOW_POINTS
    is_near: NDArray[np.bool_] = (taken >= least) & (taken <= most)
    return is_near


def draw_positions(
    evaluators: RolloutEvaluators,
    kinds: tuple[str, ...],
    count: int,
    game: CubeGame,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Board:
    """Draw positions near the doubling window from cubeless games, few of each game.

    Args:
        evaluators: For plays and cube decisions.
        kinds: Some of `KINDS`.
        count: How many of each kind.
        game: As `is_near_doubling_window`.
        seed: Of dice and draws, 0 or more.
        progress: Called with the number of positions drawn.

    Returns:
        ``int8[len(kinds) * count, 2, 26]``, the kinds in turn, so that any beginning has as many of each.

    Raises:
        LimitError: A kind is too rare.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    start = STANDARD_RULES.starting_position.board
    boards: Board = np.repeat(start[None], _GAMES_AT_ONCE, axis=0)
    found: list[list[Board]] = [[] for _ in kinds]
    for _ in range(_MAX_TURNS):
        drawn = sum(min(len(boards_of), count) for boards_of in found)
        if progress is not None:
            progress(drawn)
        if drawn == len(kinds) * count:
            return np.stack(
                [board for row in zip(*found, strict=False) for board in row][: len(kinds) * count]
            )
        is_wanted = is_near_doubling_window(boards, evaluators.cube_evaluator.evaluate(boards), game)
        is_wanted &= generator.random(len(boards)) < _SAMPLED_SHARE
        kind_of = np.where(is_wanted, classify_positions(boards, evaluators.exact_cubeful), -1)
        for kind, boards_of in zip(kinds, found, strict=True):
            boards_of.extend(boards[kind_of == KINDS.index(kind)])
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        boards = evaluators.policy.prune_plays(boards, dice, 1, 0.0).children
        boards[find_finished(boards)] = start
    rare = [kind for kind, boards_of in zip(kinds, found, strict=True) if len(boards_of) < count]
    raise LimitError(
        f"expected {count} positions of each kind near the doubling window, got fewer of {', '.join(rare)} "
        f"in {_MAX_TURNS:,} turns of {_GAMES_AT_ONCE} games",
        field="positions",
    )
