import threading

import numpy as np
import pytest

from engine.bearoff.two_sided import TwoSidedTable, build_two_sided, two_sided_memory
from engine.errors import CancelledWork, DataFileError, PositionError, ValueRangeError
from tests import naive_bearoff
from tests.boards import position


def batch(*positions):
    return np.stack([p.board for p in positions])


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (2, 4), (8, 1), (1, 5)])
def test_every_chance_equals_the_exact_fraction(points, checkers):
    table = build_two_sided(points, checkers, threads=2)
    for own in naive_bearoff.sides(points, checkers):
        for other in naive_bearoff.sides(points, checkers):
            i, j = table.numbering.number_sides(np.array([own, other]))
            assert table.wins[i, j] == pytest.approx(float(naive_bearoff.chance(own, other)), abs=1e-7)


def test_chances_of_six_points_follow_from_those_after_each_roll(two_sided):
    generator = np.random.default_rng(6)
    numbering = two_sided.numbering
    for own, other in generator.integers(1, numbering.sides, (100, 2)).tolist():
        side = tuple(numbering.side_of(own).tolist())
        expected = 0.0
        for a, b, weight in naive_bearoff.ROLLS:
            ends = numbering.number_sides(np.array(list(naive_bearoff.results_of_roll(side, a, b))))
            expected += float(weight) * (1.0 - float(two_sided.wins[other, ends].min()))
        assert two_sided.wins[own, other] == pytest.approx(expected, abs=2e-7)


@pytest.mark.parametrize(
    ("x", "o", "win"),
    [
        ({1: 1}, {19: 6}, 1.0),
        ({6: 1}, {24: 1}, 27 / 36),
        ({1: 3}, {24: 1}, 6 / 36),
        ({1: 3}, {24: 3}, 6 / 36 + 30 / 36 * 30 / 36),
        ({6: 6}, {}, 0.0),
        ({}, {19: 6}, 1.0),
    ],
)
def test_known_positions_have_their_chances(two_sided, x, o, win):
    outcomes = two_sided.evaluate(batch(position(x, o)))
    assert outcomes[0] == pytest.approx([win, 0, 0, 0, 0], abs=1e-7)


def test_positions_are_evaluated_in_their_order(two_sided):
    boards = batch(position({6: 1}, {24: 1}), position({1: 1}, {24: 1}), position({1: 3}, {24: 1}))
    wins = two_sided.evaluate(boards)[:, 0]
    assert wins == pytest.approx([0.75, 1.0, 1 / 6], abs=1e-7)
    assert two_sided.evaluate(boards[::-1])[:, 0].tolist() == wins[::-1].tolist()


def test_a_position_outside_the_table_is_refused(two_sided):
    board = position({1: 7}, {24: 1})
    assert not two_sided.covers(batch(board)).any()
    with pytest.raises(PositionError, match="up to 6 checkers"):
        two_sided.evaluate(batch(board))


def test_threads_do_not_change_a_bit(two_sided):
    assert build_two_sided(threads=1).wins.tobytes() == two_sided.wins.tobytes()
    assert build_two_sided(threads=5).wins.tobytes() == two_sided.wins.tobytes()


def test_progress_ends_with_all_records():
    reports = []
    build_two_sided(4, 3, progress=lambda done, total: reports.append((done, total)))
    assert reports == sorted(reports)
    assert reports[-1] == (35**2, 35**2)


def test_building_stops_when_cancelled():
    cancel = threading.Event()
    reports = []

    def stop(done, total):
        reports.append(done)
        cancel.set()

    with pytest.raises(CancelledWork):
        build_two_sided(6, 6, progress=stop, cancel=cancel)
    assert len(reports) == 1


@pytest.mark.parametrize(("points", "checkers"), [(13, 2), (6, 15), (0, 3), (3, 0)])
def test_tables_with_contact_or_gammons_are_refused(points, checkers):
    with pytest.raises(ValueRangeError):
        build_two_sided(points, checkers)


def test_a_payload_of_another_size_is_refused():
    with pytest.raises(DataFileError, match="expected 20"):
        TwoSidedTable.from_payload(3, 3, memoryview(bytes(1596)))


def test_the_file_takes_four_bytes_a_record():
    assert two_sided_memory(6, 6).file_bytes == 4 * 853_776
