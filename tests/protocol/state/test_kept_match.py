"""A match that the session keeps: opening rolls, points, the Crawford game, the record."""

from __future__ import annotations

import random

import pytest

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.rules.match import MAX_MATCH_LENGTH
from gammond.protocol.state import game_log
from tests.protocol.talking import make_connection, talk
from tests.support.replies import read_values

KEEP = "set game.keep true\nset game.length 3\nnewgame"


def play_random_match(connection, chance):
    """Play a match by any legal plays, now and then with the cube; return the last answers of its games."""
    ends = []
    while not ends or "match_winner" not in ends[-1]:
        talk("newgame", connection)
        said = read_values(talk("roll", connection)[-1])
        assert said["seat"] == ("p0" if said["die1"] > said["die2"] else "p1")
        while True:
            plays = [read_values(line) for line in talk("legal", connection)[:-1]]
            done = read_values(talk(f"play {chance.choice(plays)['play']}", connection)[-1])
            if "winner" not in done and chance.random() < 0.05:
                answer = talk("play double", connection)[-1]
                if answer.startswith("ok"):
                    done = read_values(talk(f"play {chance.choice(['take', 'drop'])}", connection)[-1])
            if "winner" in done:
                ends.append(done)
                break
            talk("roll", connection)
    return ends


def read_record(connection, request="save"):
    """The match that a reader finds in the record."""
    *lines, final = talk(request, connection)
    assert all(line.startswith("mat") for line in lines)
    text = "\n".join(line.removeprefix("mat").removeprefix(" ") for line in lines)
    (match,) = parse_mat(text + "\n")
    assert match.issues == ()
    assert final == f"ok save games={len(match.games)}"
    return match


def test_a_match_keeps_itself_and_its_record_says_the_same():
    connection, chance = make_connection(), random.Random(0)
    talk("set game.keep true\nset game.length 4", connection)
    ends = play_random_match(connection, chance)
    score, was_near = {"p0": 0, "p1": 0}, False
    for end in ends:
        score[end["winner"]] += int(end["points"])
        assert (int(end["score_p0"]), int(end["score_p1"])) == (score["p0"], score["p1"])
        is_near = max(score.values()) == 3
        assert end["crawford"] == ("true" if is_near and not was_near else "false")
        was_near = was_near or is_near
        assert ("match_winner" in end) == (max(score.values()) >= 4)
    match = read_record(connection, 'save p0=Anna p1="The engine"')
    assert (match.names, match.length) == (("Anna", "The engine"), 4)
    assert [(game.result.winner, game.result.points) for game in match.games] == [
        (int(end["winner"][1]), int(end["points"])) for end in ends
    ]
    assert talk("get game.score_p0", connection) == [f"value game.score_p0 {score['p0']}"]


def test_a_won_match_is_followed_by_another_and_its_record_stays_until_that_has_a_game():
    connection = make_connection()
    talk("set game.keep true\nset game.length 1\nnewgame\ndice 3 1\nplay 8/5 6/5", connection)
    end = read_values(talk("play resign single\nplay accept", connection)[-1])
    assert end["match_winner"] == "p0"
    assert talk("roll", connection)[-1].startswith("error bad_state position: the game is over")
    assert len(read_record(connection).games) == 1
    before = talk("save", connection)
    talk("newgame", connection)
    assert talk("get game.score_p0\nget game.length", connection) == [
        "value game.score_p0 0",
        "value game.length 1",
    ]
    assert talk("save\nnewgame\nsave", connection)[-len(before) :] == before
    talk("dice 1 4\nplay 24/23 13/9\nplay resign gammon\nplay accept", connection)
    (game,) = read_record(connection).games
    assert (game.result.winner, game.result.points) == (1, 2)


def test_lines_say_who_is_to_act():
    connection = make_connection()
    assert "to_act" not in talk(KEEP, connection)[-1]
    talk("dice 3 1", connection)
    for line, seat in (
        ("play 8/5 6/5", "p1"),
        ("play double", "p0"),
        ("play take", "p1"),
        ("undo", "p0"),
        ("redo", "p1"),
        ("play resign single", "p0"),
    ):
        assert read_values(talk(line, connection)[-1])["to_act"] == seat
    assert "to_act" not in talk("play accept", connection)[-1]
    assert "to_act" not in talk("newgame")[-1]


def test_another_session_follows_a_won_match():
    connection = make_connection()
    talk("set game.keep true\nset game.length 1\nnewgame\ndice 3 1\nplay 8/5 6/5", connection)
    talk("play resign single\nplay accept\nnewsession type match length 7", connection)
    assert talk("get game.score_p0", connection) == ["value game.score_p0 0"]
    talk("newgame", connection)
    assert talk("get game.length", connection) == ["value game.length 7"]


def test_undo_takes_back_the_end_of_a_game_with_its_points_and_record_and_redo_restores_them():
    connection = make_connection()
    talk(f"{KEEP}\ndice 3 1\nplay 8/5 6/5\nplay resign single\nplay accept\nnewgame", connection)
    before = talk("save\nget game.score_p0", connection)
    talk("undo\nundo", connection)
    assert talk("get game.score_p0", connection) == ["value game.score_p0 0"]
    assert not any("Wins" in line for line in talk("save", connection))
    talk("redo\nredo", connection)
    assert talk("save\nget game.score_p0", connection) == before
    talk("undo\nundo\nundo\nplay double\nplay drop", connection)
    (game,) = read_record(connection).games
    assert (game.result.winner, len(game.actions)) == (1, 3)


def test_a_score_that_would_be_too_high_changes_nothing():
    connection = make_connection()
    talk(f"{KEEP}\nset game.length 0\nset game.score_p0 {MAX_MATCH_LENGTH}\nnewgame\ndice 3 1", connection)
    talk("play 8/5 6/5\nplay resign single", connection)
    assert talk("play accept", connection)[-1].startswith("error bad_value ")
    assert talk("play reject", connection)[-1].startswith("ok play play=reject ")


def test_long_records_lose_their_oldest_games(monkeypatch):
    monkeypatch.setattr(game_log, "MAX_ACTIONS", 4)
    connection = make_connection()
    talk("set game.keep true\nset game.length 0", connection)
    for _ in range(6):
        talk("newgame\ndice 3 1\nplay 8/5 6/5\nplay resign single\nplay accept", connection)
    assert len(read_record(connection).games) == 1


GAME = "dice 3 1\nplay 8/5 6/5\nplay resign single\nplay accept"
OPENING_FIRST = "error bad_state dice: the opening roll comes first: send 'roll' or 'dice A B'"


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (f"{KEEP}\ndice 3 1", ["ok dice die1=3 die2=1 seat=p0"]),
        (f"{KEEP}\ndice 2 5\nget game.turn", ["ok dice die1=2 die2=5 seat=p1", "value game.turn p1"]),
        (f"{KEEP}\ndice 4 4", ["error bad_value dice: expected two different dice"]),
        (f"{KEEP}\nset game.turn p1\ndice 4 2", ["ok dice die1=4 die2=2"]),
        (f"{KEEP}\nplay double", [OPENING_FIRST]),
        (f"{KEEP}\nplay resign single", [OPENING_FIRST]),
        (f"{KEEP}\ndice 3 1\ndice 3 3", ["error bad_value dice: expected two different dice"]),
        (f"{KEEP}\ndice 3 1\ndice 2 4", ["ok dice die1=2 die2=4 seat=p1"]),
        (f"{KEEP}\nroll\ndice 5 2", ["ok dice die1=5 die2=2 seat=p0"]),
        (f"{KEEP}\ndice 2 5\nplay 13/8 13/11\ndice 3 3\ndice 1 1", ["ok dice die1=1 die2=1"]),
        (
            f"{KEEP}\ndice 3 1\nposition startpos\nplay resign single\nplay accept\nsave",
            ["error bad_state save"],
        ),
        (f"set game.length 3\nnewgame\n{GAME}\nsave", ["error bad_state save: no game to save"]),
        (f"set game.length 3\nnewgame\n{GAME}\nget game.score_p0", ["value game.score_p0 0"]),
        *(
            (f"{KEEP}\n{GAME}\nsave {name}", [f"error bad_value {name[:2]}: expected a name"])
            for name in ('p0=""', "p0=a:b", 'p1="a;b"')
        ),
    ],
)
def test_the_opening_roll_decides_who_begins_and_a_record_is_of_games_that_began_so(lines, answers):
    said = talk(lines)[-len(answers) :]
    assert [line.startswith(answer) for line, answer in zip(said, answers, strict=True)] == [True] * len(
        answers
    )
    assert not answers[-1].startswith("ok") or said == answers


def test_no_score_is_told_where_none_is_kept():
    assert "score_p0" not in talk(f"set game.length 3\nnewgame\n{GAME}")[-1]
