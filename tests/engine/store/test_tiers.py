"""Tiers: the depth of a question by how often it was asked."""

from __future__ import annotations

import pytest

from engine.errors import FormatError, ValueRangeError
from engine.store.tiers import DEFAULT_TIERS, DepthTiers


def test_the_default_is_that_of_the_founding_document_in_plies_of_the_field():
    depths = [DEFAULT_TIERS.choose_plies(visits) for visits in (0, 1, 2, 3, 4, 5, 15, 16, 1000)]
    assert depths == [0, 2, 2, 3, 3, 4, 4, 4, 4]


def test_tiers_read_back_as_they_are_written():
    assert str(DEFAULT_TIERS) == "1:2/3:3/5:4"
    assert DepthTiers.parse(str(DEFAULT_TIERS)) == DEFAULT_TIERS
    assert DepthTiers.parse("10:1/ 20:4").choose_plies(19) == 1


@pytest.mark.parametrize("text", ["", "3", "1:2,3:3", "1:2/", "a:b", "1:-2", "1:2:3", "\u0661:2"])
def test_what_is_no_list_of_tiers_is_refused(text):
    with pytest.raises(FormatError, match="expected tiers as VISITS:PLIES, such as 1:2/3:3/5:4"):
        DepthTiers.parse(text)


@pytest.mark.parametrize("text", ["0:2", "1:0", "1:5", "1:3/2:2", "3:2/3:3", "5:2/3:3", "9999999:2"])
def test_tiers_that_do_not_rise_or_are_out_of_range_are_refused(text):
    with pytest.raises(ValueRangeError, match="rising visits"):
        DepthTiers.parse(text)
