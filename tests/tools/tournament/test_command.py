"""`gammond tournament` from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.errors import ValueRangeError
from nets.loading import load_player
from tools import cli
from tools.tournament import command as tournament
from tools.tournament import stretches as tournament_stretches
from tools.tournament.stretches import Pairing, Stretch


def test_the_report_says_who_won_what(capsys):
    assert cli.main(["tournament", "pubeval", "random", "--games", "200", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "seed 3, 200 paired games" in lines[0]
    assert lines[2].split()[0] == "pubeval"
    assert lines[3].split()[0] == "random"
    assert sum(int(line.split()[1]) for line in lines[2:4]) == 200
    assert lines[-1].startswith("pubeval scores +2.")


def test_json_is_one_object_with_the_same_figures_each_time(capsys):
    reports = []
    for _ in range(2):
        assert cli.main(["tournament", "random", "pubeval", "--games", "60", "--seed", "4", "--json"]) == 0
        reports.append(json.loads(capsys.readouterr().out))
        assert reports[-1].pop("seconds") >= 0
    assert reports[0] == reports[1]
    assert reports[0]["games"] == 60
    assert reports[0]["first"]["name"] == "random"
    assert reports[0]["points_per_game"] < -2
    assert (
        reports[0]["second"]["wins"] >= reports[0]["second"]["gammons"] >= reports[0]["second"]["backgammons"]
    )


def test_stretches_make_no_difference(monkeypatch):
    whole = tournament.play_stretches("pubeval", "random", 60, seed=5).points.tolist()
    monkeypatch.setattr(tournament, "STRETCH_GAMES", 16)
    assert tournament.play_stretches("pubeval", "random", 60, seed=5).points.tolist() == whole


def test_the_result_is_the_same_in_one_process_and_in_three(monkeypatch):
    monkeypatch.setattr(tournament, "DEEP_STRETCH_GAMES", 2)
    names = "td32:plies=1,filter=tiny", "td32:level=beginner"
    alone, shared = (tournament.play_stretches(*names, 8, seed=5, threads=n).points for n in (1, 3))
    assert alone.tolist() == shared.tolist()
    assert np.abs(alone).sum() >= 8


def test_an_error_in_a_process_reaches_the_caller(monkeypatch):
    stretches = [Stretch(0, 2), Stretch(2, 2)]
    with pytest.raises(ValueRangeError, match="no player is called 'nobody'"):
        list(tournament_stretches.played_by_processes(("nobody", "random", 1), stretches, 2))


def interrupt_at(monkeypatch, stop_pair):
    """Stretches of 16 games, and Ctrl-C when the one of this pair begins."""
    play_games = tournament_stretches.play_games

    def interrupted(*args, first_pair, **options):
        if first_pair == stop_pair:
            raise KeyboardInterrupt
        return play_games(*args, first_pair=first_pair, **options)

    monkeypatch.setattr(tournament, "STRETCH_GAMES", 16)
    monkeypatch.setattr(tournament_stretches, "play_games", interrupted)


def test_an_interrupted_run_reports_the_finished_stretches(monkeypatch, capsys):
    interrupt_at(monkeypatch, 16)
    arguments = ["tournament", "pubeval", "random", "--games", "64", "--threads", "1", "--json"]
    assert cli.main(arguments) == cli.EXIT_INTERRUPTED
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 32
    assert captured.err == "gammond: interrupted, reporting the stretches that were finished\n"


def test_a_run_interrupted_at_once_reports_nothing(monkeypatch, capsys):
    interrupt_at(monkeypatch, 0)
    assert cli.main(["tournament", "pubeval", "random", "--threads", "1"]) == cli.EXIT_INTERRUPTED
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "gammond: interrupted, nothing was finished\n"


def test_the_nets_that_a_player_finds_replies_with_are_called_the_finders(capsys):
    arguments = ["tournament", "td128:plies=1,filter=tiny", "random", "--games", "4", "--threads", "1"]
    assert cli.main(arguments) == 0
    nets = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  net ")]
    of_finder = {words[1] for words in nets if words[-1] == "(finder)"}
    assert of_finder == {"td32-contact", "td32-race"}
    assert {words[1] for words in nets} == of_finder | {"td128-contact", "td128-race"}


def test_progress_counts_the_games_of_all_stretches():
    seen = []
    pairing = Pairing(load_player("pubeval"), load_player("random"), 1)
    list(tournament_stretches.played_here(pairing, [Stretch(0, 8), Stretch(8, 8)], seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 16


@pytest.mark.parametrize("games", ["3", "2", "0", "-4"])
def test_games_that_cannot_be_paired_are_refused(games, capsys):
    assert cli.main(["tournament", "pubeval", "random", "--games", games]) == cli.EXIT_USAGE
    assert "an even number of 4 or more" in capsys.readouterr().err


@pytest.mark.parametrize("threads", ["0", "-1", "1000"])
def test_impossible_numbers_of_threads_are_refused(threads, capsys):
    assert cli.main(["tournament", "pubeval", "random", "--threads", threads]) == cli.EXIT_USAGE
    assert "--threads takes 1 to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nobody", "no player is called 'nobody', expected one of default, td128, "),
        ("td128:plies=9", "plies are 0 to 4, not 9"),
        ("td128:depth=2", "plies, filter, noise, seed, level, not 'depth'"),
        ("td128:level=god", "beginner|casual"),
    ],
)
def test_a_player_that_cannot_be_is_refused(name, words, capsys):
    assert cli.main(["tournament", name, "random", "--games", "4"]) == cli.EXIT_USAGE
    assert words in capsys.readouterr().err
