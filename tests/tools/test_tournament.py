"""`gammond tournament` from the command line."""

from __future__ import annotations

import json

import pytest

from engine.errors import ValueRangeError
from tools import cli, tournament


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
    whole = tournament.play_stretches(*_players(), 60, seed=5).points.tolist()
    monkeypatch.setattr(tournament, "STRETCH_GAMES", 16)
    assert tournament.play_stretches(*_players(), 60, seed=5).points.tolist() == whole


def _players():
    return tournament.load_player("pubeval"), tournament.load_player("random")


def test_an_interrupted_run_reports_the_finished_stretches(monkeypatch, capsys):
    monkeypatch.setattr(tournament, "STRETCH_GAMES", 16)
    play_games = tournament.play_games

    def interrupted(*args, first_pair, **options):
        if first_pair == 16:
            raise KeyboardInterrupt
        return play_games(*args, first_pair=first_pair, **options)

    monkeypatch.setattr(tournament, "play_games", interrupted)
    assert cli.main(["tournament", "pubeval", "random", "--games", "64", "--json"]) == cli.EXIT_INTERRUPTED
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 32
    assert "interrupted" in captured.err


def test_a_run_interrupted_at_once_reports_nothing(monkeypatch, capsys):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament, "play_games", interrupted)
    assert cli.main(["tournament", "pubeval", "random"]) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("games", ["3", "2", "0", "-4"])
def test_games_that_cannot_be_paired_are_refused(games, capsys):
    assert cli.main(["tournament", "pubeval", "random", "--games", games]) == cli.EXIT_USAGE
    assert "an even number of 4 or more" in capsys.readouterr().err


def test_an_unknown_player_is_refused():
    with pytest.raises(ValueRangeError, match=r"no player is called 'nobody'.*pubeval"):
        tournament.load_player("nobody")
