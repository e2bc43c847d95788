"""Correct matches of every format of which one row is damaged: what the damage does not touch is kept."""

from __future__ import annotations

import itertools

import pytest

from tests.engine.match_files.damaged_files import FORMATS, check, list_cases

CASES = [(format_name, name) for format_name, form in FORMATS.items() for name in form.damages]

HARMLESS = (
    "a hit too many",
    "a hit missing",
    "another wording",
    "no number",
    "another number",
    "blanks",
    "doubled",
)

SINGLE_ACTIONS = ("sgf", "oldmoves", "sgg", "tmg", "party", "xg")
"""Formats of which a row is one action, or a part of one."""


def skip_without_library(format_name):
    if format_name == "ogxm":
        pytest.importorskip("ogxm")


@pytest.mark.parametrize(("format_name", "name"), CASES)
def test_a_damaged_row_costs_neither_what_is_before_it_nor_a_result(format_name, name):
    skip_without_library(format_name)
    assert not check(format_name, name, 1).faults


@pytest.mark.parametrize("name", HARMLESS)
def test_a_row_that_says_the_same_in_another_way_costs_nothing(name):
    for seed in range(4):
        assert check("mat", name, seed, seed).outcome in ("same", "noted")


@pytest.mark.parametrize("name", ["dropped", "nonsense", "wrong dice"])
@pytest.mark.parametrize("format_name", SINGLE_ACTIONS)
def test_what_follows_a_lost_action_shows_how_the_game_stood(format_name, name):
    assert [check(format_name, name, seed, seed).outcome for seed in range(3)].count("cut") == 0


@pytest.mark.slow
def test_many_damaged_files_never_crash_nor_change_a_winner_in_silence():
    pytest.importorskip("ogxm")
    faults = {case: found for case in itertools.islice(list_cases(), 600) if (found := check(*case).faults)}
    assert faults == {}
