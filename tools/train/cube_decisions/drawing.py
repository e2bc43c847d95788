"""Cube decisions to roll out: positions by class, each in a match state, most of them near the window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import are_all_home, make_cube_game
from gammond.engine.cubeful.efficiency import DEFAULT_EFFICIENCIES
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Board, Position
from gammond.tools.train.cube_decisions.decision_file import RatedDecision
from gammond.tools.train.cube_decisions.match_states import MATCH_KIND_WEIGHTS, MATCH_KINDS
from gammond.tools.train.labels.sampling import Sampler
from gammond.tools.train.validation.positions import draw_from_games, draw_positions
from gammond.tools.train.weights.net_set import PHASES

BEAROFF = "bearoff"
"""The class of races with all checkers home whose cubeful equity no database knows."""

ENDING = "ending"
"""The class of races whose cubeful equity in money play a database knows."""

RACE_CLASSES = (BEAROFF, ENDING)
"""Classes beside those of validation, which leaves out what databases know."""

NEAR_TAKE_POINTS = (0.2, 1.8)
NEAR_GAIN_POINTS = 0.3
"""A decision is near the doubling window if double/take is worth so much, and doubling gains or costs no more
than this."""

_POOL_FACTOR = 5
"""Positions drawn for each that is wanted."""

_SEED_TAG = 0x63756265
"""Stands first in the seeds of match states and of bearoffs."""


def draw_decisions(
    counts: Mapping[str, int], near: float, sampler: Sampler, evaluator: Evaluator, seed: int
) -> list[RatedDecision]:
    """Draw cube decisions.

    Args:
        counts: Classes and how many decisions of each: those of positions for validation, and `RACE_CLASSES`.
        near: The share of decisions near the doubling window, 0 to 1, if there are as many; the others are
            taken as they come.
        sampler: Plays the games that positions are drawn from.
        evaluator: Finds which decisions are near the window, at 0-ply.
        seed: Of dice and draws.

    Returns:
        The decisions in random order, so that the first of them are of all classes.
    """
    pools = {
        name: _draw_bearoffs(_POOL_FACTOR * count, sampler, seed, are_known=name == ENDING)
        for name, count in counts.items()
        if name in RACE_CLASSES
    }
    others = {name: _POOL_FACTOR * count for name, count in counts.items() if name not in RACE_CLASSES}
    if others:
        drawn = draw_positions(others, draw_from_games(sampler), seed)
        for place, name in enumerate(drawn.class_names):
            pools[name] = drawn.boards[drawn.classes == place]
    decisions: list[RatedDecision] = []
    for number, (name, count) in enumerate(counts.items()):
        generator = np.random.Generator(np.random.PCG64([_SEED_TAG, seed, number]))
        decisions += _choose_decisions(name, pools[name], count, near, evaluator, generator)
    order = np.random.Generator(np.random.PCG64([_SEED_TAG, seed])).permutation(len(decisions))
    return [decisions[place] for place in order]


def _draw_bearoffs(count: int, sampler: Sampler, seed: int, *, are_known: bool) -> Board:
    """Draw bearoffs whose cubeful equity a database knows, or does not."""
    exact = tuple(each for each in sampler.exact_evaluators if each.is_optimal)
    sampler = replace(sampler, wanted_phases=PHASES["race"], exact_evaluators=() if are_known else exact)
    found: Board = np.empty((0, 2, 26), np.int8)
    turn = 0
    while len(found) < count:
        boards = sampler.sample([("selfplay", 4 * count)], (_SEED_TAG, seed, turn)).boards
        is_known = np.any([each.covers(boards) for each in exact], axis=0)
        found = np.concatenate([found, boards[are_all_home(boards) & (is_known == are_known)]])
        turn += 1
    return found[:count]


def _choose_decisions(
    name: str, boards: Board, count: int, near: float, evaluator: Evaluator, generator: np.random.Generator
) -> list[RatedDecision]:
    """Give each position a match state, and choose decisions near the window and others."""
    weights = np.array(list(MATCH_KIND_WEIGHTS.values()), np.float64)
    kinds = generator.choice(list(MATCH_KIND_WEIGHTS), len(boards), p=weights / weights.sum()).tolist()
    matches = [MATCH_KINDS[kind](generator) for kind in kinds]
    is_near = find_near_decisions(boards, matches, evaluator)
    wanted = round(near * count)
    first = np.flatnonzero(is_near)[:wanted]
    rest = np.setdiff1d(np.arange(len(boards)), first)[: count - len(first)]
    return [
        RatedDecision(name, kinds[place], Position(boards[place]), matches[place])
        for place in (*first.tolist(), *rest.tolist())
    ]


def find_near_decisions(boards: Board, matches: list[MatchState], evaluator: Evaluator) -> NDArray[np.bool_]:
    """Find decisions near the doubling window, at 0-ply: ``bool[n]``.

    Args:
        boards: ``int8[n, 2, 26]``.
        matches: The match state of each.
        evaluator: Evaluates the positions.
    """
    outcomes = evaluator.evaluate(boards)
    efficiencies = DEFAULT_EFFICIENCIES.for_boards(boards, outcomes)
    is_near = np.zeros(len(boards), np.bool_)
    least, most = NEAR_TAKE_POINTS
    for row, match in enumerate(matches):
        game = make_cube_game(match)
        values = game.evaluate(outcomes[row : row + 1], efficiencies[row : row + 1])
        equities = game.to_equities(values)[0]
        taken = game.arrays.stake_factor * equities[game.state_after_take]
        gain = min(taken, 1.0) - equities[0]
        is_near[row] = least <= taken <= most and abs(gain) <= NEAR_GAIN_POINTS
    return is_near
