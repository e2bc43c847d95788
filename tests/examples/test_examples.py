"""The programs under examples/ run, and stay short."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import parse_move
from gammond.engine.match_files.mat.reader import parse_mat

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(name, *arguments):
    command = [sys.executable, str(ROOT / "examples" / name), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_is_under_sixty_lines(file):
    assert len(file.read_text().splitlines()) < 60


def test_a_game_is_played_over_stdin():
    ran = run("play_over_stdin.py")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1].startswith("ok play")
    assert "winner=" in ran.stdout


def test_a_game_of_barca_is_played():
    ran = run("play_barca.py")
    assert ran.returncode == 0, ran.stderr
    *moves, result = ran.stdout.splitlines()
    assert re.fullmatch(r"(white|black) wins, by holes|nobody wins, by (repetition|no_move)", result)
    game = BarcaGame.start()
    for line in moves:
        game = game.play(parse_move(line.split()[-1]))
    assert game.result is not None
    assert game.result.reason == result.split()[-1]


def test_a_match_is_played_with_hints_and_its_record_is_one():
    ran = run("play_match.py")
    assert ran.returncode == 0, ran.stderr
    (match,) = parse_mat(ran.stdout)
    assert (match.names, match.length, match.issues) == (("Guest", "gammond"), 5, ())
    points = [
        sum(game.result.points for game in match.games if game.result.winner == seat) for seat in (0, 1)
    ]
    assert max(points) >= 5 > min(points)


def test_a_file_is_evaluated_and_a_bad_line_is_named(tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text("4HPwATDgc/ABMA\nnonsense\nXGID=-B---bC-B---cEa-Aca-b--bA-:1:1:-1:00:1:2:0:5:10\n")
    ran = run("evaluate_file.py", file)
    assert ran.returncode == 1
    assert [line.split()[0] for line in ran.stdout.splitlines()] == [
        "position",
        "4HPwATDgc/ABMA",
        "gzP4CBBjOnLAAA",
    ]
    assert f"{file}:2: " in ran.stderr


@pytest.mark.slow
def test_a_match_is_analysed_by_a_server(tmp_path):
    file = tmp_path / "match.mat"
    file.write_text(
        " 5 point match\n\n Game 1\n ann : 0    bob : 0\n  1) 31: 8/5 6/5    64: 24/14\n"
        "  2)  Doubles => 2    Drops\n      Wins 1 point\n"
    )
    ran = run("analyse_match.py", file, 0)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0] == "ann and bob: 5-point match, 1 game"
    assert lines[2].startswith("5 decisions at 0-ply in ")
    assert [line.split(":")[0] for line in lines[3:5]] == ["ann", "bob"]
    assert lines[5].startswith("game 1, move ")


def test_a_server_is_asked_over_http():
    pytest.importorskip("uvicorn")
    from tests.protocol.transports.web.serving import run as run_scenario
    from tests.protocol.transports.web.serving import running

    async def scenario():
        async with running() as server:
            address = server.url
            good = await asyncio.to_thread(run, "ask_http.py", address, "startpos", "31", "--plies", "1")
            bad = await asyncio.to_thread(run, "ask_http.py", address, "startpos", "37")
        return good, bad

    good, bad = run_scenario(scenario())
    assert good.returncode == 0, good.stderr
    cube, *plays = good.stdout.splitlines()
    assert re.fullmatch(r"No double, \w+: no double [+-][0-9.]{5}, best [+-][0-9.]{5}", cube)
    assert len(plays) == 3
    assert all(re.fullmatch(r"[+-][0-9.]{5}  [0-9]+/.*", line) for line in plays)
    assert bad.returncode == 1
    assert bad.stderr.startswith("dice: ")


def test_a_decision_is_analysed_with_a_rollout():
    ran = run("analyse_decision.py", "4HPwATDgc/ABMA", 3, 1, 6)
    assert ran.returncode == 0, ran.stderr
    assert "6 trials" in ran.stdout
    assert "8/5 6/5" in ran.stdout.split("Rolled out")[1].splitlines()[1]
