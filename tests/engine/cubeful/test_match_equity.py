"""Match equity tables: published entries, the way beyond the table, and a damaged installation."""

import itertools

import numpy as np
import pytest

from gammond.engine.cubeful import match_equity
from gammond.engine.cubeful.match_equity import DEFAULT_TABLE_FILE, MatchEquityTable, load_default_table
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.rules.match import MatchState


def test_the_shipped_table_has_the_published_entries_and_its_notice():
    table = load_default_table()
    assert table.name == "Kazaross XG2 25 point MET"
    assert table.max_away == 25
    assert table.mwc(2, 3) == 0.59947
    assert table.mwc(1, 2) == 0.67736
    assert table.mwc(5, 9) == pytest.approx(1 - table.mwc(9, 5))
    assert table.mwc(3, 1, is_post_crawford=True) == 0.32264
    assert table.mwc(1, 3, is_post_crawford=True) == pytest.approx(1 - 0.32264)
    assert "Copyright (C) 2011 Neil Kazaross" in DEFAULT_TABLE_FILE.read_text()


def test_a_match_that_is_won_or_lost_has_no_table():
    assert load_default_table().mwc(0, 5) == 1.0
    assert load_default_table().mwc(-3, 1, is_post_crawford=True) == 1.0
    assert load_default_table().mwc(4, -1) == 0.0


def test_chances_of_both_sides_sum_to_one_and_fall_with_the_points_needed_far_beyond_the_table():
    table = load_default_table()
    aways = [*range(1, 30), 45, 62, 63, 64, 65, 66, 90, 150, 600]
    for is_over in (False, True):
        for away, other in itertools.product(aways, repeat=2):
            chance = table.mwc(away, other, is_post_crawford=is_over)
            back = table.mwc(other, away, is_post_crawford=is_over)
            assert chance + back == pytest.approx(1.0, abs=1e-12)
        for away in aways:
            chances = [table.mwc(away, other, is_post_crawford=is_over) for other in aways]
            assert chances == pytest.approx(sorted(chances), abs=1e-30)
    assert 0.0 < table.mwc(32767, 1, is_post_crawford=True) < 1e-100 or table.mwc(32767, 1) == 0.0


def test_the_step_beyond_the_table_agrees_with_the_table_where_both_reach():
    table = load_default_table()
    for away, other in itertools.product(range(9, 26), repeat=2):
        one_game_later = table._average_over_game(table._extended_table, away, other)
        assert one_game_later == pytest.approx(table.mwc(away, other), abs=0.0008)


def test_the_normal_curve_takes_over_without_a_jump():
    table = load_default_table()
    for away in (30, 50, 63):
        steps = [table.mwc(away, other) for other in (63, 64, 65, 66)]
        assert steps[2] - steps[1] == pytest.approx(steps[3] - steps[2], abs=0.003)


def test_after_a_game_the_crawford_rule_decides_which_table_counts():
    table = load_default_table()
    before = MatchState(length=5, score=(3, 2))
    assert table.mwc_after(before, 0, 1) == 0.75076
    assert table.mwc_after(before, 1, 2) == pytest.approx(table.mwc(1, 2))
    crawford = MatchState(length=5, score=(4, 2), crawford=True)
    assert table.mwc_after(crawford, 1, 1) == pytest.approx(0.48803)
    assert table.mwc_after(MatchState(length=5, score=(4, 2)), 1, 1) == pytest.approx(0.48803)
    assert table.mwc_after(crawford, 0, 1) == 1.0
    assert table.mwc_after(crawford, 0, -4) == 0.0
    with pytest.raises(ValueRangeError) as caught:
        table.mwc_after(MatchState(), 0, 1)
    assert caught.value.field == "length"


def test_a_small_table_is_carried_on():
    table = MatchEquityTable("small", np.array([[0.5, 0.7], [0.3, 0.5]]), np.array([0.5, 0.49]))
    assert table.max_away == 2
    assert table.mwc(1, 2) == 0.7
    assert table.mwc(2, 1, is_post_crawford=True) == 0.49
    assert 0.0 < table.mwc(5, 2) < table.mwc(3, 2) < 0.5


@pytest.mark.parametrize("content", [None, "# a name\n0.5 0.7\n", "# a name\n0.5x\n"])
def test_a_damaged_installation_is_a_typed_error(content, tmp_path, monkeypatch):
    file = tmp_path / "table.txt"
    if content is not None:
        file.write_text(content)
    monkeypatch.setattr(match_equity, "DEFAULT_TABLE_FILE", file)
    with pytest.raises(DataFileError, match=r"table\.txt") as caught:
        load_default_table.__wrapped__()
    assert caught.value.field == "met"
