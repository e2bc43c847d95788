"""Searches with nets in the compiled loop: against the same search step by step, and with all of it asked."""

import threading
import time

import numpy as np
import pytest

from gammond.engine.analysis.engine import CACHE_COLUMNS, Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import CancelledWork
from gammond.engine.rules.match import MatchState
from gammond.engine.search import UNPRUNED, Pruning, SearchWatch, ValueCache
from gammond.nets.compiled_net import PruningNet, read_net_weights
from gammond.nets.router import Router
from tests.engine.kernels.nets.test_packed_nets import random_compiled_net
from tests.engine.search.stepped_search import SteppedSearch
from tests.nets.stand_ins import Asked
from tests.support import boards

TABLES = build_two_sided(4, 3), build_one_sided(6, 6)
NET = random_compiled_net("tesauro196", (6,), 1)
PRUNER = PruningNet("pruner", *(read_net_weights("pruner", NET.layers) for _ in range(2)))

PRUNING = Pruning()
MONEY = MatchState()
STATES = {
    "cubeless": (MONEY, False),
    "money": (MONEY, True),
    "jacoby and beavers": (MatchState(jacoby=True, beavers=True), True),
    "owned cube": (MatchState(cube=2, cube_owner=0), True),
    "match": (MatchState(length=5, score=(1, 3)), True),
    "dead cube": (MatchState(length=5, score=(1, 3)), False),
    "Crawford game": (MatchState(length=5, score=(4, 2), crawford=True), True),
}


def draw_boards(count, seed):
    """Positions of all phases: random ones, bearoffs that the tables know, finished ones, repeats."""
    few = boards.random_boards(count, seed=seed)
    few[:, :, 7:] = 0
    few[:, :, 1:7] //= 3
    few[:, :, 0] = 15 - few[:, :, 1:].sum(axis=2)
    finished = np.stack([boards.position(x={}, o={19: 3}).board, boards.position(x={25: 2}, o={}).board])
    sample = np.concatenate([boards.random_boards(count, seed=seed + 1), few, finished])
    sample = np.concatenate([sample, sample[:2]])
    return sample[np.random.default_rng(seed).permutation(len(sample))]


def make_engine(pruning=PRUNING, threads=1, cached=True, exact=TABLES[:1], *, is_asked=False):
    evaluator, pruner = Router("test", NET, exact=TABLES), PRUNER
    return Engine(
        Asked(evaluator) if is_asked else evaluator,
        Asked(pruner) if is_asked else pruner,
        exact=exact,
        cache=ValueCache(1 << 14, CACHE_COLUMNS) if cached else None,
        threads=threads,
        pruning=pruning,
    )


def make_engines(pruning=PRUNING, **options):
    """The same engine twice: in one compiled loop, and step by step."""
    engines = make_engine(pruning, **options), make_engine(pruning, **options)
    engines[1].tree = SteppedSearch(PRUNER, pruning)
    return engines


def assert_same(found, expected):
    for one, other in zip(vars(found).values(), vars(expected).values(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("pruning", "plies", "count"),
    [
        (Pruning(), 1, 24),
        (Pruning(), 2, 12),
        (Pruning(keep=3), 3, 1),
        (Pruning(keep=4, width=3, width_margin=0.3), 2, 8),
        (Pruning(keep=3, width=None), 2, 4),
        (UNPRUNED, 1, 8),
    ],
    ids=["1-ply", "2-ply", "3-ply", "wider", "all that are kept", "unpruned"],
)
def test_values_are_those_of_the_search_step_by_step_to_the_bit(pruning, plies, count, state):
    match, is_cubeful = STATES[state]
    settings, sample = EvalSettings(plies, is_cubeful=is_cubeful), draw_boards(count, plies)
    compiled, stepwise = make_engines(pruning)
    first, again = SearchWatch(), SearchWatch()
    found = compiled.evaluate_boards(sample, match, settings, first)
    assert_same(found, stepwise.evaluate_boards(sample, match, settings))
    assert_same(compiled.evaluate_boards(sample, match, settings, again), found)
    assert again.nodes < first.nodes
    assert_same(make_engine(pruning, is_asked=True).evaluate_boards(sample, match, settings), found)


@pytest.mark.nojit
def test_values_are_the_same_with_the_compiler_off():
    sample = boards.random_boards(1, seed=3)
    pruning, settings = Pruning(keep=2), EvalSettings(1)
    compiled, stepwise = make_engines(pruning, cached=False)
    expected = stepwise.evaluate_boards(sample, MONEY, settings)
    assert_same(compiled.evaluate_boards(sample, MONEY, settings), expected)
    assert_same(make_engine(pruning, is_asked=True).evaluate_boards(sample, MONEY, settings), expected)


@pytest.mark.slow
def test_many_plays_of_a_roll_fit():
    spread = boards.position(x=dict.fromkeys(range(10, 25), 1), o={0: 1, 1: 14})
    sample = np.repeat(spread.board[None], 2, axis=0)
    sample[1, 0, 10], sample[1, 0, 9] = 0, 1
    compiled, stepwise = make_engines(UNPRUNED)
    settings = EvalSettings(1, is_cubeful=False)
    assert_same(
        compiled.evaluate_boards(sample, MONEY, settings), stepwise.evaluate_boards(sample, MONEY, settings)
    )


@pytest.mark.parametrize("cached", [True, False], ids=["cache", "no cache"])
def test_values_do_not_depend_on_threads_batches_and_order(cached):
    sample = draw_boards(60, 5)
    settings = EvalSettings(2)
    expected = make_engines(cached=cached)[1].evaluate_boards(sample, MONEY, settings)
    for is_asked in (False, True):
        threaded = make_engine(threads=3, cached=cached, is_asked=is_asked)
        assert_same(threaded.evaluate_boards(sample, MONEY, settings), expected)
    one_by_one = make_engine(cached=cached)
    for i in reversed(range(0, len(sample), 7)):
        alone = one_by_one.evaluate_boards(sample[i : i + 1], MONEY, settings)
        np.testing.assert_array_equal(alone.outcomes[0], expected.outcomes[i])
        np.testing.assert_array_equal(alone.cubeful[0], expected.cubeful[i])


def test_one_ply_is_pruned_otherwise_within_a_deeper_search_and_the_cache_knows_both():
    sample, pruning = draw_boards(20, 7), Pruning(keep=6, margin=0.5, last_keep=1)
    engine = make_engine(pruning)
    settings = [EvalSettings(plies) for plies in (1, 2, 1, 3, 2)]
    found = [engine.evaluate_boards(sample, MONEY, each) for each in settings]
    for values, each in zip(found, settings, strict=True):
        assert_same(make_engine(pruning, cached=False).evaluate_boards(sample, MONEY, each), values)
    alike = make_engine(Pruning(keep=6, margin=0.5, last_keep=6, last_margin=0.5))
    assert_same(alike.evaluate_boards(sample, MONEY, settings[0]), found[0])
    assert (alike.evaluate_boards(sample, MONEY, settings[1]).cubeful != found[1].cubeful).any()


@pytest.mark.parametrize(("count", "plies"), [(1, 3), (8, 3), (3, 2)])
def test_threads_share_a_few_positions_and_change_no_bit(count, plies):
    sample, settings = boards.random_boards(count, seed=4), EvalSettings(plies)
    pruning = Pruning(keep=2, last_keep=1)
    expected = make_engine(pruning).evaluate_boards(sample, MONEY, settings)
    for is_asked in (False, True):
        engine = make_engine(pruning, threads=2, is_asked=is_asked)
        workers, tasks = engine.tree._workers, []
        share = workers.map
        workers.map = lambda work, items, share=share, tasks=tasks: (
            tasks.append(len(items)) or share(work, items)
        )
        assert_same(engine.evaluate_boards(sample, MONEY, settings), expected)
        assert max(tasks) > 3


def test_plays_are_ranked_alike():
    compiled, stepwise = make_engines()
    for board in boards.random_boards(4, seed=9):
        position = boards.Position(board)
        ranked = [
            engine.rank_plays(position, (6, 4), MONEY, EvalSettings(2)) for engine in (compiled, stepwise)
        ]
        assert ranked[0] == ranked[1]


def test_a_cubeless_table_settles_positions_where_the_cube_does_not_count():
    sample, settings = draw_boards(12, 6), EvalSettings(1, is_cubeful=False)
    compiled, stepwise = make_engines(exact=(build_two_sided(3, 2, cubeful=False),))
    found, expected = (engine.evaluate_boards(sample, MONEY, settings) for engine in (compiled, stepwise))
    assert_same(found, expected)


def test_a_search_stops_soon_after_it_was_cancelled():
    compiled = make_engine(cached=False)
    sample, settings = boards.random_boards(400, seed=7), EvalSettings(4)
    compiled.evaluate_boards(sample[:1], MONEY, EvalSettings(1))
    cancelled, left_s = threading.Event(), []

    def stop():
        cancelled.set()
        left_s.append(time.process_time())

    watch = SearchWatch(cancelled.is_set)
    threading.Timer(0.3, stop).start()
    with pytest.raises(CancelledWork):
        compiled.evaluate_boards(sample, MONEY, settings, watch)
    assert time.process_time() - left_s[0] < 1.0  # of both threads, whatever else the machine does
    assert watch.nodes > 0


def test_what_a_progress_report_raises_ends_the_search_and_leaves_nothing_in_the_cache():
    compiled, stepwise = make_engines()
    sample, settings = boards.random_boards(200, seed=8), EvalSettings(2)
    asked = []

    def interrupt():
        asked.append(None)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        compiled.evaluate_boards(sample, MONEY, settings, SearchWatch(interrupt))
    assert len(asked) == 4
    few = sample[:12]
    assert_same(
        compiled.evaluate_boards(few, MONEY, settings), stepwise.evaluate_boards(few, MONEY, settings)
    )
