"""Values some plies deep are those of the definition, whatever the threads, the batches and the cache."""

import tracemalloc

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity, evaluate_finished
from gammond.engine.rules.position import Position
from gammond.engine.search import UNPRUNED, NPlyEvaluator, Pruning, SearchWatch, ValueCache
from gammond.engine.search.tree import (
    BLOCK_POSITIONS,
    EVALUATE_ROWS,
    MAX_BLOCK_REPLIES,
    MAX_KEEP,
    PRUNE_POSITIONS,
)
from tests.engine.search.naive_search import CountingPruner, NaiveSearch, SmoothEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = np.concatenate(
    [boards.played_boards(RacingEvaluator(), 12, seed=1), boards.random_boards(12, seed=2)]
)
FEW_CHECKERS = boards.position(x={1: 1, 2: 2, 3: 1}, o={24: 1, 22: 2, 20: 1}).board[None]
NEARLY_OVER = np.stack(
    [
        boards.position(x={1: 1, 5: 1}, o={20: 2, 19: 1}).board,
        boards.position(x={6: 2}, o={5: 15}).board,
        boards.position(x={20: 1, 2: 3}, o={24: 2, 23: 1}).board,
    ]
)
FINISHED = np.stack(
    [
        boards.position(x={}, o={20: 15}).board,
        boards.position(x={3: 14, 20: 1}, o={}).board,
        boards.position(x={4: 3}, o={}).board,
    ]
)


def deep(plies, pruning=UNPRUNED, evaluator=None, pruner=None, **options):
    evaluator = evaluator or SmoothEvaluator()
    if pruning.keep is not None:
        pruner = pruner or EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    return NPlyEvaluator(evaluator, pruner, plies, pruning, **options)


def naive(sample, plies, **options):
    search = NaiveSearch(SmoothEvaluator(), **options)
    return np.stack([search.outcome(Position(board), plies) for board in sample])


@pytest.mark.parametrize(
    ("plies", "sample"),
    [
        (1, np.concatenate([SAMPLE, NEARLY_OVER, FINISHED])),
        (2, np.concatenate([NEARLY_OVER, FEW_CHECKERS, SAMPLE[:1]])),
        pytest.param(3, NEARLY_OVER[:1], marks=pytest.mark.slow),
    ],
    ids=[1, 2, 3],
)
def test_look_ahead_unpruned_is_the_exact_expectiminimax(plies, sample):
    assert np.abs(deep(plies).evaluate(sample) - naive(sample, plies)).max() < 1e-6


def test_with_a_width_of_one_replies_are_those_that_the_evaluator_chooses_without_look_ahead():
    sample = np.concatenate([NEARLY_OVER, SAMPLE[:5]])
    found = deep(2, Pruning(keep=None, width=1)).evaluate(sample)
    assert np.abs(found - naive(sample, 2, width=1)).max() < 1e-6
    assert np.abs(found - deep(2).evaluate(sample)).max() > 1e-3


@pytest.mark.parametrize("margin", [0.02, 10.0])
def test_with_a_greater_width_the_best_of_the_followed_replies_is_taken(margin):
    sample = np.concatenate([NEARLY_OVER, SAMPLE[:3]])
    found = deep(2, Pruning(keep=None, width=3, width_margin=margin)).evaluate(sample)
    assert np.abs(found - naive(sample, 2, width=3, width_margin=margin)).max() < 1e-6


def test_a_pruner_that_thinks_like_the_evaluator_costs_nothing_even_if_it_keeps_one_reply():
    sample = np.concatenate([SAMPLE, NEARLY_OVER])
    exact = deep(1).evaluate(sample)
    assert np.array_equal(deep(1, Pruning(keep=1)).evaluate(sample), exact)
    assert np.array_equal(deep(1, Pruning(keep=5, margin=0.1)).evaluate(sample), exact)


def test_a_pruner_that_thinks_otherwise_narrows_the_choice_and_the_evaluator_chooses():
    other = EvaluatorPruner(SmoothEvaluator(seed=9))
    exact = cubeless_equity(deep(1).evaluate(SAMPLE))
    many = cubeless_equity(deep(1, Pruning(keep=8, margin=9.0), pruner=other).evaluate(SAMPLE))
    one = cubeless_equity(deep(1, Pruning(keep=1), pruner=other).evaluate(SAMPLE))
    assert (one <= many + 1e-6).all()
    assert (many <= exact + 1e-6).all()
    assert one.sum() < many.sum() < exact.sum()


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_finished_positions_are_exact_at_any_depth(plies):
    assert np.array_equal(deep(plies).evaluate(FINISHED), evaluate_finished(FINISHED))


def test_zero_plies_are_the_evaluator_alone():
    assert np.array_equal(deep(0).evaluate(SAMPLE), SmoothEvaluator().evaluate(SAMPLE))


def test_nothing_in_gives_nothing_out():
    for plies in range(3):
        assert deep(plies).evaluate(SAMPLE[:0]).shape == (0, 5)


PRUNED = Pruning(keep=3, margin=0.1, width=2, width_margin=0.05)


def test_a_cache_of_too_few_columns_is_left_alone():
    search = deep(1, PRUNED, cache=ValueCache(1 << 12, columns=4))
    for _ in range(2):
        assert np.array_equal(search.evaluate(SAMPLE[:4]), deep(1, PRUNED).evaluate(SAMPLE[:4]))


def test_repeated_positions_are_searched_once():
    evaluator = SmoothEvaluator()
    deep(1, evaluator=evaluator).evaluate(SAMPLE[:2])
    once = sum(evaluator.batches)
    evaluator.batches.clear()
    deep(1, evaluator=evaluator).evaluate(np.tile(SAMPLE[:2], (20, 1, 1)))
    assert sum(evaluator.batches) == once


def test_read_only_and_strided_boards_are_taken():
    sample = SAMPLE[:6].copy()
    sample.setflags(write=False)
    assert np.array_equal(deep(1).evaluate(sample[::2]), deep(1).evaluate(SAMPLE[:6:2].copy()))


def test_blocks_stay_within_their_bounds_however_much_is_asked():
    evaluator = SmoothEvaluator()
    pruner = CountingPruner(SmoothEvaluator(seed=3))
    pruning = Pruning(keep=MAX_KEEP, margin=9.0)
    many = boards.random_boards(150, seed=5)
    deep(1, pruning, evaluator=evaluator, pruner=pruner).evaluate(many)
    assert max(pruner.batches) == PRUNE_POSITIONS * len(ROLLS)
    assert EVALUATE_ROWS // 2 < max(evaluator.batches) <= EVALUATE_ROWS
    assert BLOCK_POSITIONS * len(ROLLS) * MAX_KEEP <= MAX_BLOCK_REPLIES
    evaluator.batches.clear()
    deep(1, evaluator=evaluator).evaluate(many[:60])
    assert max(evaluator.batches) <= EVALUATE_ROWS


def test_a_deep_query_takes_no_more_memory_than_a_block_for_each_of_its_levels():
    pruning = Pruning(keep=2, width=1)
    start = Position.start().board[None]
    children, _, _ = expand_rolls(np.repeat(start, len(ROLLS), axis=0), np.array(ROLLS, np.int8))
    block = peak_bytes(deep(1, pruning), children[::9][:BLOCK_POSITIONS])
    assert peak_bytes(deep(3, pruning), start) < 3 * block


def peak_bytes(search, sample):
    search.evaluate(NEARLY_OVER[2:])
    tracemalloc.start()
    search.evaluate(sample)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_search_can_be_stopped_and_asks_before_each_block():
    evaluator = SmoothEvaluator()
    pruner = CountingPruner(SmoothEvaluator(seed=3))
    work_since = []

    def cancelled():
        work_since.append((sum(evaluator.batches), sum(pruner.batches)))
        return len(work_since) > 40

    search = deep(3, Pruning(keep=4), evaluator=evaluator, pruner=pruner)
    with pytest.raises(CancelledWork):
        search.evaluate(SAMPLE, SearchWatch(cancelled))
    steps = np.diff(np.array(work_since), axis=0)
    assert len(work_since) == 41
    assert steps[:, 0].max() <= EVALUATE_ROWS
    assert steps[:, 1].max() <= BLOCK_POSITIONS * len(ROLLS)


def test_a_stopped_search_stops_all_its_threads_and_the_next_one_works():
    search = deep(2, PRUNED, threads=4)
    asked = []

    def cancelled():
        asked.append(True)
        return len(asked) > 10

    with pytest.raises(CancelledWork):
        search.evaluate(SAMPLE, SearchWatch(cancelled))
    after = len(asked)
    assert np.array_equal(search.evaluate(SAMPLE[:3]), deep(2, PRUNED).evaluate(SAMPLE[:3]))
    assert len(asked) == after


def test_nodes_are_the_positions_that_the_evaluator_was_asked_for():
    evaluator, watch = SmoothEvaluator(), SearchWatch()
    deep(2, PRUNED, evaluator=evaluator, pruner=EvaluatorPruner(SmoothEvaluator()), threads=3).evaluate(
        SAMPLE, watch
    )
    assert watch.nodes == sum(evaluator.batches) > 1000


def test_an_n_ply_evaluator_says_its_plies_and_adds_them_to_its_evaluators():
    assert (deep(2).plies, deep(2).name) == (2, "smooth 1")
    assert NPlyEvaluator(deep(1), None, 1, UNPRUNED).plies == 2


@pytest.mark.parametrize("plies", [-1, 5])
def test_other_depths_are_refused(plies):
    with pytest.raises(ValueRangeError, match="expected 0 to 4 plies") as caught:
        deep(plies)
    assert caught.value.field == "plies"


@pytest.mark.parametrize(
    ("field", "value"),
    [("keep", 0), ("keep", 49), ("width", 0), ("margin", -0.1), ("width_margin", float("nan"))],
)
def test_impossible_pruning_is_refused(field, value):
    with pytest.raises(ValueRangeError) as caught:
        Pruning(**{field: value})
    assert caught.value.field == field
