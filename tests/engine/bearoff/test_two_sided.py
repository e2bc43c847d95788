import itertools

import numpy as np
import pytest

from gammond.engine.bearoff import load_bearoff, save_table
from gammond.engine.bearoff.file_format import BearoffHeader, BearoffKind
from gammond.engine.bearoff.two_sided import TwoSidedTable, build_two_sided, estimate_two_sided_bytes
from gammond.engine.errors import DataFileError, UnsupportedError
from tests.support import naive_bearoff
from tests.support.boards import position, stack

CUBES = ("centred", "own", "other")


@pytest.mark.nojit
@pytest.mark.parametrize(("points", "checkers"), [(3, 3), (2, 4), (8, 1), (1, 5)])
def test_every_chance_and_every_equity_equals_the_exact_fraction(points, checkers):
    table = build_two_sided(points, checkers, threads=2)
    for own, other in itertools.product(naive_bearoff.sides(points, checkers), repeat=2):
        i, j = naive_bearoff.number_sides(table.numbering, np.array([own, other]))
        assert table.wins[i, j] == pytest.approx(float(naive_bearoff.chance(own, other)), abs=1e-7)
        exact = [float(naive_bearoff.equity(own, other, cube)) for cube in CUBES]
        assert table.equities[i, j] == pytest.approx(exact, abs=2e-7)


def test_values_of_six_points_follow_from_those_after_each_roll(two_sided):
    generator = np.random.default_rng(7)
    numbering, wins, equities = two_sided.numbering, two_sided.wins, two_sided.equities.astype(float)
    doubled = np.minimum(2.0 * equities[..., 2], 1.0)
    next_values = [np.maximum(equities[..., 0], doubled), equities[..., 2]]
    next_values.append(np.maximum(equities[..., 1], doubled))
    for own, other in generator.integers(1, numbering.side_count, (100, 2)).tolist():
        side = tuple(numbering.decode_side(own).tolist())
        win, expected = 0.0, np.zeros(3)
        for a, b, weight in naive_bearoff.ROLLS:
            reached = np.array(list(naive_bearoff.list_roll_results(side, a, b)))
            ends = naive_bearoff.number_sides(numbering, reached)
            win += float(weight) * (1.0 - float(wins[other, ends].min()))
            expected -= float(weight) * np.array([values[other, ends].min() for values in next_values])
        assert wins[own, other] == pytest.approx(win, abs=2e-7)
        assert equities[own, other] == pytest.approx(expected, abs=4e-7)


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
    outcomes = two_sided.evaluate(stack(position(x, o)))
    assert outcomes[0] == pytest.approx([win, 0, 0, 0, 0], abs=1e-7)


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
    assert two_sided.cubeful_equities(stack(position(x, o)))[0] == pytest.approx(equities, abs=5e-4)


def test_access_to_the_cube_is_never_worth_less_and_no_right_double_could_be_beavered(two_sided):
    centred, own, opposed = np.moveaxis(two_sided.equities[1:, 1:].astype(float), 2, 0)
    assert (own >= centred).all()
    assert (centred >= opposed).all()
    assert (opposed[2 * opposed >= centred] >= 0).all()
    assert (opposed[2 * opposed >= own] >= 0).all()


def test_positions_are_looked_up_in_their_order(two_sided):
    boards = stack(position({6: 1}, {24: 1}), position({1: 1}, {24: 1}), position({1: 3}, {24: 1}))
    for found, expected in (
        (two_sided.evaluate(boards), [3 / 4, 1.0, 1 / 6]),
        (two_sided.cubeful_equities(boards), [1 / 2, 1.0, -2 / 3]),
    ):
        assert found.dtype == np.float32
        assert found[:, 0] == pytest.approx(expected, abs=1e-6)


def test_a_cubeless_table_has_the_same_chances_and_refuses_equities(two_sided):
    table = build_two_sided(cubeful=False)
    assert two_sided.is_cubeful
    assert not table.is_cubeful
    assert table.wins.tobytes() == two_sided.wins.tobytes()
    with pytest.raises(UnsupportedError, match="two-sided 6x6 cubeless has no cubeful equities"):
        table.cubeful_equities(stack(position({6: 1}, {24: 1})))


def test_only_the_two_sided_table_is_beyond_improvement_by_looking_ahead(two_sided, one_sided):
    assert two_sided.is_optimal
    assert not one_sided.is_optimal


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


def random_home_sides(count, seed):
    """Sides of 1 to 6 checkers on the six home points."""
    generator = np.random.default_rng(seed)
    sides = np.zeros((count, 26), np.int8)
    for i, checkers in enumerate(generator.integers(1, 7, count)):
        np.add.at(sides[i], generator.integers(1, 7, checkers), 1)
    sides[:, 0] = 15 - sides[:, 1:].sum(axis=1)
    return sides


def test_the_one_sided_estimate_is_close_to_the_exact_chance():
    tables = load_bearoff()
    boards = np.stack([random_home_sides(15_000, seed=1), random_home_sides(15_000, seed=2)], axis=1)
    exact = tables.two_sided.evaluate(boards)[:, 0]
    difference = np.abs(tables.one_sided.evaluate(boards)[:, 0] - exact)
    assert 0.0 < difference.mean() < 0.001
    assert difference.max() < 0.02
