"""Correct matches of every format of which one row is damaged: what the damage does not touch is kept."""

import itertools
import random

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.reading import read_matches
from tests.engine.match_files.damaged_files import FORMATS, check, list_cases, write_source
from tests.engine.match_files.played_games import read_match
from tests.engine.match_files.row_damages import TEXT_DAMAGES

CASES = [(format_name, name) for format_name, form in FORMATS.items() for name in form.damages]

TEXTS = [name for name, form in FORMATS.items() if form.damages.keys() == TEXT_DAMAGES.keys()]
SAYS_THE_SAME = (
    *itertools.product(
        TEXTS, ("a hit too many", "a hit missing", "another wording", "another number", "blanks")
    ),
    *itertools.product(("xg",), ("no names", "no position", "not played", "another response")),
    *(("mat", "no names"), ("sgg", "doubled")),
)
"""Formats, and what can be other in a row of them while its game stays as it is."""

SINGLE_ACTIONS = ("sgf", "oldmoves", "sgg", "tmg", "party", "xg")
"""Formats of which a row is one action, or a part of one."""

COSTS_NO_OTHER_ROW = (
    *itertools.product(
        TEXTS, ("doubled", "no number", "nonsense in it", "wrong dice", "another winner", "other points")
    ),
    *itertools.product(("xg",), ("doubled", "wrong dice", "wrong move", "wrong position", "another winner")),
    *itertools.product(SINGLE_ACTIONS, ("dropped", "nonsense", "wrong dice")),
)
"""Formats, and what can be wrong with a row of them while all behind it is read."""


def skip_without_library(format_name):
    if format_name == "ogxm":
        pytest.importorskip("ogxm")


@pytest.mark.parametrize(("format_name", "name"), CASES)
def test_a_damaged_row_costs_neither_what_is_before_it_nor_a_result_nor_more_than_it_must(format_name, name):
    skip_without_library(format_name)
    is_exact, is_alone = ((format_name, name) in cases for cases in (SAYS_THE_SAME, COSTS_NO_OTHER_ROW))
    readings = [check(format_name, name, seed, seed) for seed in (1, 0)[: 1 + (is_exact or is_alone)]]
    assert not [fault for reading in readings for fault in reading.faults]
    outcomes = {reading.outcome for reading in readings}
    assert outcomes == {"same"} or not is_exact
    assert "cut" not in outcomes or not is_alone


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_file_that_is_cut_anywhere_keeps_the_games_before_and_the_beginning_of_the_last(format_name):
    skip_without_library(format_name)
    form, source = FORMATS[format_name], write_source(format_name, 5)
    content, whole = form.join(source.rows), source.whole.games
    ends = set()
    for end in (*random.Random(5).sample(range(len(content)), 8), len(content) - 2):
        try:
            games = [game for match in read_matches(content[:end]) for game in match.games]
        except FormatError:  # before the first play, or a part that is read only as a whole
            continue
        *before, last = games or [whole[0]]
        assert tuple(before) == whole[: len(before)]
        certain = last.actions[:-2]  # a play that is cut may pass for another one
        assert certain == whole[len(before)].actions[: len(certain)]
        ends.add(len(games))
    assert format_name == "ogxm" or max(ends) == len(whole)


@pytest.mark.parametrize("format_name", TEXTS)
def test_names_that_do_not_print_are_escaped(format_name):
    content = FORMATS[format_name].join(write_source(format_name, 5).rows)
    assert read_match(content.replace(b"one", b"o\x1bn")).names == (r"o\x1bn", "two")


@pytest.mark.slow
def test_many_damaged_files_never_crash_nor_change_a_winner_in_silence():
    pytest.importorskip("ogxm")
    faults = {case: found for case in itertools.islice(list_cases(), 300) if (found := check(*case).faults)}
    assert faults == {}
