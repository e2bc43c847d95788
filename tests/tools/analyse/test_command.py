"""`gammond analyse`: files and folders, the three formats, faults and what is kept."""

import csv
import io
import json
import re
import sys

import pytest

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.writing import ANALYSED_FORMATS
from gammond.engine.rules.game_record import PlayAction
from gammond.tools import cli
from tests.engine.match_files.played_games import MAT_GAME
from tests.engine.match_files.played_games import MAT_MATCH as MATCH
from tests.support.commands import make_runner


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "match.mat"
    path.write_text(MATCH)
    return path


run = make_runner("analyse", "--threads", "1")


def test_the_text_has_the_statistics_of_both_and_the_errors(file, capsys):
    said = run(capsys, file, "--plies", "1")
    lines = said.out.splitlines()
    assert lines[0] == "michy and Thomas Low, a 5-point match (1 game): michy 0, Thomas Low 1"
    assert "1-ply" in lines[1]
    assert any(line.startswith("PR, by eXtreme Gammon's rule") and line.count("±") == 2 for line in lines)
    assert lines[-1].split()[:5] == ["1", "5", "Thomas", "Low", lines[-1].split()[4]]
    assert "no double  double, pass" in lines[-1]


REDOUBLED = """ 0 point match

 Game 1
 ann : 0                               bob : 0
  1) 31: 8/5 6/5                       64: 24/18 13/9
  2)  Doubles => 2                      Beavers => 4
  3)  Takes
  4) 31: 24/23 13/10                    Doubles => 8
  5)  Drops
                                        Wins 4 points
"""


@pytest.mark.parametrize("form", ["text", "html"])
def test_the_reports_say_redouble_and_beaver_as_players_do(file, capsys, form):
    file.write_text(REDOUBLED)
    said = run(capsys, file, "--plies", "0", "--format", form).out
    assert "reredouble" not in said
    assert "no redouble" in said
    if form == "html":
        assert "bob beavers to 4" in said
        assert "bob redoubles to 8" in said
    else:
        row = next(line for line in said.splitlines() if " redouble " in line)
        assert re.search(" redouble +no redouble ", row)


def test_json_has_every_decision_with_what_it_lost(file, capsys):
    document = json.loads(run(capsys, file, "--plies", "0", "--format", "json").out)
    (match,) = parse_mat(MATCH)
    plays = [action for action in match.games[0].actions if isinstance(action, PlayAction)]
    listed = document["decisions"]
    assert sum(each["decision"] == "play" for each in listed) == len(plays) == len(document["rolls"])
    assert [each["decision"] for each in listed[-2:]] == ["double", "pass"]
    for seat, player in enumerate(document["players"]):
        own = [each for each in listed if each["seat"] == seat]
        assert sum(each["error"] for each in own) == pytest.approx(player["total"]["error"], abs=1e-4)
        assert player["counted"] == sum(each["counts_for_xg"] for each in own)
    first = listed[0]
    assert (first["roll"], first["chosen"], first["xgid"][:5]) == ("64", "24/18 13/9", "XGID=")
    best, *others = first["candidates"]
    assert best["play"] == first["best"]
    assert best["equity"] == pytest.approx(first["error"] + next(
        each["equity"] for each in first["candidates"] if each["play"] == first["chosen"]
    ), abs=1e-5)  # fmt: skip
    assert others
    for each in first["candidates"]:
        assert 0.3 < each["mwc"] < 0.7
    mwc = [each["mwc"] for each in first["candidates"] if each["play"] == first["chosen"]]
    assert best["mwc"] - mwc[0] == pytest.approx(first["error_mwc"], abs=1e-5)


def test_json_has_the_ratings_of_games_and_phases(tmp_path, capsys):
    file = tmp_path / "match.mat"
    file.write_text(f"{MATCH}\n Game 2\n{MAT_GAME.replace('Low : 0', 'Low : 1')}")
    document = json.loads(run(capsys, file, "--plies", "0", "--format", "json").out)
    assert [game["game"] for game in document["games"]] == [1, 2]
    for seat, player in enumerate(document["players"]):
        own = [each for each in document["decisions"] if each["seat"] == seat]
        assert set(player["phases"]) == {each["phase"] for each in document["decisions"]}
        parts = [game["players"][seat] for game in document["games"]]
        compared = [(player, own)]
        for name, part in player["phases"].items():
            compared.append((part, [each for each in own if each["phase"] == name]))
        for number, part in enumerate(parts, 1):
            compared.append((part, [each for each in own if each["game"] == number]))
        for found, kept in compared:
            assert found["counted"] == sum(each["counts_for_xg"] for each in kept)
            assert found["blunders"] == sum(each["error"] >= 0.08 for each in kept)
            if found["counted"]:
                rating = 500 * sum(each["error"] for each in kept) / found["counted"]
                assert found["performance_rating"] == pytest.approx(rating, abs=1e-3)
        assert sum(part["luck_points"] for part in parts) == pytest.approx(player["luck_points"], abs=1e-5)
    assert {"opening", "contact"} <= {each["phase"] for each in document["decisions"]}
    lines = run(capsys, file, "--plies", "0").out.splitlines()
    (phase,) = [line for line in lines if line.startswith("  contact")]
    assert phase.endswith(f"({document['players'][1]['phases']['contact']['counted']})")
    (game,) = [line for line in lines if line.startswith("  game 2")]
    assert game.endswith(f"({document['games'][1]['players'][1]['counted']})")


@pytest.mark.parametrize("name", ANALYSED_FORMATS)
def test_a_match_file_holds_the_match_with_its_analysis(file, capfdbinary, tmp_path, name):
    if name == "ogxm":
        pytest.importorskip("ogxm")
    words = ["analyse", str(file), "--plies", "0", "--format", name]
    assert cli.main([*words, "--output", str(tmp_path / "new")]) == 0
    assert capfdbinary.readouterr().out == b""
    content = (tmp_path / "new").read_bytes()
    (again,) = read_matches(content)
    (match,) = parse_mat(MATCH)
    assert again.format == name
    assert _list_moves(again) == _list_moves(match)
    assert all(notes.candidates or notes.cube for notes in again.games[0].notes.values())
    assert cli.main(words) == 0
    assert capfdbinary.readouterr().out == content


def _list_moves(match):
    return [getattr(each, "play", each) for each in match.games[0].actions]


def test_a_format_that_needs_a_package_is_refused_before_the_analysis(file, capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ogxm", None)
    output = tmp_path / "new.ogxm"
    assert cli.main(["analyse", str(file), "--format", "ogxm", "--output", str(output)]) == 2
    assert "pip install" in capsys.readouterr().err
    assert not output.exists()


def test_what_a_match_file_leaves_out_is_said(capsys, tmp_path):
    cut = tmp_path / "cut.mat"
    cut.write_text(MATCH.replace("13/11 8/7*", "12/9 7/5"))
    said = run(capsys, cut, "--plies", "0", "--format", "sgf", "--output", tmp_path / "new.sgf", status=1)
    assert "sgf leaves out: that game 1 is cut" in said.err


def test_a_folder_is_searched_and_what_is_no_match_is_named(file, capsys, tmp_path):
    inner = tmp_path / "more"
    inner.mkdir()
    (inner / "other.sgf").write_text(
        "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[a]PB[b]RE[W+1R];W[31hefe])"
    )
    (tmp_path / ".hidden.mat").write_text(MATCH)
    (tmp_path / "notes.txt").write_text("nothing here")
    said = run(capsys, tmp_path, "--plies", "0", status=1)
    assert said.out.count(" and ") == 2
    assert "michy and Thomas Low" in said.out
    assert "a and b, a 3-point match" in said.out
    (message,) = [line for line in said.err.splitlines() if "notes.txt" in line]
    assert message.startswith("gammond analyse: ")
    said = run(capsys, tmp_path, "--plies", "0", "--format", "sgf", "--output", tmp_path / "out", status=1)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["001-match.sgf", "002-other.sgf"]


def test_csv_has_a_row_for_each_decision(file, capsys):
    document = json.loads(run(capsys, file, "--plies", "0", "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(run(capsys, file, file, "--plies", "0", "--format", "csv").out)))
    assert len(rows) == 2 * len(document["decisions"])
    for row, each in zip(rows, document["decisions"], strict=False):
        assert (row["chosen"], row["best"], float(row["error"])) == (
            each["chosen"],
            each["best"],
            each["error"],
        )
        assert row["player"] == document["names"][each["seat"]]
        assert (row["counts_for_xg"], row["xgid"]) == (str(int(each["counts_for_xg"])), each["xgid"])


def test_players_of_several_matches_have_a_table(file, capsys, tmp_path):
    other = tmp_path / "other.mat"
    other.write_text(MATCH.replace("michy :", "eve   :"))
    one = run(capsys, file, "--plies", "0").out
    both = run(capsys, file, other, "--plies", "0").out
    assert both.startswith(f"{file}\n{one}\n{other}\n")
    lines = both.split("Over several matches:\n")[1].splitlines()
    assert len(lines) == 2
    words = lines[1].split()
    assert words[:3] == ["Thomas", "Low", "2"]
    (counted,) = [line.split() for line in one.splitlines() if line.startswith("Decisions counted")]
    assert int(words[3]) == 2 * int(counted[-1])
    (luck,) = [line.split() for line in one.splitlines() if line.startswith("Luck of own rolls")]
    assert float(words[-1]) == pytest.approx(2 * float(luck[-3]), abs=2e-3)


def test_what_cannot_be_read_is_said_and_the_rest_is_analysed(file, capsys):
    file.write_text(MATCH.replace("52: Bar/23 6/1*", "52: Bar/23 6/2"))
    said = run(capsys, file, "--plies", "0", status=1)
    assert "line 9, game 1" in said.err
    assert "michy and Thomas Low" in said.out
    said = run(capsys, file, "--strict", status=1)
    assert said.out == ""
    assert "illegal play" in said.err


def test_a_match_that_cannot_be_analysed_is_named_and_the_others_are_analysed(file, capsys, tmp_path):
    odd = tmp_path / "a.sgf"
    odd.write_text(
        "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[a]PB[b]RE[B+2R];CV[2];W[31hefe];B[52lqln])"
    )
    said = run(capsys, odd, file, "--plies", "0", status=1)
    assert f"gammond analyse: {odd}: " in said.err
    assert said.out.startswith(f"{file}\nmichy and Thomas Low")


def test_a_resignation_that_loses_is_said(tmp_path, capsys):
    file = tmp_path / "match.sgf"
    game = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RE[B+2R];W[31hefe];B[52lqln])"
    file.write_text(game)
    said = run(capsys, file, "--plies", "0").out.splitlines()[-1]
    assert said.startswith("Game 1: ann resigned a gammon, which lost 2.")
    single = tmp_path / "single.sgf"
    single.write_text(game.replace("B+2R", "B+1R"))
    said = run(capsys, single, "--plies", "0").out.splitlines()[-1]
    assert said.startswith("Game 1: ann resigned a single game, which lost ")
    document = json.loads(run(capsys, file, "--plies", "0", "--format", "json").out)
    (resignation,) = document["resignations"]
    assert (resignation["kind"], resignation["seat"], resignation["answer_loss"]) == (2, 0, 0.0)


def test_a_result_alone_is_no_decision_to_resign(tmp_path, capsys):
    file = tmp_path / "match.mat"
    file.write_text(RESIGNED)
    words = [file, "--plies", "0", "--format"]
    assert "resign" not in run(capsys, *words, "text").out
    assert json.loads(run(capsys, *words, "json").out)["resignations"] == []
    assert "ann loses a backgammon, by the result in the file" in run(capsys, *words, "html").out


RESIGNED = """ 5 point match

 Game 1
 ann : 0                               bob : 0
  1) 31: 8/5 6/5                       64: 24/18 13/9
                                        Wins 3 points
"""


def test_a_deeper_analysis_is_said_and_seen(file, capsys):
    said = run(capsys, file, "--plies", "0", "--deepen", "1", "--format", "json")
    document = json.loads(said.out)
    assert "close and wrong decisions 1-ply" in document["method"]
    assert {each["depth"] for each in document["decisions"]} == {"0-ply", "1-ply"}


@pytest.mark.slow
def test_rollouts_are_labelled_with_their_standard_errors(file, capsys, tmp_path):
    words = [file, "--plies", "0", "--rollout", "--trials", "36", "--truncate", "3"]
    document = json.loads(run(capsys, *words, "--format", "json").out)
    assert "rolled out (36 trials, 3 plies, then 0-ply, 0-ply, seed 0)" in document["method"]
    rolled = [each for each in document["decisions"] if "trials" in each]
    assert sum(each["se"] > 0 for each in rolled) > 2
    for each in rolled:
        assert each["depth"] == "rollout of 3 plies"
        assert each["trials"] == 36
        assert 0 <= each["se"] < 0.2
        if each["roll"]:
            best = each["candidates"][0]
            assert (best["play"], best["trials"], best["depth"]) == (each["best"], 36, each["depth"])
            (made,) = [play for play in each["candidates"] if play["play"] == each["chosen"]]
            assert made["trials"] == 36
            assert each["error"] == pytest.approx(best["equity"] - made["equity"], abs=1e-5)
            assert each["se"] == max(best["se"], made["se"])
        else:
            assert each["se"] == max(each["no_double_se"], each["double_take_se"])
    (worst,) = [
        line for line in run(capsys, *words).out.splitlines() if line.startswith("   1     5  Thomas")
    ]
    (double,) = [each for each in rolled if each["move"] == 5 and each["decision"] == "no double"]
    assert worst.endswith(f"rollout of 3 plies, ±{double['se']:.3f}")
    rows = csv.DictReader(io.StringIO(run(capsys, *words, "--format", "csv").out))
    assert [(row["depth"], row["se"], row["trials"]) for row in rows] == [
        (each["depth"], str(each.get("se", "")), str(each.get("trials", "")))
        for each in document["decisions"]
    ]
    (again,) = parse_sgf(run(capsys, *words, "--format", "sgf").out)
    notes = again.games[0].notes.values()
    assert sum(bool(each.candidates and each.candidates[0].evaluation.trials) for each in notes) == sum(
        bool(each["roll"]) for each in rolled
    )
    page = run(capsys, *words, "--format", "html").out
    shown = [each for each in rolled if each["decision"] not in ("take", "pass")]  # of those, only the best
    assert page.count("rollout of 3 plies, 36 trials") == len(shown)
    assert f"\N{NO-BREAK SPACE}±{1.96 * double['no_double_se']:.3f}" in page


def test_it_says_what_it_reads_and_writes_and_that_the_analysis_of_a_file_is_not_used(file, capsys, tmp_path):
    analysed = tmp_path / "analysed.sgf"
    run(capsys, file, "--plies", "0", "--format", "sgf", "--output", analysed)
    output = tmp_path / "report.html"
    lines = run(capsys, analysed, "--plies", "0", "--format", "html", "--output", output).err.splitlines()
    assert lines[0] == f"gammond analyse: reads {analysed}"
    assert f"gammond analyse: {analysed}: the file's own analysis is not used" in lines
    assert lines[-1] == f"gammond analyse: wrote {output}"
    said = run(capsys, file, "--plies", "0").err
    assert "not used" not in said
    assert "wrote" not in said
