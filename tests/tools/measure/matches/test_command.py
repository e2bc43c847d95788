"""`gammond measure matches`: matches analysed here and by gnubg."""

import re

import pytest

from gammond.tools import cli, gnubg
from tests.engine.match_files.played_games import MAT_MATCH as MATCH


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "match.mat"
    path.write_text(MATCH)
    return str(path)


def test_without_gnubg_it_says_what_to_install(file, monkeypatch, capsys):
    monkeypatch.setattr(gnubg, "find_gnubg", lambda: None)
    assert cli.main(["measure", "matches", file]) == 2
    assert "apt-get install gnubg" in capsys.readouterr().err


def test_a_fault_of_gnubg_is_named(file, monkeypatch, capsys, tmp_path):
    program = tmp_path / "gnubg"
    program.write_text("#!/bin/sh\necho out of order\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(gnubg, "find_gnubg", lambda: str(program))
    assert cli.main(["measure", "matches", file, "--plies", "0", "--threads", "1"]) == 2
    assert "gnubg ended with status 3: 'out of order" in capsys.readouterr().err


RACE = """\
(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[Crawford]RE[W+1R]
;PL[W]AE[a:y]AW[a][a][b][b][c][f][f][f][h]AB[x][x][w][w][v][v][t][t][l][l]
;W[31fcfe];B[64lrlp];W[52fahf];B[21pqrt])
"""
"""The end of a game, of which a rollout takes a second."""


@pytest.mark.peer
def test_both_analyses_and_rollouts_are_reported(tmp_path, capsys):
    file = tmp_path / "race.sgf"
    file.write_text(RACE)
    words = ["--plies", "0", "--deepen", "1", "--gnubg-plies", "0", "--above", "0", "--trials", "36"]
    assert cli.main(["measure", "matches", str(file), *words, "--errors", "1", "--threads", "1"]) == 0
    out = capsys.readouterr().out
    assert re.match(r"gammond .*, net strong; GNU Backgammon ", out)
    by = re.findall(r"^race\.sgf  (g\w+, .-ply(?:, close ones 1-ply)?)  +[0-9]+ ", out, re.MULTILINE)
    assert by[:3] == ["gnubg, 0-ply", "gammond, 0-ply", "gammond, 0-ply, close ones 1-ply"]
    losses = r"  (0\.\d+) +(0\.\d+)  -?0\.\d+ ± 0\.0\d+  (?:ours|gnubg's|neither)$"
    differing = re.findall(losses, out, re.MULTILINE)
    assert len(differing) > 1
    assert all(ours != theirs for ours, theirs in differing)
    assert re.search(r"^race\.sgf +1 +2 +1 +no double  double, pass .* ± ", out, re.MULTILINE)
    assert re.search(
        rf"^1 match, [0-9]+ decisions; {len(differing)} of them differ by more", out, re.MULTILINE
    )
    assert re.search(r"^gnubg, 0-ply: [0-9.]+ s of processor time$", out, re.MULTILINE)
