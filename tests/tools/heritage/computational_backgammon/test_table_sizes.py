"""Sizes of bearoff tables, and the number of positions."""

from itertools import product

import pytest

from gammond.tools.heritage.computational_backgammon.report import (
    PUBLISHED_SIZES,
    count_layouts,
    count_positions,
    make_size_report,
)


@pytest.mark.parametrize(
    ("points", "checkers", "count"),
    [(3, 3, 361), (3, 10, 81_225), (3, 15, 664_225), (4, 3, 1_156), (4, 10, 1_000_000), (6, 3, 6_889)],
)
def test_layouts_are_those_that_the_blog_counts(points, checkers, count):
    assert count_layouts(points, checkers) == count


def test_the_large_tables_of_the_blog_are_rounded_right():
    assert [round(count_layouts(6, 10) / 1e6, 1), round(count_layouts(6, 15) / 1e9, 1)] == [64.1, 2.9]
    assert f"{count_layouts(24, 15):.1e}" == "6.3e+20"


def test_positions_are_those_that_enumeration_finds():
    """Three points and two checkers a side; each side is a count on each point, the bar and off."""
    sides = [side for side in product(range(3), repeat=5) if sum(side) == 2]
    found = sum(
        all(not (a and b) for a, b in zip(own[:3], other[2::-1], strict=True)) and own[4] + other[4] < 4
        for own, other in product(sides, sides)
    )
    assert count_positions(3, 2) == found


def test_the_number_of_all_positions_is_the_published_one_without_that_where_all_are_off():
    assert count_positions() == 18_528_584_051_601_162_496 - 1


def test_the_report_has_a_line_for_each_size():
    assert make_size_report().count("\n") == len(PUBLISHED_SIZES) + 3
