import tracemalloc

import numpy as np
import pytest

from gammond.engine.bearoff import save_table
from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.two_sided import TwoSidedTable, build_two_sided, estimate_two_sided_bytes
from gammond.engine.errors import (
    DataFileError,
    PositionError,
    UnsupportedError,
    ValueRangeError,
)
from tests.support import naive_bearoff
from tests.support.boards import position

CUBES = ("centred", "own", "other")


def batch(*positions):
    return np.stack([p.board for p in positions])


def cube_actions(table, x, o):
    """Whether the player on roll doubles, whether he redoubles, and whether the other takes."""
    centred, own, opposed = table.cubeful_equities(batch(position(x, o)))[0].astype(float)
    doubled = min(1.0, 2.0 * opposed)
    return doubled >= centred, doubled >= own, 2.0 * opposed <= 1.0


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (2, 4), (8, 1), (1, 5)])
def test_every_chance_equals_the_exact_fraction(points, checkers):
    table = build_two_sided(points, checkers, threads=2)
    for own in naive_bearoff.sides(points, checkers):
        for other in naive_bearoff.sides(points, checkers):
            i, j = naive_bearoff.number_sides(table.numbering, np.array([own, other]))
            assert table.wins[i, j] == pytest.approx(float(naive_bearoff.chance(own, other)), abs=1e-7)


def test_chances_of_six_points_follow_from_those_after_each_roll(two_sided):
    generator = np.random.default_rng(6)
    numbering = two_sided.numbering
    for own, other in generator.integers(1, numbering.side_count, (100, 2)).tolist():
        side = tuple(numbering.decode_side(own).tolist())
        expected = 0.0
        for a, b, weight in naive_bearoff.ROLLS:
            ends = naive_bearoff.number_sides(
                numbering, np.array(list(naive_bearoff.list_roll_results(side, a, b)))
            )
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


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (2, 4), (7, 1)])
def test_every_equity_with_the_cube_equals_the_exact_fraction(points, checkers):
    table = build_two_sided(points, checkers, threads=2)
    for own in naive_bearoff.sides(points, checkers):
        for other in naive_bearoff.sides(points, checkers):
            i, j = naive_bearoff.number_sides(table.numbering, np.array([own, other]))
            exact = [float(naive_bearoff.equity(own, other, cube)) for cube in CUBES]
            assert table.equities[i, j] == pytest.approx(exact, abs=2e-7)


def test_equities_of_six_points_follow_from_those_after_each_roll(two_sided):
    generator = np.random.default_rng(7)
    numbering, equities = two_sided.numbering, two_sided.equities.astype(float)
    doubled = np.minimum(2.0 * equities[..., 2], 1.0)
    next_values = [np.maximum(equities[..., 0], doubled), equities[..., 2]]
    next_values.append(np.maximum(equities[..., 1], doubled))
    for own, other in generator.integers(1, numbering.side_count, (100, 2)).tolist():
        side = tuple(numbering.decode_side(own).tolist())
        expected = np.zeros(3)
        for a, b, weight in naive_bearoff.ROLLS:
            ends = naive_bearoff.number_sides(
                numbering, np.array(list(naive_bearoff.list_roll_results(side, a, b)))
            )
            expected -= float(weight) * np.array([values[other, ends].min() for values in next_values])
        assert two_sided.equities[own, other] == pytest.approx(expected, abs=4e-7)


@pytest.mark.parametrize(
    ("x", "o", "equities"),
    [
        pytest.param({1: 1}, {19: 6}, (1, 1, 1), id="the last checker"),
        pytest.param({6: 6}, {}, (-1, -1, -1), id="lost"),
        pytest.param({}, {19: 6}, (1, 1, 1), id="won"),
        pytest.param({6: 1}, {24: 1}, (0.5, 0.5, 0.5), id="one roll to do it"),
        pytest.param({1: 3}, {24: 3}, (13 / 18, 13 / 18, 13 / 18), id="two rolls each: 1/6 + 5/6 * 4/6"),
        # 19 rolls bear both off; after the other 17 White, with 31 good rolls, doubles Black out if it can.
        pytest.param(
            {5: 1, 2: 1}, {20: 1}, (2 / 36, (19 - 17 * 26 / 36) / 36, 2 / 36), id="Jacoby's paradox"
        ),
        # 10 rolls bear White's two off, after the 30 of Black that are no doubles.
        pytest.param({1: 3}, {21: 1, 20: 1}, (0.537, 0.537, 0.537), id="300 of 1296"),
    ],
)
def test_known_positions_have_their_equities(two_sided, x, o, equities):
    """Each of them by counting rolls.

    Source: the last two also in print: Douglas Zare on "52 vs 5" (GammonVillage, January 2004: 0.056, 0.187)
    and Gerry Tansey, "The Numbers 324 & 1296" (stlgammon.com, 2014: +0.537).
    """
    assert two_sided.cubeful_equities(batch(position(x, o)))[0] == pytest.approx(equities, abs=5e-4)


@pytest.mark.parametrize(("x", "o"), [({6: 1}, {24: 1}), ({1: 3}, {21: 1, 20: 1}), ({1: 3}, {24: 3})])
def test_three_chances_in_four_with_no_cube_to_come_are_doubled_and_may_be_passed(two_sided, x, o):
    equities = two_sided.cubeful_equities(batch(position(x, o)))[0]
    assert two_sided.evaluate(batch(position(x, o)))[0, 0] >= 0.75 - 1e-7
    assert (2 * equities >= 1 - 1e-6).all()


@pytest.mark.parametrize("o", [{19: 1}, {20: 1}, {24: 1, 21: 1}, {23: 2}, {22: 1, 23: 1}])
def test_the_owner_of_the_cube_keeps_it_where_all_would_double_from_the_middle(two_sided, o):
    """The paradox of Oswald Jacoby ("The Backgammon Book", 1970): two checkers, on 5 and 2, against few."""
    assert cube_actions(two_sided, {5: 1, 2: 1}, o) == (True, False, True)


def test_the_owner_of_the_cube_doubles_when_the_other_could_not_use_it(two_sided):
    assert cube_actions(two_sided, {5: 1, 2: 1}, {24: 2}) == (True, True, True)


@pytest.fixture(scope="module")
def ace_points():
    """All checkers on the ace points: two of them a roll, four with doubles."""
    return build_two_sided(1, 14, threads=1)


@pytest.mark.parametrize("rolls", range(1, 8))
def test_equal_rolls_left_are_doubled_from_the_middle_always_and_by_the_owner_up_to_four(ace_points, rolls):
    """Source: "N-roll vs n-roll bearoff", rec.games.backgammon, 1997, after Robertie and Kleinman."""
    doubles, redoubles, takes = cube_actions(ace_points, {1: 2 * rolls}, {24: 2 * rolls})
    assert doubles
    assert redoubles == (rolls <= 4)
    assert takes == (rolls >= 4)


def test_access_to_the_cube_is_never_worth_less_and_no_right_double_could_be_beavered(two_sided):
    centred, own, opposed = np.moveaxis(two_sided.equities[1:, 1:].astype(float), 2, 0)
    assert (own >= centred).all()
    assert (centred >= opposed).all()
    assert (opposed[2 * opposed >= centred] >= 0).all()
    assert (opposed[2 * opposed >= own] >= 0).all()


def test_equities_are_given_in_the_order_of_the_positions(two_sided):
    boards = batch(position({6: 1}, {24: 1}), position({1: 1}, {24: 1}), position({5: 1, 2: 1}, {20: 1}))
    equities = two_sided.cubeful_equities(boards)
    assert equities.dtype == np.float32
    assert equities.shape == (3, 3)
    assert equities[:, 0] == pytest.approx([0.5, 1.0, 1 / 18], abs=1e-6)
    assert two_sided.cubeful_equities(boards[::-1]).tolist() == equities[::-1].tolist()


def test_a_cubeless_table_has_the_same_chances_and_refuses_equities(two_sided):
    table = build_two_sided(cubeful=False)
    assert two_sided.is_cubeful
    assert not table.is_cubeful
    assert table.wins.tobytes() == two_sided.wins.tobytes()
    with pytest.raises(UnsupportedError, match="two-sided 6x6 cubeless has no cubeful equities"):
        table.cubeful_equities(batch(position({6: 1}, {24: 1})))


def test_only_the_two_sided_table_is_beyond_improvement_by_looking_ahead(two_sided, one_sided):
    assert two_sided.is_optimal
    assert not one_sided.is_optimal


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
    with pytest.raises(PositionError, match="up to 6 checkers"):
        two_sided.cubeful_equities(batch(board))


def test_threads_do_not_change_a_bit():
    table, alone = (build_two_sided(5, 5, threads=threads) for threads in (5, 1))
    assert table.wins.tobytes() == alone.wins.tobytes()
    assert table.equities.tobytes() == alone.equities.tobytes()


def test_progress_ends_with_all_records():
    reports = []
    build_two_sided(4, 3, progress=lambda done, total: reports.append((done, total)))
    assert reports == sorted(reports)
    assert reports[-1] == (35**2, 35**2)


def test_building_stops_when_its_progress_raises():
    reports = []

    def stop(*counts):
        reports.append(counts)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_two_sided(6, 6, progress=stop)
    assert len(reports) == 1


@pytest.mark.parametrize(("points", "checkers"), [(13, 2), (6, 15), (0, 3), (3, 0)])
def test_tables_with_contact_or_gammons_are_refused(points, checkers):
    with pytest.raises(ValueRangeError):
        build_two_sided(points, checkers)


def test_a_payload_of_another_size_is_refused():
    for cubeful, right in ((False, 1600), (True, 6400)):
        header = BearoffHeader(BearoffKind.TWO_SIDED, 3, 3, cubeful)
        for size in (right - 4, right + 16):
            with pytest.raises(DataFileError, match=f"expected {right} bytes, got {size}"):
                TwoSidedTable.from_payload(header, memoryview(bytes(size)))


def test_the_size_of_a_file_is_known_to_the_byte(tmp_path):
    assert estimate_two_sided_bytes(6, 6)[1] == 16 * 853_776 + 128
    for cubeful in (False, True):
        path = tmp_path / "file"
        save_table(build_two_sided(3, 3, cubeful=cubeful), path)
        assert estimate_two_sided_bytes(3, 3, cubeful)[1] == path.stat().st_size


@pytest.mark.parametrize("cubeful", [False, True])
def test_building_takes_the_memory_that_was_announced(cubeful):
    tracemalloc.start()
    build_two_sided(6, 5, cubeful=cubeful, threads=1)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes == pytest.approx(estimate_two_sided_bytes(6, 5, cubeful)[0], rel=0.2)
