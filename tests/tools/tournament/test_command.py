"""`gammond tournament` from the command line."""

import json

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.wording import format_count
from gammond.nets.catalogue import collect_net_hashes
from gammond.tools import cli
from gammond.tools.common.interrupts import GOES_ON
from gammond.tools.tournament import backgammon, round_robin
from gammond.tools.tournament.round_robin import play_pair


def test_the_report_says_who_won_what(capsys):
    assert cli.main(["tournament", "pubeval", "random", "--games", "200", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "seed 3, 200 paired games" in lines[0]
    assert lines[2].split()[0] == "pubeval"
    assert lines[3].split()[0] == "random"
    assert sum(int(line.split()[1]) for line in lines[2:4]) == 200
    assert lines[-1].startswith("pubeval scores +2.")


def test_workers_of_a_cluster_must_have_the_nets_of_those_who_decide_about_the_cube_for_others(monkeypatch):
    asked = []

    def note(*given):
        asked.append(given)
        raise ValueRangeError("enough")

    monkeypatch.setattr(round_robin, "make_executor", note)
    words = "tournament pubeval random --cubeful --cube-by fast --games 8 --cluster HOST:1"
    assert cli.main(words.split()) == 2
    ((_, cluster, nets),) = asked
    assert (cluster, nets) == ("HOST:1", {"fast": collect_net_hashes("fast")})


def test_doubles_may_be_two_moves_for_0_ply_players(capsys, tmp_path):
    games = ["tournament", "pubeval", "random", "--games", "200", "--seed", "3"]
    outputs = []
    for doubles in ("four", "two"):
        assert cli.main([*games, "--json", "--doubles", doubles]) == 0
        outputs.append(json.loads(capsys.readouterr().out))
        assert outputs[-1].pop("doubles") == doubles
        del outputs[-1]["seconds"]
    assert outputs[0] != outputs[1]
    assert cli.main([*games, "--doubles", "two"]) == 0
    assert "paired games of backgammon with doubles as two moves" in capsys.readouterr().out
    for refused in (
        ["default:plies=1"],
        ["default", "--match", "3"],
        ["default", "--records", str(tmp_path)],
    ):
        assert cli.main(["tournament", "pubeval", *refused, "--games", "4", "--doubles", "two"]) == 2
        assert "doubles" in capsys.readouterr().err


@pytest.mark.slow
def test_the_result_is_the_same_in_one_process_and_in_several(monkeypatch):
    monkeypatch.setattr(backgammon, "DEEP_GAMES_PER_RANGE", 2)
    names = "default:plies=1,filter=tiny", "default:level=beginner"
    alone, shared = (play_pair(*names, 4, seed=5, threads=n).values for n in (1, 2))
    assert alone.tolist() == shared.tolist()
    assert np.abs(alone).sum() >= 4


def interrupt_at(monkeypatch, stop_pair):
    """Stretches of 16 games, and Ctrl-C when the one of this pair begins."""
    play_games = backgammon.play_games

    def interrupted(*args, first_pair, **options):
        if first_pair == stop_pair:
            raise KeyboardInterrupt
        return play_games(*args, first_pair=first_pair, **options)

    monkeypatch.setattr(backgammon, "GAMES_PER_RANGE", 16)
    monkeypatch.setattr(backgammon, "play_games", interrupted)


def test_an_interrupted_run_reports_the_finished_ranges_and_says_whether_it_goes_on(
    monkeypatch, tmp_path, capsys
):
    interrupt_at(monkeypatch, 16)
    arguments = ["tournament", "pubeval", "random", "--games", "64", "--threads", "1", "--json"]
    assert cli.main(arguments) == cli.EXIT_INTERRUPTED
    captured = capsys.readouterr()
    assert json.loads(captured.out)["games"] == 32
    assert captured.err == "gammond: interrupted, the answer is of the games so far\n"
    assert cli.main([*arguments, "--keep", str(tmp_path / "kept")]) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().err == f"{captured.err[:-1]}, {GOES_ON}\n"


def test_the_pruning_nets_of_a_player_are_marked(capsys):
    name = "default:plies=1,filter=tiny"
    assert cli.main(["tournament", name, "random", "--games", "4", "--threads", "1"]) == 0
    nets = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  net ")]
    own = set(collect_net_hashes("default"))
    assert {words[1] for words in nets} == set(collect_net_hashes(name))
    assert {words[1] for words in nets if words[-1] == "(pruning)"} == set(collect_net_hashes(name)) - own


def json_of(capsys, *arguments, status=0):
    assert cli.main(["tournament", *arguments, "--json", "--threads", "1"]) == status
    return json.loads(capsys.readouterr().out)


def test_every_player_meets_every_other_once(capsys, monkeypatch):
    monkeypatch.setattr(backgammon, "GAMES_PER_RANGE", 16)
    names = ["pubeval", "random", "random:seed=3"]
    table = json_of(capsys, *names, "--games", "40", "--seed", "4", "--anchor", "random")
    met = [(pair["first"], pair["second"]) for pair in table["pairs"]]
    assert met == [("pubeval", "random"), ("pubeval", "random:seed=3"), ("random", "random:seed=3")]
    assert [player["games"] for player in table["players"]] == [80, 80, 80]
    assert table["players"][1]["elo"] == 0
    assert table["players"][0]["elo"] > 300
    for first, second in met:
        alone = json_of(capsys, first, second, "--games", "40", "--seed", "4")
        (pair,) = [pair for pair in table["pairs"] if (pair["first"], pair["second"]) == (first, second)]
        assert alone["points_per_game"] == pair["score"]["mean"]
        assert alone["first"]["wins"] == pair["first_wins"]["wins"]


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    names = ["pubeval", "random", "random:seed=3", "--games", "48", "--seed", "6"]
    whole = json_of(capsys, *names)
    interrupt_at(monkeypatch, 16)
    keep = ["--keep", str(tmp_path / "kept")]
    part = json_of(capsys, *names, *keep, status=cli.EXIT_INTERRUPTED)
    assert [pair["games"] for pair in part["pairs"]] == [32]
    monkeypatch.undo()
    played = []
    play_games = backgammon.play_games

    def counted(*args, **options):
        played.append(args[2])
        return play_games(*args, **options)

    monkeypatch.setattr(backgammon, "play_games", counted)
    resumed = json_of(capsys, *names, *keep)
    assert sum(played) == 3 * 48 - 32
    again = json_of(capsys, *names, *keep)
    assert sum(played) == 3 * 48 - 32
    for report in (whole, resumed, again):
        report.pop("seconds")
    assert whole == resumed == again


def test_a_sequential_test_ends_the_games_of_a_pair_alone(capsys, monkeypatch):
    monkeypatch.setattr(backgammon, "SEQUENTIAL_GAMES_PER_RANGE", 100)
    names = ["pubeval", "random", "random:seed=3", "--games", "400"]
    table = json_of(capsys, *names, "--sprt", "0,100")
    verdicts = {(pair["first"], pair["second"]): pair for pair in table["pairs"]}
    assert verdicts["pubeval", "random"]["verdict"] == "accepted"
    assert verdicts["pubeval", "random"]["games"] == 100
    assert verdicts["random", "random:seed=3"]["verdict"] == "rejected"
    assert table["test"]["low"] == 0
    points = json_of(capsys, *names, "--sprt-points=-0.9,0.9", "--alpha", "0.01", "--beta", "0.01")
    assert [pair["verdict"] for pair in points["pairs"]][:2] == ["accepted", "accepted"]


def test_a_test_has_the_same_verdict_from_ranges_of_any_size(capsys, monkeypatch):
    found = []
    for size in (20, 400):
        monkeypatch.setattr(backgammon, "SEQUENTIAL_GAMES_PER_RANGE", size)
        found.append(json_of(capsys, "pubeval", "random", "--games", "400", "--sprt", "0,100"))
        found[-1].pop("seconds")
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "unit"),
    [
        (["--home-bound"], "pips per game"),
        (["--cubeful"], "points per game"),
        (["--cubeful", "--cube-by", "default:noise=100"], "points per game"),
        (["--match", "3"], "matches won minus matches lost, per match"),
    ],
)
def test_other_kinds_of_games_have_their_own_scores(options, unit, capsys):
    arguments = ["default", "default:noise=400", "--games", "12", "--seed", "3", *options]
    found = json_of(capsys, *arguments)
    assert found["unit"] == unit
    assert found["points_per_game"] > 0
    assert cli.main(["tournament", *arguments, "--threads", "2" if "--match" in options else "1"]) == 0
    text = capsys.readouterr().out
    assert text.endswith(f" {unit}\n")
    assert f"{found['points_per_game']:+.4f}" in text


def test_files_are_written_where_they_are_asked_for(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    files = {name: tmp_path / name for name in ("table.csv", "table.png", "games")}
    options = ["--csv", files["table.csv"], "--plot", files["table.png"], "--records", files["games"]]
    json_of(capsys, "pubeval", "random", "--games", "8", *map(str, options))
    assert files["table.csv"].read_text().startswith("first,second,games,")
    assert files["table.png"].stat().st_size > 1000
    assert [file.suffix for file in files["games"].iterdir()] == [".mat"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pubeval"], "two players or more, got 1"),
        (["pubeval", "random", "pubeval"], "duplicate player 'pubeval'"),
        (["pubeval", "random", "--cubeful"], "'pubeval' has no cube decisions"),
        (["pubeval", "random", "--cube-by", "default"], "--cube-by needs a cube"),
        (["pubeval", "random", "--match", "3", "--cube-by", "random"], "'random' has no cube decisions"),
        (["pubeval", "random", "--sprt", "5"], "expected LOW,HIGH as in 0,5, got 5"),
        (["pubeval", "random", "--sprt", "5,1"], "two different numbers in order"),
        (
            ["pubeval", "random", "--sprt", "0,5", "--alpha", "0.7"],
            "--alpha: expected a number between 0 and 0.5",
        ),
        (["pubeval", "random", "--anchor", "default"], "--anchor: expected one of the players"),
        (["pubeval", "random", "--home-bound", "--records", "games"], "no result"),
        (["pubeval", "random", "--plot", "table.bmp"], "expected a picture file"),
        (["pubeval", "random", "--games", "3"], "expected a whole number 4 or more, even"),
        (["nobody", "random"], "expected a player (default, "),
        (["default:plies=9", "random"], "0..4 for plies, got '9'"),
        (["default:depth=2", "random"], "plies, filter, noise, seed, level), got 'depth'"),
        (["default:level=god", "random"], "beginner|casual"),
        (["random", "--variant", "barca"], "two players or more, got 1"),
        (["random", "nobody", "--variant", "barca"], "nobody"),
        (["random", "hard", "--variant", "barca", "--match", "5"], "--match is for backgammon"),
        (["random", "hard", "--variant", "barca", "--records", "games"], "--records is for backgammon"),
        (["random", "hard", "--variant", "barca", "--doubles", "two"], "--doubles is for backgammon"),
        (["random", "search:depth=1,weights=run:nowhere", "--variant", "barca"], "nowhere"),
    ],
)
def test_what_cannot_be_is_refused_before_a_game_is_played(arguments, words, capsys, monkeypatch):
    monkeypatch.setattr(backgammon, "play_games", None)
    assert cli.main(["tournament", *arguments]) == cli.EXIT_USAGE
    assert words in capsys.readouterr().err


@pytest.fixture
def few_turns(monkeypatch):
    """Games may have so few turns that some of them do not end."""
    for module in (
        "gammond.engine.play.lockstep",
        "gammond.engine.play.cube_games",
        "gammond.tools.tournament.text",
    ):
        monkeypatch.setattr(f"{module}.MAX_TURNS", 64)


WITHOUT_END = ["tournament", "pubeval", "random", "--games", "40", "--seed", "3", "--threads", "1"]


@pytest.mark.parametrize("kind", [[], ["--home-bound"], ["--cubeful"], ["--match", "1"], ["--sprt", "0,5"]])
def test_games_that_do_not_end_are_counted_and_the_others_are_reported(kind, few_turns, tmp_path, capsys):
    words = [*WITHOUT_END, *kind]
    if kind and kind[0] in ("--cubeful", "--match"):
        words[1:3] = "pubeval", "heuristic"
        words += ["--cube-by", "fast"]
    assert cli.main([*words, "--json", "--keep", str(tmp_path / "kept")]) == 0
    report = json.loads(capsys.readouterr().out)
    (pair,) = report["pairs"]
    assert pair["endless"] > 0
    assert 40 - 2 * pair["endless"] <= pair["games"] <= 40 - pair["endless"]
    assert pair["first_wins"]["wins"] + pair["second_wins"]["wins"] == pair["games"]
    table = tmp_path / "table.csv"
    assert cli.main([*words, "--keep", str(tmp_path / "kept"), "--csv", str(table)]) == 0
    told = f"{format_count(pair['endless'], 'game')} did not end within 64 turns; without them and those with"
    assert told in capsys.readouterr().out
    head, row = table.read_text().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["endless"] == str(pair["endless"])


@pytest.mark.parametrize("kind", [[], ["--match", "1", "--cube-by", "fast"]])
def test_records_have_the_games_that_ended(kind, few_turns, tmp_path, capsys):
    assert cli.main([*WITHOUT_END, *kind, "--json", "--records", str(tmp_path / "games")]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    written = [file.read_text().count("Wins ") for file in sorted((tmp_path / "games").iterdir())]
    assert sum(written) == 40 - pair["endless"]


def test_where_no_game_ends_there_is_nothing_to_report(monkeypatch, capsys):
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", 5)
    assert cli.main(WITHOUT_END) != 0
    assert "no game ended" in capsys.readouterr().err
