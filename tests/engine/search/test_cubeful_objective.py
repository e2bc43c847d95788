"""Searches with the cube and the score are those of the definition, state by state, and mix nothing up."""

import math
from functools import partial

import numpy as np
import pytest

from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.two_sided import TwoSidedTable
from gammond.engine.cubeful import CUBELESS_GAME, make_cube_game, make_dead_cube_game
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.engine.search import UNPRUNED, Pruning, TreeSearch, ValueCache
from gammond.engine.search.tree import Objective
from tests.engine.search.naive_cubeful import NaiveCubeful
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = np.concatenate(
    [boards.played_boards(RacingEvaluator(), 5000, seed=1)[:5], boards.random_boards(5, seed=2)]
)
NEARLY_OVER = np.stack(
    [
        boards.position(x={1: 1, 5: 1}, o={20: 2, 19: 1}).board,
        boards.position(x={20: 1, 2: 3}, o={24: 2, 23: 1}).board,
        boards.position(x={6: 2}, o={5: 15}).board,
    ]
)
FINISHED = np.stack([boards.position(x={}, o={20: 15}).board, boards.position(x={3: 14, 20: 1}, o={}).board])
MONEY = [
    MatchState(),
    MatchState(jacoby=True, beavers=False),
    MatchState(jacoby=True),
    MatchState(cube=2, cube_owner=0, beavers=False),
    MatchState(cube=4, cube_owner=1, on_roll=1, jacoby=True),
    MatchState(cube=2, cube_owner=1),
]
MATCHES = [
    MatchState(length=7, score=(2, 4)),
    MatchState(length=5, score=(4, 2), crawford=True),
    MatchState(length=5, score=(4, 2)),
    MatchState(length=5, score=(2, 4), on_roll=0),
    MatchState(length=3, score=(1, 1), cube=2, cube_owner=1),
    MatchState(length=3, score=(1, 1), cube=2, cube_owner=0),
    MatchState(length=1),
    MatchState(length=11, score=(3, 0), cube=2, cube_owner=1, on_roll=1),
]


def name(match):
    """A short name for the report of the tests."""
    kind = f"{match.length} {match.score}" if match.length else "money"
    flags = [flag for flag in ("crawford", "jacoby", "beavers") if getattr(match, flag)]
    return " ".join([kind, f"cube {match.cube} {match.cube_owner} roll {match.on_roll}", *flags])


ANY = pytest.mark.parametrize("match", MONEY + MATCHES, ids=name)
SOME = pytest.mark.parametrize("match", (MONEY + MATCHES)[::3], ids=name)
TWINS_EVALUATOR = SmoothEvaluator()
PRUNED = Pruning(keep=3, margin=0.1, width=2, width_margin=0.05)


def searched(objective, sample, plies, pruning=UNPRUNED, **options):
    pruner = None if pruning.keep is None else EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    return TreeSearch(pruner, pruning, **options).evaluate(objective, sample, plies)


def naive(match, sample, plies):
    """All columns by the definition, those of the cube in the order of the states."""
    twin = NaiveCubeful(TWINS_EVALUATOR, match)
    first, *_ = states = make_cube_game(match, max_cube_turns=plies + 1).states
    rows = []
    for board in sample:
        position, seat = Position(board), match.on_roll
        outcome = twin.outcome(position, seat, first.value, first.owner, plies)
        values = [twin.value(position, seat, state.value, state.owner, plies) for state in states]
        rows.append([*outcome, *values])
    return np.array(rows)


def cubeful(match, plies, evaluator=None, exact=()):
    return Objective(evaluator or SmoothEvaluator(), make_cube_game(match, max_cube_turns=plies + 1), exact)


def test_objectives_of_one_evaluator_and_game_are_equal():
    evaluator, match = SmoothEvaluator(), MatchState(length=5)
    games = CUBELESS_GAME, make_dead_cube_game(match), make_cube_game(match), make_cube_game(MatchState())
    objectives = [Objective(evaluator, game) for game in games]
    assert len(set(objectives)) == len(games)
    assert objectives == [Objective(evaluator, game) for game in games]
    assert objectives == [each.other.other for each in objectives]
    assert [each.game.is_cubeful for each in objectives] == [False, False, True, True]
    assert [each.game.columns for each in objectives[:2]] == [5, 6]


@ANY
def test_one_ply_is_the_average_over_the_rolls_of_the_best_replies_in_each_state_of_the_cube(match):
    sample = np.concatenate([SAMPLE, NEARLY_OVER, FINISHED])
    found = searched(cubeful(match, 1), sample, 1)
    assert np.abs(found - naive(match, sample, 1)).max() < 2e-6


@SOME
def test_two_plies_unpruned_are_the_exact_expectiminimax_with_the_cube(match):
    sample = np.concatenate([NEARLY_OVER[:1], NEARLY_OVER[2:], FINISHED])
    assert np.abs(searched(cubeful(match, 2), sample, 2) - naive(match, sample, 2)).max() < 4e-6


def test_the_samples_have_doubles_that_are_right_and_doubles_that_are_wrong():
    """Otherwise the twin could not distinguish a search that always doubles from one that never does."""
    objective = cubeful(MatchState(), 1)
    values = searched(objective, np.concatenate([SAMPLE, NEARLY_OVER]), 1)
    doubled = objective.game.with_double(values)[:, OUTCOME_COLUMNS] > values[:, OUTCOME_COLUMNS]
    assert doubled.any()
    assert not doubled.all()


@pytest.mark.parametrize("match", MATCHES, ids=name)
def test_with_the_cube_at_rest_replies_go_by_the_chance_to_win_the_match(match):
    objective = Objective(SmoothEvaluator(), make_dead_cube_game(match))
    sample = np.concatenate([SAMPLE[:4], NEARLY_OVER])
    found = searched(objective, sample, 1)
    chances = objective.game.evaluate(found[:, :OUTCOME_COLUMNS])[:, 0]
    assert np.abs(found[:, OUTCOME_COLUMNS] - chances).max() < 1e-6
    by_equity = searched(Objective(SmoothEvaluator()), sample, 1)
    assert (found[:, OUTCOME_COLUMNS] >= objective.game.evaluate(by_equity)[:, 0] - 1e-6).all()
    assert (cubeless_equity(found) <= cubeless_equity(by_equity) + 1e-6).all()


@pytest.mark.parametrize(
    "make",
    [lambda: Objective(SmoothEvaluator()), *(partial(cubeful, match, 2) for match in MONEY + MATCHES)],
    ids=["cubeless", *map(name, MONEY + MATCHES)],
)
def test_results_are_bitwise_the_same_on_any_threads_alone_and_in_company(make):
    sample = np.concatenate([SAMPLE[:3], NEARLY_OVER, FINISHED])
    together = searched(make(), sample, 2, PRUNED)
    for threads in (3, 8):  # who share positions, or where these are few the replies to them
        assert np.array_equal(searched(make(), sample, 2, PRUNED, threads=threads), together)
    assert np.array_equal(searched(make(), sample[::-1], 2, PRUNED)[::-1], together)
    alone = [searched(make(), sample[i : i + 1], 2, PRUNED) for i in range(len(sample))]
    assert np.array_equal(np.concatenate(alone), together)


@pytest.mark.parametrize("entries", [2, 1 << 14])
def test_objectives_of_different_columns_share_a_cache_without_mixing(entries):
    evaluator, sample = SmoothEvaluator(), np.concatenate([SAMPLE[:1], NEARLY_OVER])
    objectives = [
        Objective(evaluator),
        Objective(SmoothEvaluator(seed=4)),
        *(Objective(evaluator, make_dead_cube_game(match)) for match in MATCHES[:3]),
        *(cubeful(match, 2, evaluator) for match in (*MONEY, *MATCHES)),
    ]
    assert len({objective.game.columns for objective in objectives}) > 4
    expected = [searched(objective, sample, 2, PRUNED) for objective in objectives]
    cache = ValueCache(entries, columns=16)
    pruner = EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    tree = TreeSearch(pruner, PRUNED, cache)
    for plies in (1, 2, 2):
        for objective, values in zip(objectives, expected, strict=True):
            found = tree.evaluate(objective, sample, plies)
            assert plies == 1 or np.array_equal(found, values)


def test_the_same_question_again_is_answered_from_the_cache():
    evaluator = SmoothEvaluator()
    tree = TreeSearch(None, UNPRUNED, ValueCache(1 << 12, columns=16))
    first = tree.evaluate(cubeful(MatchState(length=7), 1, evaluator), SAMPLE[:3], 1)
    evaluator.batches.clear()
    assert np.array_equal(tree.evaluate(cubeful(MatchState(length=7), 1, evaluator), SAMPLE[:3], 1), first)
    assert evaluator.batches == []
    tree.evaluate(cubeful(MatchState(length=7, score=(1, 0)), 1, evaluator), SAMPLE[:3], 1)
    assert evaluator.batches


SIDES = math.comb(6 + 5, 5)
KNOWN = TwoSidedTable(
    BearoffHeader(BearoffKind.TWO_SIDED, 6, 5, cubeful=True),
    lambda: (
        np.full((SIDES, SIDES), 0.7, np.float32),
        np.broadcast_to(np.array([0.4, 0.5, 0.3], np.float32), (SIDES, SIDES, 3)).copy(),
    ),
)
"""Knows up to 5 checkers a side at home, and gives each owner of the cube another value."""

HOME = boards.position(x={3: 2, 6: 1}, o={20: 2, 19: 1}).board[None]


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (MatchState(), [0.4, 0.5, 0.3]),
        (MatchState(on_roll=1), [0.4, 0.3, 0.5]),
        (MatchState(cube=2, cube_owner=0), [0.5, 0.3]),
        (MatchState(cube=2, cube_owner=1), [0.3, 0.5]),
    ],
)
def test_positions_that_are_known_exactly_are_looked_up_for_each_owner_of_the_cube(match, expected, plies):
    found = searched(cubeful(match, plies, exact=(KNOWN,)), HOME, plies)
    assert found[0, OUTCOME_COLUMNS:].tolist() == pytest.approx(expected)


def test_in_a_match_known_positions_are_looked_ahead_from_because_they_are_known_for_money_alone():
    match = MatchState(length=5)
    known, plain = (searched(cubeful(match, 1, exact=exact), HOME, 1) for exact in ((KNOWN,), ()))
    assert np.array_equal(known, plain)


def test_known_positions_end_a_search_that_comes_upon_them():
    """One roll away from home: each reply has the known value, seen from the other side."""
    nearly = boards.position(x={1: 4, 7: 1}, o={24: 5}).board[None]
    objective = cubeful(MatchState(cube=2, cube_owner=0), 1, exact=(KNOWN,))
    found = searched(objective, nearly, 1)
    assert found[0, OUTCOME_COLUMNS] == pytest.approx(-0.3, abs=1e-6)
