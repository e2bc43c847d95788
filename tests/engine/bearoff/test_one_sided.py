import numpy as np
import pytest

from gammond.engine.bearoff.one_sided import OneSidedTable, build_one_sided
from gammond.engine.errors import DataFileError
from tests.support import naive_bearoff
from tests.support.boards import position, stack
from tests.support.naive_bearoff import read_first_off


def assert_same(chances, expected):
    """Hold a stored distribution against exact fractions; negligible ends are not stored."""
    padded = np.zeros(max(len(expected), len(chances)))
    padded[: len(chances)] = chances
    padded[: len(expected)] -= np.array(expected, float)
    assert np.abs(padded).max() < 1e-7


def mean(chances):
    return float(np.arange(len(chances)) @ chances.astype(float))


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (2, 5), (8, 3), (10, 1)])
def test_every_distribution_equals_the_exact_fractions(points, checkers):
    table = build_one_sided(points, checkers, threads=2)
    for side in naive_bearoff.sides(points, checkers):
        number = int(naive_bearoff.number_sides(table.numbering, np.array([side]))[0])
        assert_same(table.roll_distribution(number), naive_bearoff.roll_distribution(side))


def test_first_checkers_off_equal_the_exact_fractions():
    table = build_one_sided(2, 15)
    full = [side for side in naive_bearoff.sides(2, 15) if sum(side) == 15]
    for side in full:
        number = int(naive_bearoff.number_sides(table.numbering, np.array([side]))[0])
        assert_same(read_first_off(table, number), naive_bearoff.first_off_distribution(side))


@pytest.mark.parametrize("points", [6, pytest.param(7, marks=pytest.mark.slow)])
def test_means_follow_from_those_after_each_roll(points, request):
    table = request.getfixturevalue("one_sided") if points == 6 else build_one_sided(7, 15)
    numbering = table.numbering
    generator = np.random.default_rng(points)
    for number in generator.integers(numbering.first_full_side, numbering.side_count, 40).tolist():
        side = tuple(numbering.decode_side(number).tolist())
        expected = first_expected = 1.0
        for a, b, weight in naive_bearoff.ROLLS:
            reached = np.array(list(naive_bearoff.list_roll_results(side, a, b)))
            ends = naive_bearoff.number_sides(numbering, reached).tolist()
            expected += float(weight) * min(mean(table.roll_distribution(end)) for end in ends)
            if min(ends) >= numbering.first_full_side:
                first_expected += float(weight) * min(mean(read_first_off(table, end)) for end in ends)
        assert mean(table.roll_distribution(number)) == pytest.approx(expected, abs=2e-6)
        assert mean(read_first_off(table, number)) == pytest.approx(first_expected, abs=2e-6)


def test_every_distribution_sums_to_one(one_sided):
    _, starts, values, _, counts = one_sided.distributions
    sums = [
        values[start : start + count].sum() for start, count in zip(starts.astype(int), counts, strict=True)
    ]
    assert np.abs(np.array(sums) - 1).max() < 5e-7


def race(chances, rival, lead):
    """The chance that the rival needs at least so many rolls more."""
    return sum(
        p * sum(q for j, q in enumerate(rival.tolist()) if j >= k + lead)
        for k, p in enumerate(chances.tolist())
    )


def test_outcomes_are_races_of_two_distributions(one_sided):
    numbering = one_sided.numbering
    generator = np.random.default_rng(15)
    numbers = generator.integers(1, numbering.side_count, (150, 2))
    numbers[50:, 1] = generator.integers(numbering.first_full_side, numbering.side_count, 100)
    numbers[100:, 0] = generator.integers(numbering.first_full_side, numbering.side_count, 50)
    boards = np.zeros((150, 2, 26), np.int8)
    for i, pair in enumerate(numbers.tolist()):
        for row, number in enumerate(pair):
            boards[i, row, 1:7] = numbering.decode_side(number)
            boards[i, row, 0] = 15 - boards[i, row].sum()
    assert one_sided.covers(boards).all()
    for (own, other), outcome in zip(numbers.tolist(), one_sided.evaluate(boards), strict=True):
        win_gammon = lose_gammon = 0.0
        if other >= numbering.first_full_side:
            win_gammon = race(one_sided.roll_distribution(own), read_first_off(one_sided, other), 0)
        if own >= numbering.first_full_side:
            lose_gammon = race(one_sided.roll_distribution(other), read_first_off(one_sided, own), 1)
        win = race(one_sided.roll_distribution(own), one_sided.roll_distribution(other), 0)
        assert outcome == pytest.approx([win, win_gammon, 0, lose_gammon, 0], abs=1e-6)


def test_no_gammon_is_seen_once_the_loser_has_a_checker_off(one_sided):
    boards = stack(position({1: 1}, {19: 15}), position({1: 1}, {19: 14}), position({1: 4}, {19: 15}))
    outcomes = one_sided.evaluate(boards)
    assert outcomes[0] == pytest.approx([1, 1, 0, 0, 0], abs=1e-6)
    assert outcomes[1] == pytest.approx([1, 0, 0, 0, 0], abs=1e-6)
    # a double wins at once; else all fifteen must miss once: no six, and none of 5-1, 4-2, 3-3, 2-2
    assert outcomes[2, 1] == pytest.approx(1 / 6 + 5 / 6 * 19 / 36, abs=1e-6)
    assert outcomes[2, 0] == pytest.approx(1, abs=1e-6)


def test_finished_positions_are_exact(one_sided):
    boards = stack(
        position({}, {19: 15}), position({}, {19: 14}), position({6: 15}, {}), position({6: 14}, {})
    )
    expected = [[1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]]
    assert one_sided.evaluate(boards).tolist() == expected


def payload(table):
    return bytearray(b"".join(array.tobytes() for array in table.arrays))


def test_a_payload_of_another_size_or_with_rows_outside_is_refused():
    table = build_one_sided(2, 2)
    content = payload(table)
    with pytest.raises(DataFileError, match="cannot hold 6 rows"):
        OneSidedTable.from_payload(table.header, memoryview(content[:50]))
    content[0] = 200
    with pytest.raises(DataFileError, match="outside"):
        OneSidedTable.from_payload(table.header, memoryview(content))
