"""Results of games against gnubg as text, and their standard errors."""

import pytest

from gammond.tools.gnubg.match import GnubgSessionResult


def test_single_things_are_named_in_the_singular_and_have_no_error():
    text = GnubgSessionResult([1], [True], 1, 1).as_text("1 match to 5 in seat 0", 5)
    assert ": 1 of 1 match won, 1 of 1 game won, points 1-0, 1 play and 1 cube action checked, " in text
    assert "±" not in text + GnubgSessionResult([2]).as_text("1 money game in seat 0", 0)


def test_each_fault_has_a_line_of_its_own():
    text = GnubgSessionResult(faults=["stalled", "no record"]).as_text("a match", 5)
    assert text.splitlines()[1:] == ["  FAULT stalled", "  FAULT no record"]


@pytest.mark.parametrize("length", [0, 5])
def test_a_result_reads_as_one_line_without_faults(length):
    text = GnubgSessionResult([2, -1, -1, -4], [True, False] if length else []).as_text("four games", length)
    assert text.startswith("four games: ")
    assert text.count("\n") == 1
    assert "1 of 4 games won, points 2-6" in text
    assert ("matches won (50.0 ± 50.0 %)" in text) == bool(length)
    assert ("-1.000 ± 1.225 points per game" in text) == (not length)


def test_results_of_both_seats_add_up_but_for_their_faults():
    total = GnubgSessionResult()
    total.add(GnubgSessionResult([1], [True], 3, 2, 5, 1.0, ["one"]))
    total.add(GnubgSessionResult([-2], [False], 4, 1, 6, 2.0))
    assert total == GnubgSessionResult([1, -2], [True, False], 7, 3, 11, 3.0)
