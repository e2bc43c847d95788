"""Match equity tables: published entries, the way beyond the table, and files that are no tables."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import pytest

from engine.cubeful.match_equity import DEFAULT_TABLE_FILE, load_default_table, read_match_equity_table
from engine.errors import DataFileError, UnsupportedError, ValueRangeError
from engine.rules.match import MatchState

SMALL = """<?xml version="1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN"
                     "met.dtd">
<met>
  <info><name>small</name><description>two points</description><length>2</length></info>
  <pre-crawford-table type="explicit">
    <row><me>0.5</me><me>0.7</me></row>
    <row><me>0.3</me><me>0.5</me></row>
  </pre-crawford-table>
  <post-crawford-table type="explicit" player="both">
    <row><me>0.5</me><me>0.49</me></row>
  </post-crawford-table>
</met>
"""


@pytest.fixture
def written(tmp_path):
    """A function that writes a table's text and reads it back."""

    def read(text: str | bytes):
        path = tmp_path / "table.xml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_match_equity_table(path)

    return read


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


def test_a_small_table_is_read_and_carried_on(written):
    table = written(SMALL)
    assert (table.name, table.description, table.max_away) == ("small", "two points", 2)
    assert table.mwc(1, 2) == 0.7
    assert 0.0 < table.mwc(5, 2) < table.mwc(3, 2) < 0.5


def test_tables_of_unequal_players_keep_their_seats(written):
    second = (
        '<post-crawford-table player="1"><row><me>0.4</me><me>0.35</me></row></post-crawford-table></met>'
    )
    text = SMALL.replace('player="both"', 'player="0"').replace("</met>", second)
    text = text.replace("<me>0.3</me>", "<me>0.36</me>")
    table = written(text)
    assert table.mwc(2, 1, is_post_crawford=True) == 0.49
    assert table.mwc(2, 1, is_post_crawford=True, seat=1) == 0.35
    assert table.mwc(1, 2, is_post_crawford=True) == pytest.approx(0.65)
    assert table.mwc(2, 1) == 0.36
    assert table.mwc(1, 2, seat=1) == pytest.approx(0.64)


def test_the_last_number_after_the_crawford_game_may_be_missing(written):
    assert written(SMALL.replace("<me>0.49</me>", "")).mwc(2, 1, is_post_crawford=True) == 0.5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<me>0.3</me>", "<me>0.3x</me>"),
        ("<me>0.3</me>", "<me></me>"),
        ("<me>0.3</me>", "<me>nan</me>"),
        ("<me>0.3</me>", "<me>1.3</me>"),
        ("<me>0.3</me>", "<me>0.8</me>"),
        ("<me>0.3</me>", ""),
        ("<row><me>0.3</me><me>0.5</me></row>", ""),
        ("<me>0.5</me><me>0.49</me>", ""),
        ('player="both"', 'player="2"'),
        ('player="both"', 'player="1"'),
        ("pre-crawford-table", "post-crawford-tables"),
        ("<met>", "<met"),
        ("<met>", "<table>"),
        ("met.dtd", 'met.dtd" [<!ENTITY a "0.5">]><!-- "'),
        ("<met>", '<!DOCTYPE met [<!ENTITY a "aaaa">]><met>'),
    ],
)
def test_a_table_that_does_not_parse_is_refused_by_name(old, new, written):
    assert old in SMALL
    with pytest.raises(DataFileError, match=r"table\.xml") as caught:
        written(SMALL.replace(old, new))
    assert caught.value.field == "met"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe<\0m\0", b"\0" * 100, b"<met/>" + b" " * 1_000_001])
def test_files_of_another_kind_are_refused(content, written):
    with pytest.raises(DataFileError):
        written(content)


def test_a_missing_table_is_a_typed_error(tmp_path):
    with pytest.raises(DataFileError, match="cannot be read"):
        read_match_equity_table(tmp_path / "nowhere.xml")
    with pytest.raises(DataFileError, match="cannot be read"):
        read_match_equity_table(Path(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "table.xml")
    with pytest.raises(DataFileError, match="expected a regular file"):
        read_match_equity_table(tmp_path / "table.xml")


@pytest.mark.parametrize("number", ["nan", "inf", "-0.1", "1e9", "1" * 400])
def test_an_equity_that_is_no_chance_is_refused(number, written):
    with pytest.raises(DataFileError, match="expected match equities of 0 to 1"):
        written(re.sub(r"<me>[^<]*</me>", f"<me>{number}</me>", SMALL, count=1))


def test_a_table_that_is_a_formula_is_not_supported(written):
    with pytest.raises(UnsupportedError, match="zadeh"):
        written(SMALL.replace('<pre-crawford-table type="explicit"', '<pre-crawford-table type="zadeh"'))
