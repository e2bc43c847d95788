"""The driver of gnubg, with a stand-in for gnubg where it can do without it; results as text."""

import stat

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import LEVELS, EvalSettings
from gammond.engine.play.decider import Decider
from gammond.tools import cli
from gammond.tools.gnubg import match as gnubg_match
from gammond.tools.gnubg.match import (
    STALL_TIMEOUT_S,
    GnubgSession,
    GnubgSessionResult,
    choose_stall_timeout_s,
    play_session,
    split_between_seats,
)
from tests.support.evaluators import RacingEvaluator

RACER = Decider(Engine(RacingEvaluator()))


def stand_in(folder, lines: str) -> str:
    """A program in gnubg's place."""
    program = folder / "gnubg"
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_games_are_shared_out_between_the_seats_with_dice_of_their_own():
    assert split_between_seats(5, 0, 7) == [GnubgSession(0, 3, 0, 7), GnubgSession(1, 2, 0, 8)]
    assert split_between_seats(1, 5, 7) == [GnubgSession(0, 1, 5, 7)]
    assert split_between_seats(2, 5, 7, 2)[1] == GnubgSession(1, 1, 5, 8, 2)
    assert split_between_seats(0, 5, 7) == []


def test_a_gnubg_that_never_connects_and_records_nothing_is_a_fault(tmp_path):
    result = play_session(GnubgSession(0, 1, 0, 1), RACER, stand_in(tmp_path, "exit 0"), tmp_path)
    assert result.points == []
    assert any("did not connect" in fault for fault in result.faults)
    assert any("no record" in fault for fault in result.faults)


def test_a_gnubg_that_hangs_is_stopped(tmp_path):
    program = stand_in(tmp_path, "exec sleep 60")
    result = play_session(GnubgSession(0, 1, 0, 1), RACER, program, tmp_path, stall_timeout_s=0.5)
    assert any("stalled" in fault for fault in result.faults)
    assert result.seconds < 20


def test_a_crash_and_an_error_that_gnubg_shows_are_faults(tmp_path):
    program = stand_in(tmp_path, "echo 'Error: no idea'; exit 3")
    result = play_session(GnubgSession(1, 1, 5, 1), RACER, program, tmp_path)
    assert any("status 3" in fault for fault in result.faults)
    assert any("'Error: no idea'" in fault for fault in result.faults)


def test_the_script_sets_the_seat_and_the_look_ahead_and_plays_as_many_games(tmp_path):
    for session in (GnubgSession(1, 3, 0, 9), GnubgSession(0, 1, 5, 9, gnubg_plies=2)):
        play_session(session, RACER, stand_in(tmp_path, "cat"), tmp_path)
    deep = (tmp_path / "match-0.gnubg").read_text().splitlines()
    for kind in ("chequer", "cubedecision"):
        assert f"set player 1 {kind} evaluation plies 2" in deep
    script = (tmp_path / "money-1.gnubg").read_text().splitlines()
    assert "set seed 9" in script
    assert sum(line.startswith("set player 1 external localhost:") for line in script) == 1
    assert script.count("new session") == 1
    assert script.count("new game") == 2


def test_deep_searches_get_more_time_before_they_count_as_stalled():
    assert [choose_stall_timeout_s(plies) for plies in (0, 2, 3, 4)] == [
        STALL_TIMEOUT_S,
        STALL_TIMEOUT_S,
        10 * STALL_TIMEOUT_S,
        100 * STALL_TIMEOUT_S,
    ]


def test_the_exit_status_says_whether_there_were_faults(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(gnubg_match, "load_decider", lambda *_: RACER)
    arguments = ["--games", "1", "--matches", "0", "--gnubg", stand_in(tmp_path, "exit 0")]
    assert cli.main(["gnubg-match", *arguments]) == 1
    shown = capsys.readouterr().out
    assert "FAULT" in shown
    assert "faults: 2" in shown


def test_the_chosen_strength_is_the_one_that_plays_and_is_named(tmp_path, monkeypatch, capsys):
    asked = []

    def load(net, chosen, threads, seed, player):
        asked.append((net, chosen.settings, chosen.noise_points, threads, seed, player))
        return RACER

    monkeypatch.setattr(gnubg_match, "load_decider", load)
    usual = ["gnubg-match", "--games", "0", "--matches", "0", "--gnubg", "/bin/true", "--threads", "1"]
    for options in (
        ["--plies", "2", "--filter", "large"],
        ["--level", "casual", "--seed", "3"],
        ["--player", "random:seed=2"],
    ):
        assert cli.main([*usual, *options]) == 0
    assert asked == [
        ("default", EvalSettings(2, "large"), 0.0, 1, 1, None),
        ("default", EvalSettings(), LEVELS["casual"].noise_points, 1, 3, None),
        ("default", EvalSettings(), 0.0, 1, 1, "random:seed=2"),
    ]
    shown = capsys.readouterr().out
    assert "(racing, 2-ply large)" in shown
    assert "(racing, casual)" in shown
    assert "(racing, expert)" in shown


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
