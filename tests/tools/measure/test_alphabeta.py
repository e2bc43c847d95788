"""`gammond measure alphabeta`: what deepening and the table save, and that they change no value."""

import json

import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import apply_move, legal_moves
from gammond.engine.barca.position import START_TEXT, BarcaPosition
from gammond.tools import cli
from gammond.tools.measure import alphabeta
from tests.support.naive_barca import free_squares, is_frightened, read_board


def test_the_report_says_what_was_saved_and_that_values_are_the_same(capsys):
    assert cli.main(["measure", "alphabeta", "--positions", "4", "--plies", "4", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["positions"], report["depth"], report["seed"]) == (4, 4, 1)
    rows = {row["name"]: row for row in report["rows"]}
    assert [row["same_value"] for row in rows.values()] == [4] * 4
    assert rows["alpha-beta"]["share"] == 1.0
    assert rows["with a table"]["share"] < 0.95
    assert rows["depth by depth"]["share"] != 1.0
    assert 1.0 < report["changed_animals"] < 12.0


def list_reach_slowly(position):
    board = read_board(position)
    free = {square: free_squares(board, square) for square in board}
    return [
        (at, free[at], {each for each in {at, *free[at]} if is_frightened(board, each, piece)})
        for at, piece in board.items()
    ]


@pytest.mark.parametrize(
    "text",
    [
        START_TEXT,
        "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w",
        "10/3eelm3/10/l9/9m/5M4/10/10/4LL4/3ME1E3 b",
    ],
)
def test_the_animals_that_a_move_changes_are_those_of_the_slow_twin(text):
    position = BarcaPosition.from_text(text)
    before, moves = list_reach_slowly(position), legal_moves(position)
    afters = [list_reach_slowly(apply_move(position, move)) for move in moves]
    changed = sum(new != old for after in afters for new, old in zip(after, before, strict=True))
    game = BarcaGame.from_position(position)
    assert alphabeta.count_changed_animals([game]) == changed / len(moves)


def test_another_value_is_a_failure(capsys, monkeypatch):
    def break_value(game, limits, memory=None):
        found = search(game, limits, memory=memory)
        wrong = found.lines[0]._replace(score=found.score + limits.is_deepening)
        return type(found)((wrong,), found.depth, found.nodes, found.time_s)

    search = alphabeta.search
    monkeypatch.setattr(alphabeta, "search", break_value)
    assert cli.main(["measure", "alphabeta", "--positions", "2", "--plies", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "depth 2, seed 1: 2 positions" in lines[0]
    assert len(lines) == 7
