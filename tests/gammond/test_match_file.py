"""Matches of files in the public API."""

from __future__ import annotations

import threading

import pytest

import gammond
from engine.match_files.mat.writer import format_mat
from tests.engine.match_files.played_games import play_money_games, play_random_match

NAMES = "ann", "bob"
MONEY = b" 0 point match\n Game 1\n ann : 0    bob : 0\n"

SHORT = b"""
 5 point match

 Game 1
 ann : 0                        bob : 0
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2                Drops
      Wins 1 point
"""


@pytest.fixture(scope="module")
def games():
    return play_random_match()


def test_a_match_has_the_positions_and_states_before_each_action(games):
    match = gammond.read_match(format_mat(NAMES, games).encode())
    assert (match.names, match.length, match.format, match.issues) == (NAMES, 13, "mat", ())
    for game, played in zip(match.games, games, strict=True):
        assert (game.winner, game.points) == (played.result.winner, played.result.points)
        position = game.position
        for action in game.actions:
            assert action.position == position
            assert action.match.doubled is (action.kind in ("take", "pass"))
            if action.play is not None:
                assert action.play.text in {play.text for play in position.legal_plays(action.dice)}
                position = action.play.result
    assert {action.kind for game in match.games for action in game.actions} == {
        "play",
        "double",
        "take",
        "pass",
    }


def test_a_match_is_written_as_it_was_read(games):
    for played in (games, play_money_games()):
        text = format_mat(NAMES, played)
        match = gammond.read_match(text.encode())
        assert match.to_mat() == text
        assert gammond.read_match(match.to_sgf().encode()).games == match.games


def test_beavers_resignations_and_comments_have_words():
    match = gammond.read_match(
        MONEY
        + b"  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Beavers => 4                Raccoons => 8\n"
        b"; hello\n  3)                             64: ????\n      Wins 16 points\n"
    )
    (game,) = match.games
    assert [str(action) for action in game.actions] == [
        "3-1: 8/5 6/5", "double", "beaver", "raccoon", "6-4: not played", "resign gammon",
    ]  # fmt: skip
    assert game.actions[3].comment == "hello"
    assert game.actions[-1].is_accepted


def test_the_analysis_in_a_file_is_there():
    text = (
        b"(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[ann]PB[bob]"
        b";W[31hefe]A[0][hefe E ver 3 0.55 0.17 0.01 0.12 0.01 0.17 2C 0 1 0 1])"
    )
    (play,) = gammond.read_match(text).games[0].actions
    (analysed,) = play.analysed_plays
    assert (analysed.play, analysed.equity) == (play.play, 0.17)
    assert analysed.outcome.win == 0.55
    assert "2-ply" in analysed.depth


def test_several_matches_are_read_with_read_matches(games, tmp_path):
    file = tmp_path / "two.txt"
    file.write_text(2 * format_mat(NAMES, games))
    assert len(gammond.read_matches(file)) == 2
    with pytest.raises(gammond.FormatError, match="got 2: read them with read_matches"):
        gammond.read_match(file)


def test_faults_are_issues_or_strictly_errors(tmp_path):
    content = MONEY + b"  1) 31: 8/2\n"
    assert gammond.read_match(content).issues[0].startswith("line 4, game 1, move 1: illegal play")
    with pytest.raises(gammond.FormatError, match=r"x\.mat: line 4, game 1, move 1: illegal play"):
        gammond.read_match(content, name="x.mat", strict=True)
    with pytest.raises(gammond.DataFileError, match="No such file"):
        gammond.read_match(tmp_path / "none.mat")


@pytest.fixture(scope="module")
def engine():
    return gammond.Engine()


@pytest.fixture(scope="module")
def judged(engine):
    return engine.analyse(gammond.read_match(SHORT), plies=0)


def test_each_action_gets_its_judgement(judged):
    (game,) = judged.games
    opening, *_, last = game.actions
    assert opening.analysed_plays[0].depth == "0-ply"
    assert opening.luck is not None
    assert last.cube_equities is not None
    ranked = gammond.Engine().rank(opening.position, opening.dice, opening.match)
    assert opening.analysed_plays[0].play == ranked.best.play


def test_the_document_says_what_each_player_lost(judged):
    document = judged.to_dict()
    assert "0-ply" in document["method"]
    assert len(document["players"]) == 2
    assert sum(player["counted"] for player in document["players"]) == sum(
        each["counts_for_xg"] for each in document["decisions"]
    )
    assert gammond.read_match(SHORT).to_dict()["decisions"] == []


def test_the_analysis_survives_sgf(judged):
    again = gammond.read_match(judged.to_sgf().encode())
    assert again.games[0].actions[0].analysed_plays
    assert again.to_dict()["method"] == ""


def test_progress_counts_decisions_and_cancel_ends_the_work(engine):
    seen, cancel = [], threading.Event()
    match = gammond.read_match(SHORT)
    engine.analyse(match, plies=0, progress=lambda done, total: seen.append((done, total)))
    total = seen[0][1]
    assert seen == [(done, total) for done in range(total + 1)]
    with pytest.raises(gammond.CancelledWork):
        engine.analyse(match, plies=0, progress=lambda done, total: cancel.set(), cancel=cancel)


def test_arguments_are_checked(engine):
    with pytest.raises(gammond.ValueRangeError):
        engine.analyse(gammond.read_match(SHORT), plies=9)
