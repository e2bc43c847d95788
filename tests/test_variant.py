"""A made-up variant of the rules, played through every floor: one row is all that a variant needs."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.play.cube_games import play_match
from gammond.engine.play.decider import Decider, SearchPlayer
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, Player, RandomPlayer
from gammond.engine.rules import rules as rules_module
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import (
    ALL_FEATURES,
    BACKGAMMON,
    STANDARD_RULES,
    Doubles,
    Feature,
    Rules,
    Variant,
)
from gammond.nets.catalogue import load_engine, load_player
from gammond.tools import cli
from gammond.tools.tournament.records import LockstepLog
from tests.engine.match_files.played_games import strip_game
from tests.protocol.repl.tables import make_talk
from tests.protocol.talking import make_connection, talk

FARBACK = Variant("farback", ((24, 4), (13, 4), (8, 3), (6, 4)))
RULES = Rules(FARBACK)
START = Position.start(FARBACK.start_points)
START_ID = encode_position_id(START)

BARE = Variant("bare", FARBACK.start_points, features=frozenset({Feature.EVALUATION}))
"""A variant of which the program knows little."""

LOCKED = Variant("locked", FARBACK.start_points, features=frozenset())
"""A variant of which it knows nothing but the plays."""


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    for variant in (FARBACK, BARE):
        monkeypatch.setitem(rules_module._VARIANTS, variant.name, variant)


class Turns:
    """Keeps the first turn of every game."""

    def __init__(self):
        self.first = {}

    def add(self, games, seat, dice, after):
        for game, roll, board in zip(games.tolist(), dice, after, strict=True):
            self.first.setdefault(game, (roll, board))


def check_openings(first_turns):
    """Check that each game begins with a play of the variant's starting position."""
    for roll, board in first_turns:
        children, _, _ = expand_rolls(START.board[None], np.array(roll)[None])
        assert (children == board).all(axis=(1, 2)).any()


def dice(number):
    def roll(turn):
        die, other = draw_paired_dice(5, np.array([number]), np.array([turn]))[0].tolist()
        return die, other

    return roll


def in_variant(*lines, variant=FARBACK.name):
    """Return the answers to the last of some lines, in a session of the variant."""
    connection, answer = make_connection(load_engine("fast").evaluator), []
    for line in (f"set game.variant {variant}", *lines):
        answer = talk(line, connection)
    return answer


def test_the_rules_are_one_value():
    assert RULES.starting_position == START != STANDARD_RULES.starting_position
    assert (RULES.name, RULES.variant.checkers) == ("farback", 15)
    assert RULES.doubles is STANDARD_RULES.doubles
    for feature in Feature:
        RULES.check_supports(feature)


@pytest.mark.parametrize("feature", Feature)
@pytest.mark.parametrize(
    ("rules", "field", "advice"),
    [
        (Rules(LOCKED), "variant", "locked: set variant to backgammon"),
        (Rules(FARBACK, Doubles.TWO), "doubles", "farback with doubles as two moves: set doubles to four"),
    ],
)  # fmt: skip
def test_the_message_names_the_field_that_stands_in_the_way(feature, rules, field, advice):
    assert not rules.supports(feature)
    with pytest.raises(UnsupportedError) as caught:
        rules.check_supports(feature)
    assert (caught.value.message, caught.value.field) == (f"{feature} is not supported in {advice}", field)


def test_a_variant_supports_what_its_row_says():
    assert [each for each in Feature if Rules(BARE).supports(each)] == [Feature.EVALUATION]
    assert BACKGAMMON.features == ALL_FEATURES
    with pytest.raises(ValueRangeError, match="many: expected 1 to 15 checkers a side, got 16"):
        Variant("many", ((24, 16),))


@pytest.mark.parametrize("line", ["newgame", "position startpos"])
def test_games_of_a_session_begin_at_the_start_of_the_variant(line):
    assert f"gnubgid={START_ID} " in in_variant(line)[0]


@pytest.mark.parametrize(
    ("lines", "ending"),
    [
        (["eval plies=1"], r"eval .* plies=1 "),
        (["cube"], r"cube "),
        (["dice 3 1", "moves plies=1"], r"moves count=\d+ .* plies=1 "),
        (["dice 6 6", "play 24/18(4)"], r"ok play "),
        (["dice 3 1", "go chequer"], r"go |best"),
        (["rollout trials=36 truncate=2"], r"rollout "),
        (["set engine.player default:plies=1", "dice 3 1", "go chequer"], r"go |best"),
        (["isready"], r"readyok"),
    ],
)
def test_a_session_supports_everything_where_only_the_start_differs(lines, ending):
    answer = in_variant("newgame", *lines)
    assert re.match(ending, answer[-1]), answer


@pytest.mark.parametrize(
    "line",
    [
        "cube",
        "matrix",
        "resign",
        "rollout trials=36 cubeful=true",
        "go cube",
        "play double",
        "eval plies=1",
        "eval cubeful=true",
    ],
)
def test_a_session_refuses_what_the_variant_lacks_by_its_setting(line):
    assert in_variant("newgame", "eval", variant="bare")[-1].startswith("eval ")
    (refused,) = in_variant("newgame", "dice 3 1", "play 8/5 6/5", line, variant="bare")
    assert refused.startswith("error unsupported game.variant: ")


@pytest.mark.parametrize("name", ["pubeval", "random", "fast", "fast:plies=1,filter=tiny"])
def test_players_of_all_kinds_play_games_in_lockstep(name):
    player, games = load_player(name), 4
    log = Turns()
    points = play_games(player, RandomPlayer(1), games, seed=2, rules=RULES, log=log).kinds
    assert len(points) == len(log.first) == games
    check_openings(log.first.values())


def test_games_in_lockstep_ask_the_rules_about_players():
    deep = SearchPlayer("deep", Decider(load_engine("fast")))
    for rules, field in ((Rules(BARE), "variant"), (Rules(FARBACK, Doubles.TWO), "doubles")):
        with pytest.raises(UnsupportedError, match="deep, which looks ahead or errs, is not sup") as caught:
            play_games(deep, RandomPlayer(1), 2, rules=rules)
        assert caught.value.field == field
        assert play_games(RandomPlayer(1), RandomPlayer(2), 2, rules=rules).games == 2


def test_a_match_with_the_cube_is_played_written_and_read():
    decider = Decider(load_engine("fast"))
    games = play_match((decider, decider), 3, lambda number: number % 2, dice, rules=RULES)
    check_openings((game.actions[0].roll, game.actions[0].play.result.board) for game in games)
    text = format_mat(("one", "two"), games)
    assert '; [Variation "Farback"]' in text
    (match,) = parse_mat(text)
    assert match.issues == ()
    assert [strip_game(game) for game in match.games] == games
    assert {game.rules for game in match.games} == {RULES}


def test_the_cube_asks_the_rules():
    decider = Decider(load_engine("fast"))
    with pytest.raises(UnsupportedError, match="the cube is not supported in bare"):
        play_match((decider, decider), 3, lambda number: number % 2, dice, rules=Rules(BARE))


def test_an_unknown_variation_of_a_file_is_an_issue():
    game = " 5 point match\n\n Game 1\n left : 0    right : 0\n  1) 31: 8/5 6/5    62: 24/18 13/11\n"
    (match,) = parse_mat('; [Variation "Sideways"]\n' + game)
    (issue,) = (issue for issue in match.issues if "Variation" in issue.message)
    assert issue.message.startswith(
        "expected a Variation of backgammon, nackgammon, longgammon, hypergammon, hypergammon2, "
        "hypergammon1, farback, bare, got 'Sideways'"
    )
    assert len(match.games[0].actions) == 2


def test_games_in_lockstep_are_recorded_from_the_start_of_the_variant():
    log = LockstepLog(4, RULES)
    players: list[Player] = [EvaluatorPlayer(load_engine("fast").evaluator), RandomPlayer(3)]
    points = play_games(players[0], players[1], 4, 3, rules=RULES, may_be_endless=True, log=log)
    text = format_mat(("one", "two"), log.make_records(points))
    (match,) = parse_mat(text)
    assert match.issues == ()
    assert len(match.games) == 4


def test_a_tournament_takes_the_variant_and_keeps_it_apart(tmp_path, capsys):
    games = ["tournament", "random", "fast:plies=1,filter=tiny", "--games", "4", "--threads", "1"]
    keep = ["--keep", str(tmp_path / "games.keep")]
    records = ["--records", str(tmp_path / "records")]
    assert cli.main([*games, *keep, *records, "--variant", "farback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["variant"] == "farback"
    (file,) = (tmp_path / "records").iterdir()
    (match,) = parse_mat(file.read_text())
    assert match.issues == ()
    assert {game.rules for game in match.games} == {RULES}
    assert cli.main([*games, *keep, "--variant", "farback"]) == 0
    assert "paired games of farback" in capsys.readouterr().out
    assert cli.main([*games, *keep]) != 0
    assert "with variant farback, this one has backgammon" in capsys.readouterr().err
    assert cli.main([*games, "--cubeful", "--variant", "bare"]) != 0
    assert "set variant to backgammon" in capsys.readouterr().err


def test_games_of_several_processes_follow_the_variant(tmp_path):
    games = ["tournament", "random", "pubeval", "--games", "40", "--variant", "farback", "--json"]
    for threads in ("1", "2"):
        assert cli.main([*games, "--threads", threads, "--records", str(tmp_path / threads)]) == 0
    one, two = ((tmp_path / threads) for threads in ("1", "2"))
    assert [file.read_text() for file in one.iterdir()] == [file.read_text() for file in two.iterdir()]


def test_the_terminal_saves_games_of_the_variant(tmp_path):
    talk = make_talk(
        "set game.variant farback", "play against human", "8/5 6/5", "resign", "accept",
        rolls=((3, 1), (5, 2)),
    )  # fmt: skip
    file = tmp_path / "games.mat"
    assert talk.answer(f"save {file}") == [f"Saved 1 game to {file}."]
    (match,) = parse_mat(file.read_text())
    assert match.issues == ()
    assert match.games[0].rules == RULES


def test_training_asks_the_rules():
    from gammond.tools.train.td.self_play import SelfPlay, TdSettings

    assert SelfPlay(TdSettings(variant="farback")).settings.rules == RULES
    with pytest.raises(UnsupportedError, match="training is not supported in bare"):
        SelfPlay(TdSettings(variant="bare"))


@pytest.mark.slow
def test_tournaments_of_hypergammon_are_played_with_and_without_the_cube(tmp_path, capsys):
    games = ["tournament", "fast", "random", "--games", "20", "--threads", "1", "--variant", "hypergammon1"]
    for more in ([], ["--match", "3", "--cube-by", "fast"]):
        records = tmp_path / str(len(more))
        assert cli.main([*games, *more, "--json", "--records", str(records)]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["variant"] == "hypergammon1"
        for file in records.iterdir():
            for match in parse_mat(file.read_text()):
                assert match.issues == ()
                assert match.rules.rules.variant.name == "hypergammon1"
    assert cli.main(["tournament", "fast", "pubeval", "--games", "4", "--variant", "hypergammon1"]) != 0
    assert "pubeval knows positions with 15 checkers a side" in capsys.readouterr().err
