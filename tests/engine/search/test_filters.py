"""Move filters keep the plays within their numbers."""

from itertools import pairwise

import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.search.filters import DEFAULT_FILTER, FILTERS, FilterStage, MoveFilter, find_move_filter
from gammond.engine.search.tree import MAX_PLIES

STAGES = MoveFilter("test", (FilterStage(1, 3, 0.1), FilterStage(2, 2, 0.05), FilterStage(3, 0, 0.0)))


@pytest.mark.parametrize(
    ("equities", "plies", "survivors"),
    [
        ([0.5], 0, 1),
        ([0.5, 0.41, 0.39], 0, 2),
        ([0.5, 0.5, 0.5, 0.5, 0.5], 0, 4),
        ([0.5, 0.3, 0.29, 0.28], 1, 2),
        ([0.5, 0.47, 0.46, 0.44], 1, 3),
        ([0.5], 1, 1),
        ([0.5, -0.5, -1.0, -1.0], 2, 3),
    ],
)
def test_survivors_are_the_ones_always_kept_and_the_extra_ones_that_are_near(equities, plies, survivors):
    assert STAGES.count_survivors(equities, plies) == survivors


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_a_filter_lets_a_number_of_the_best_through_and_else_what_it_would(count):
    wide = STAGES.with_at_least(count)
    equities = [0.5, 0.47, 0.46, 0.44, 0.43, 0.42]
    for plies in range(3):
        for number in range(1, len(equities) + 1):
            own = STAGES.count_survivors(equities[:number], plies)
            assert wide.count_survivors(equities[:number], plies) == max(own, min(count, number))
    assert STAGES.with_at_least(1) is STAGES


def test_the_filters_go_from_fast_to_careful_at_every_stage():
    filters = list(FILTERS.values())
    assert [each.name for each in filters] == ["tiny", "narrow", "normal", "large", "huge"]
    for smaller, larger in pairwise(filters):
        assert len(smaller.stages) == len(larger.stages) == MAX_PLIES
        for fast, careful in zip(smaller.stages, larger.stages, strict=True):
            assert fast.always <= careful.always
            assert fast.always + fast.extra <= careful.always + careful.extra
            assert fast.within <= careful.within


def test_stages_narrow_from_depth_to_depth():
    for each in FILTERS.values():
        for stage, following in pairwise(each.stages):
            assert following.within <= stage.within
            assert following.always + following.extra <= stage.always + stage.extra


def test_filters_are_found_by_name_and_unknown_names_refused():
    assert find_move_filter("huge") is FILTERS["huge"]
    assert find_move_filter(DEFAULT_FILTER).name == DEFAULT_FILTER
    with pytest.raises(ValueRangeError, match="tiny, narrow, normal, large, huge") as caught:
        find_move_filter("enormous")
    assert caught.value.field == "filter"
