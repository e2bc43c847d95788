from __future__ import annotations

import json
import random
import tracemalloc

import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move
from gammond.engine.barca.position import START_TEXT
from gammond.protocol.barca import game_commands
from gammond.protocol.barca.commands import BARCA, BARCA_SETTINGS
from gammond.protocol.barca.game_commands import MAX_GAME_MOVES
from gammond.protocol.commands.command import Command
from gammond.protocol.core.limits import ClientLimits
from tests.protocol.talking import hear, make_connection, pump, talk

START = f'position="{START_TEXT}" turn=white'

BEFORE_THE_WIN = "f2-f4 e9-e5 g2-h3 f9-e9 h3-d7 g9-f8 d2-e3 d9-c10 e3-d4 e5-f5"
"""After it White wins with the mouse to g4."""


def connect(*lines):
    connection = make_connection()
    for line in ("set game.variant barca", *lines):
        answer = talk(line, connection)
        assert not answer[-1].startswith("error"), answer
    return connection


def test_a_game_goes_on_to_its_end_and_back():
    connection = connect("set engine.level easy", "newgame")
    played = []
    while True:
        move = talk("go", connection)[-1].split()[1]
        (done,) = talk(f"play {move}", connection)
        played.append(move)
        if "result=" in done:
            break
    over = ["error bad_state position: the game is over: send 'newgame', 'undo' or 'position' first"]
    for line in ("go", "legal", "moves", "eval", "play e2-e5"):
        assert talk(line, connection) == over
    (end,) = talk(f"position startpos moves {' '.join(played)}", connection)
    assert end == done.replace(f"ok play play={played[-1]}", "ok position")
    for _ in ("position", *played):
        (undone,) = talk("undo", connection)
        assert undone.startswith("ok undo position=")
    assert undone == f"ok undo {START}"
    assert talk("redo", connection)[0].startswith("ok redo position=")


def test_repetition_counts_the_moves_of_a_position():
    back_and_forth = ("e2-e3 e9-e8 e3-e2 e8-e9 " * 2).strip()
    connection = connect()
    assert talk(f"position startpos moves {back_and_forth}", connection) == [
        f"ok position {START} result=repetition"
    ]
    before = back_and_forth.rpartition(" ")[0]
    assert talk(f"position startpos moves {before}", connection)[0].endswith("turn=black")
    assert talk("play e8-e9", connection) == [f"ok play play=e8-e9 {START} result=repetition"]


def test_a_game_has_at_most_so_many_moves(monkeypatch):
    monkeypatch.setattr(game_commands, "MAX_GAME_MOVES", 3)
    connection = connect("position startpos moves e2-e3 e9-e8")
    (error,) = talk("position startpos moves e2-e3 e9-e8 e3-e2 e8-e9", connection)
    assert error.startswith("error limit text: expected a game of at most 3 moves, got 4: go on from a later")
    assert talk("play e3-e2", connection)[0].startswith("ok play")
    assert talk("play e8-e9", connection)[0].startswith("error limit play: expected a game of at most 3")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("play nonsense", "bad_value play: expected the squares that an animal leaves and goes to, as in"),
        ("position", "bad_command text: expected 'position startpos|RANKS SIDE [moves MOVE ...]', got"),
        ("position 4ee4 w", "bad_value text: expected 10 ranks between slashes, got 1 in '4ee4'"),
        ("position startpos moves e2-e5 e2-e3", "bad_value text: move 2, 'e2-e3': there is no animal on e2"),
        ("legal e5", "bad_value square: expected a square with an animal, got e5"),
        ("legal k1", "bad_value square: expected a square from a1 to j10, got 'k1'"),
        ("go plies 3", "bad_command limits: expected depth|movetime|nodes, each followed by its value"),
        ("moves 21", "bad_value n: expected a whole number 1..20 for n, got '21'"),
        ("go depth 0", "bad_value depth: expected a whole number 1.."),
        (
            "set engine.weights heavy",
            "bad_value engine.weights: expected hand or learned, or 12 integers as",
        ),
        ("set engine.player strong", "bad_value engine.player: expected one of"),
        ("get game.cube", "unsupported key: 'game.cube' is a key of backgammon"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(line, error):
    connection = connect("newgame")
    (answer,) = talk(line, connection)
    assert answer.startswith(f"error {error}")
    assert talk("undo", connection) == ["ok undo"]


def test_moves_are_ranked_and_eval_is_the_first_of_them():
    connection = connect("newgame")
    *lines, final = [line for line in talk("moves 3 depth=3", connection) if not line.startswith("info")]
    assert [line.split()[1] for line in lines] == ["rank=1", "rank=2", "rank=3"]
    assert final.startswith("moves count=38 shown=3 depth=3 nodes=")
    scores = [int(line.partition("score=")[2].split()[0]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    *_, found = talk("eval depth=3", connection)
    assert f"score={scores[0]} " in found
    assert talk("eval", connection)[0].startswith("eval score=0 watering_holes=0 ")


def test_the_heuristics_of_eval_add_up_to_the_score():
    connection = connect("position startpos moves g2-h3 d9-c8 h3-d7")
    (line,) = talk("eval", connection)
    values = {key: int(value) for key, _, value in (word.partition("=") for word in line.split()[1:-2])}
    score = values.pop("score")
    assert score == sum(values.values()) != 0
    assert values["watering_holes"] < 0  # Black is to move, White holds a hole


def test_the_level_and_the_seed_decide_the_move():
    def choose(seed):
        return talk("go", connect("newgame", "set engine.level easy", f"set engine.seed {seed}"))[-1]

    first = choose(1)
    assert choose(1) == first
    assert any(choose(seed) != first for seed in range(2, 14))


def test_a_level_that_chooses_is_no_stronger_with_more_time():
    connection = connect("newgame", "set engine.level easy")
    info, best = talk("go movetime 500", connection)
    assert info.startswith("info depth 1 ")
    assert info.split(" pv ")[1].split()[0] == best.split()[1]


def test_other_players_choose_the_move():
    connection = connect("newgame", "set engine.player random:seed=3")
    assert talk("go", connection) == talk("go", connection)
    assert talk("go", connection)[0].startswith("bestmove ")
    talk("set engine.player human", connection)
    assert talk("go", connection) == [
        "error bad_state player: engine.player is human: send the player's move with 'play'"
    ]


def test_long_searches_stop_with_the_best_so_far():
    connection = connect("newgame")
    for line in ("go depth 30", "moves 3 depth=30", "eval depth=30", "go nodes 1000000000"):
        hear(connection, line.encode() + b"\n")
        *_, final = pump(connection, stops_long=True)
        assert final.startswith(("bestmove", "moves", "eval")), final
        assert final.startswith("bestmove") or final.endswith("stopped=true")


def test_settings_are_those_of_this_game_and_of_this_client_alone():
    first, second = connect("set engine.level easy"), connect()
    assert talk("get engine.level", first) == ["value engine.level easy"]
    assert talk("get engine.level", second) == ["value engine.level hard"]
    talk("set game.variant backgammon", first)
    assert talk("get engine.level", first) == ["value engine.level expert"]
    assert talk("setoption name Variant value barca", first) == ["ok setoption game.variant=barca"]
    assert talk("get engine.level", first) == ["value engine.level easy"]
    assert [line.split()[1] for line in talk("keys", first)[:-1]] == list(BARCA_SETTINGS)


def test_isready_asks_for_everything_once_and_leaves_the_table_alone(monkeypatch):
    connection, asked, answer = connect("newgame", "play e2-e5"), [], Command.answer
    monkeypatch.setattr(Command, "answer", lambda row, *call: asked.append(row.name) or answer(row, *call))
    assert talk("isready", connection)[-1] == "readyok"
    assert asked == ["isready", *(line.split()[0] for line in BARCA.ready_lines)]
    assert talk("undo", connection) == [f"ok undo {START}"]


def test_the_description_is_of_barca():
    (line,) = talk("describe", connect("set engine.level medium"))
    described = json.loads(line)
    assert (described["game"], described["level"]) == ("barca", "medium")
    assert [level["name"] for level in described["levels"]] == ["easy", "medium", "hard"]


@pytest.mark.slow
def test_a_thousand_undo_steps_of_the_longest_games_take_less_than_25_megabytes():
    """Each step has a game of its own here, as one position line after another makes them.

    The least growth of three counts: threads of other tests may still be loading kernels.
    """
    game, draw = BarcaGame.start(), random.Random(4)
    while len(game.moves) < 200:
        after = game.play(draw.choice(game.legal_moves()))
        game = after if after.result is None else game
    line = f"position startpos moves {' '.join(map(format_move, game.moves))}"
    connection = connect(line)
    steps = "\n".join([line] * 12)
    talk(steps, connection)
    grown = []
    tracemalloc.start()
    try:
        for _ in range(3):
            before, _ = tracemalloc.get_traced_memory()
            talk(steps, connection)
            after, _ = tracemalloc.get_traced_memory()
            grown.append(after - before)
    finally:
        tracemalloc.stop()
    bytes_a_move = min(grown) / 12 / 200
    assert bytes_a_move * MAX_GAME_MOVES * ClientLimits().undo_steps < 25e6


def test_a_level_of_the_other_game_is_refused_with_its_name_each_way():
    for line in ("set engine.level easy", "setoption name engine.level value Easy"):
        (answer,) = talk(line, make_connection())
        assert answer.endswith(", a value of barca: 'set game.variant barca' goes over to it")
    for line in ("set engine.level expert", "setoption name engine.level value expert"):
        (answer,) = talk(line, connect())
        assert answer.endswith(", a value of backgammon: 'set game.variant backgammon' goes over to it")
    for connection in (make_connection(), connect()):
        (answer,) = talk("set engine.level tough", connection)
        assert answer.endswith("for engine.level, got 'tough'")
