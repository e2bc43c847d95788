"""``gammond tournament --variant barca``."""

import json

from gammond.tools import cli

NAMES = "search:depth=2", "search:depth=1"


def play(*arguments, status=0):
    assert cli.main(["tournament", "--variant", "barca", "--threads", "1", *arguments]) == status


def test_the_report_has_draws_and_the_length_of_games(capsys):
    play(*NAMES, "--games", "20")
    out = capsys.readouterr().out
    assert "seed 1, 20 paired games of Barca" in out
    assert "4 random moves begin both games of a pair" in out
    assert "gammons" not in out
    assert " moves a game" in out
    assert "draws " in out


def test_json_has_a_row_for_each_pair_with_its_draws(capsys):
    play(*NAMES, "random", "--games", "8", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["variant"] == "barca"
    assert len(report["pairs"]) == 3
    for pair in report["pairs"]:
        lengths = pair["lengths"]
        assert pair["first_wins"]["wins"] + pair["second_wins"]["wins"] + lengths["draws"] == 8
        assert 4 < lengths["moves"]["mean"] <= 400
    strong = next(pair for pair in report["pairs"] if "random" in pair.values())
    assert strong["score"]["mean"] == 1.0


def test_csv_has_columns_for_draws_and_moves(tmp_path):
    play(*NAMES, "--games", "4", "--csv", str(tmp_path / "t.csv"))
    header, row = (tmp_path / "t.csv").read_text().splitlines()
    assert header.endswith(",draws,moves,moves_error")
    assert len(header.split(",")) == len(row.split(","))


def test_a_tournament_goes_on_from_its_file(tmp_path, capsys):
    kept = str(tmp_path / "keep")
    play(*NAMES, "--games", "16", "--json", "--keep", kept)
    play(*NAMES, "--games", "32", "--json", "--keep", kept)
    play(*NAMES, "--games", "32", "--json")
    *_, resumed, whole = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert resumed["pairs"] == whole["pairs"]
