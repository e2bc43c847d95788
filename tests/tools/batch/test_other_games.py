"""`gammond batch --variant barca`: positions of Barca, each answered as the wire answers a query about it."""

import csv
import io
import json

import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move
from gammond.engine.barca.search import SearchLimits, search
from gammond.engine.runtime.threads import Workers
from gammond.protocol.games import GAMES
from gammond.tools import cli
from gammond.tools.batch.evaluation import MOVES
from gammond.tools.batch.lines import PositionLine
from gammond.tools.batch.other_games import GameAnalysis
from tests.protocol import noughts

SCARED_MOUSE = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"
LINES = f"startpos\n{SCARED_MOUSE}  # a scared mouse\n\nnonsense\nstartpos moves e2-e5\n"


@pytest.fixture
def run(tmp_path, capsys):
    """Return a function that runs the command on a text and gives its status, rows and messages."""

    def run(*options, text=LINES):
        path = tmp_path / "positions.txt"
        path.write_text(text)
        status = cli.main(["batch", str(path), "--variant", "barca", *options])
        said = capsys.readouterr()
        return status, list(csv.DictReader(io.StringIO(said.out))), said

    return run


def test_each_position_has_its_evaluation_and_a_bad_line_its_error(run):
    status, rows, said = run()
    assert status == 1
    assert [row["score"] for row in rows] == ["0", "-21", "", "-3"]
    assert rows[1]["id"] == SCARED_MOUSE
    assert rows[2]["error"].startswith("format: expected ten ranks and the side to move")
    assert "line 4" in said.err
    assert "3 positions by barca at 0-ply" in said.err


def test_the_best_moves_are_those_of_a_search(run):
    _, rows, _ = run("--want", "eval,moves", "--plies", "2", text="startpos\n")
    best, second = search(BarcaGame.start(), SearchLimits(2, multipv=2)).lines
    assert rows[0]["best"] == format_move(best.move)
    assert (rows[0]["best_score"], rows[0]["second_score"]) == (str(best.score), str(second.score))
    assert (rows[0]["score"], rows[0]["plies"]) == (str(best.score), "2")


def test_a_table_keeps_its_columns_and_is_written_as_json_lines(run):
    options = ("--want", "moves", "--format", "jsonl", "--weights", "learned", "--threads", "2")
    status, _, said = run(*options, text="no,position\n7,startpos\n8,x\n")
    first, bad = map(json.loads, said.out.splitlines())
    assert status == 1
    assert (first["no"], first["position"], first["plies"]) == ("7", "startpos", 1)
    assert "-" in first["best"]
    assert set(bad) == {"no", "position", "error"}


def test_moves_that_a_game_does_not_score_have_no_score(monkeypatch):
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)
    analysis = GameAnalysis("noughts", (MOVES,), 1, None, Workers(1))
    columns, errors, _ = analysis.answer_lines([PositionLine(1, "12", ())])
    assert (columns["best"], columns["best_score"], errors) == (["3"], [None], {})
