"""Tables of both kinds: how they are built, and look-ups by kernels, against the evaluators."""

import tracemalloc

import numpy as np
import pytest

from gammond.engine.bearoff import pack_tables
from gammond.engine.bearoff.one_sided import build_one_sided, estimate_one_sided_bytes
from gammond.engine.bearoff.two_sided import build_two_sided, estimate_two_sided_bytes
from gammond.engine.errors import ValueRangeError
from gammond.engine.kernels.bearoff_tables import look_up_outcome
from gammond.engine.rules.position import CHECKERS

SMALL = build_two_sided(3, 2), build_one_sided(4, 3)
"""Tables that are built in no time."""


def draw_races(count, seed, most):
    """Races with up to a number of checkers a side on the points 1 to 7."""
    generator = np.random.default_rng(seed)
    boards = np.zeros((count, 2, 26), np.int8)
    for board in boards:
        for side in board:
            places = generator.integers(1, generator.integers(2, 9), generator.integers(1, most + 1))
            np.add.at(side, places, 1)
            side[0] = CHECKERS - len(places)
    return boards


def check(exact, boards):
    """Return how many positions each evaluator covers, after comparing the outcomes."""
    tables = pack_tables(exact)
    outcomes = np.full((len(boards), 5), 7.0, np.float32)
    found = [look_up_outcome(tables, boards, i, outcomes) for i in range(len(boards))]
    expected, left = np.full((len(boards), 5), 7.0, np.float32), np.arange(len(boards))
    counts = []
    for evaluator in exact:
        covered = evaluator.covers(boards[left])
        expected[left[covered]] = evaluator.evaluate(boards[left[covered]])
        left = left[~covered]
        counts.append(covered.sum())
    np.testing.assert_array_equal(outcomes, expected)
    np.testing.assert_array_equal(np.flatnonzero(~np.array(found)), left)
    return counts


@pytest.mark.nojit
def test_the_first_table_that_covers_a_position_answers():
    counts = check(SMALL, draw_races(60, 1, 4))
    assert min(counts) > 3
    assert sum(counts) < 60


@pytest.mark.nojit
@pytest.mark.parametrize("exact", [(), SMALL[:1], SMALL[1:]], ids=["none", "two-sided", "one-sided"])
def test_a_missing_table_covers_nothing(exact):
    check(exact, draw_races(60, 2, 4))


def test_the_default_tables_answer_with_their_gammons(two_sided, one_sided):
    boards = draw_races(2000, 3, 15)
    assert min(check((two_sided, one_sided), boards)) > 50
    outcomes = np.empty((1, 5), np.float32)
    full = np.zeros((1, 2, 26), np.int8)
    full[0, :, 6] = CHECKERS
    assert look_up_outcome(pack_tables((two_sided, one_sided)), full, 0, outcomes)
    assert outcomes[0, 1] > 0
    assert outcomes[0, 3] > 0


@pytest.mark.parametrize("exact", [SMALL[::-1], [object()], [SMALL[1], SMALL[1]]])
def test_other_evaluators_and_another_order_are_refused(exact):
    with pytest.raises(TypeError, match="expected a two-sided and then a one-sided"):
        pack_tables(exact)


@pytest.mark.parametrize(("build", "points", "checkers"), [(build_one_sided, 6, 9), (build_two_sided, 5, 5)])
def test_threads_do_not_change_a_bit(build, points, checkers):
    built, alone = (build(points, checkers, threads=threads) for threads in (5, 1))
    for array, same in zip(built.arrays, alone.arrays, strict=True):
        assert array.tobytes() == same.tobytes()


@pytest.mark.parametrize(("build", "total"), [(build_one_sided, 35), (build_two_sided, 35**2)])
def test_progress_ends_with_all_that_is_built(build, total):
    reports = []
    build(4, 3, progress=lambda *counts: reports.append(counts))
    assert reports == sorted(reports)
    assert reports[-1] == (total, total)


@pytest.mark.parametrize(("build", "checkers"), [(build_one_sided, 15), (build_two_sided, 6)])
def test_building_stops_when_its_progress_raises(build, checkers):
    reports = []

    def stop(*counts):
        reports.append(counts)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(6, checkers, progress=stop)
    assert len(reports) == 1


@pytest.mark.parametrize(
    ("build", "points", "checkers"),
    [
        *((build_one_sided, *size) for size in ((19, 2), (6, 16))),
        *((build_two_sided, *size) for size in ((13, 2), (6, 15), (0, 3), (3, 0))),
    ],
)
def test_impossible_tables_and_those_with_contact_or_gammons_are_refused(build, points, checkers):
    with pytest.raises(ValueRangeError):
        build(points, checkers)


def test_the_memory_said_is_not_less_than_what_a_one_sided_table_uses(one_sided):
    used = sum(array.nbytes for array in one_sided.arrays)
    assert used <= estimate_one_sided_bytes(6, 15)[1] < 1.5 * used


@pytest.mark.parametrize("cubeful", [False, True])
def test_building_takes_the_memory_that_was_announced(cubeful):
    tracemalloc.start()
    build_two_sided(6, 5, cubeful=cubeful, threads=1)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes == pytest.approx(estimate_two_sided_bytes(6, 5, cubeful)[0], rel=0.2)
