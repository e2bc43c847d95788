"""Matches of files in the public API."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

import gammond
from gammond import MatchState, Position
from gammond.engine.match_files.mat.writer import format_mat
from tests.engine.match_files.played_games import play_money_games, play_random_match
from tests.gammond.matches import ANALYSED_SGF

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


@pytest.fixture(scope="module")
def texts(games):
    """Files of a match and of money play."""
    return format_mat(NAMES, games), format_mat(NAMES, play_money_games())


@pytest.fixture(scope="module")
def matches(texts):
    return [gammond.read_match(text.encode()) for text in texts]


def test_a_match_has_the_positions_and_states_before_each_action(games, matches):
    match = matches[0]
    assert (match.names, match.length, match.format, match.issues) == (NAMES, 7, "mat", ())
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


def test_a_match_is_written_as_it_was_read(texts, matches):
    for text, match in zip(texts, matches, strict=True):
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
    assert game.actions[-1].is_stated


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


def test_several_matches_are_read_with_read_matches(tmp_path):
    file = tmp_path / "two.txt"
    file.write_bytes(2 * SHORT)
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
def analysed(engine):
    return engine.analyse(gammond.read_match(SHORT), plies=0)


def test_each_action_gets_its_analysis(analysed):
    (game,) = analysed.games
    opening, *_, last = game.actions
    assert opening.analysed_plays[0].depth == "0-ply"
    assert opening.luck is not None
    assert last.cube_equities is not None
    ranked = gammond.Engine().rank(opening.position, opening.dice, opening.match)
    assert opening.analysed_plays[0].play == ranked.best.play


def test_the_document_says_what_each_player_lost(analysed):
    document = analysed.to_dict()
    assert "0-ply" in document["method"]
    assert len(document["players"]) == 2
    assert sum(player["counted"] for player in document["players"]) == sum(
        each["counts_for_xg"] for each in document["decisions"]
    )
    assert gammond.read_match(SHORT).to_dict()["decisions"] == []


def test_what_is_written_is_what_the_fields_say():
    """Whatever `dataclasses.replace` changes is in the text, or refused: nothing of the file remains."""
    match = replace(
        gammond.read_match(SHORT), names=("zoe", "yan"), comment="ours", headers={"Event": "Open"}
    )
    again = gammond.read_match(match.to_sgf().encode())
    assert (again.names, again.comment, again.headers) == (match.names, match.comment, match.headers)
    assert gammond.read_match(match.to_mat().encode()).names == ("zoe", "yan")
    assert match.to_dict()["names"] == ["zoe", "yan"]
    (game,) = match.games
    first, *others = game.actions
    commented = replace(game, comment="a game", actions=(replace(first, comment="a play"), *others))
    (read,) = gammond.read_match(replace(match, games=(commented,)).to_sgf().encode()).games
    assert (read.comment, read.actions[0].comment) == ("a game", "a play")
    cut = replace(game, actions=game.actions[:2], winner=None, points=0)
    assert len(gammond.read_match(replace(match, games=(cut,)).to_mat().encode()).games[0].actions) == 2
    assert replace(match, games=()).to_sgf() == ""


def test_an_analysis_that_was_taken_out_is_not_written(analysed):
    def strip(action):
        return replace(action, analysed_plays=(), cube_equities=None, luck=None)

    games = tuple(replace(game, actions=tuple(map(strip, game.actions))) for game in analysed.games)
    bare = replace(analysed, games=games)
    assert analysed.to_dict()["decisions"]
    assert bare.to_dict()["decisions"] == []
    assert not any(
        each.analysed_plays for each in gammond.read_match(bare.to_sgf().encode()).games[0].actions
    )


def test_numbers_of_an_analysis_can_be_replaced(analysed):
    (game,) = analysed.games
    first, *others = game.actions
    best = replace(first.analysed_plays[0], equity=0.5)
    changed = replace(first, analysed_plays=(best, *first.analysed_plays[1:]), luck=0.25)
    match = replace(analysed, games=(replace(game, actions=(changed, *others)),))
    again = gammond.read_match(match.to_sgf().encode()).games[0].actions[0]
    assert (again.analysed_plays[0].equity, again.luck) == (0.5, 0.25)
    assert len(again.analysed_plays) == len(first.analysed_plays)


def test_what_is_analysed_is_what_the_fields_say(engine):
    match = gammond.read_match(SHORT)
    (game,) = match.games
    cut = replace(game, actions=game.actions[:1], winner=None, points=0)
    analysed = engine.analyse(replace(match, names=("zoe", "yan"), games=(cut,)), 0)
    assert analysed.names == ("zoe", "yan")
    assert len(analysed.to_dict()["decisions"]) == 1
    assert len(engine.analyse(match, 0).to_dict()["decisions"]) > 1


_CHANGES = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: value + 1,
    str: lambda value: f"{value}x",
    type(None): lambda value: 0,
    dict: lambda value: {"Event": "other"},
    Position: lambda value: Position.start("nackgammon"),
    MatchState: lambda value: replace(value, score=(value.score[0] + 1, value.score[1])),
    gammond.Play: lambda value: replace(value, moves=()),
    gammond.Outcome: lambda value: replace(value, win=value.win / 2),
    tuple: lambda value: (
        (1500.0, *value[1:]) if value[:1] == (None,) else value[:-1] if value else ("other",)
    ),
}
"""What makes another value of one, by its type."""

_VALUES = {"names": ("zoe", "yan"), "cube_equities": (0.1, 0.2, 1.0)}
"""Other values by the names of fields."""


def _describe(match):
    """Return all that a match says."""
    return [getattr(match, each.name) for each in fields(match) if each.compare]


@pytest.mark.parametrize("kind", [gammond.Match, gammond.Game, gammond.Action, gammond.AnalysedPlay])
def test_no_field_is_ignored_that_is_replaced(analysed, kind):
    """Any change is in what is read again from the text, or it is refused; derived from the fields."""
    (game,) = analysed.games
    first, *others = game.actions
    for each in fields(kind):
        if not each.compare:
            continue

        def change(value, name=each.name):
            before = getattr(value, name)
            return replace(value, **{name: _VALUES.get(name) or _CHANGES[type(before)](before)})

        if kind is gammond.Match:
            changed = change(analysed)
        elif kind is gammond.Game:
            changed = replace(analysed, games=(change(game),))
        else:
            action = (
                change(first)
                if kind is gammond.Action
                else replace(
                    first, analysed_plays=(change(first.analysed_plays[0]), *first.analysed_plays[1:])
                )
            )
            changed = replace(analysed, games=(replace(game, actions=(action, *others)),))
        assert changed != analysed, each.name
        try:
            text = changed.to_sgf()
        except (gammond.StateError, gammond.UnsupportedError):
            continue
        if not changed.games:
            assert not text
            continue
        again = _describe(gammond.read_match(text.encode())), changed.to_dict()
        assert again != (_describe(gammond.read_match(analysed.to_sgf().encode())), analysed.to_dict()), (
            each.name
        )


def test_a_change_that_breaks_the_rules_or_contradicts_the_actions_is_refused():
    match = gammond.read_match(SHORT)
    (game,) = match.games
    for changed, reason in (
        (replace(game, winner=1), "expected winner to be 0"),
        (replace(game, points=2), "expected points to be 1"),
        (replace(game, actions=game.actions[1:]), "game 1, action 1: expected player 1 to act"),
        (replace(game, position=Position.start("hypergammon")), "expected a position of backgammon"),
        (
            replace(game, match=MatchState(length=7)),
            r"game 1, action 1: expected match to be MatchState\(length=7",
        ),
    ):
        for write in (replace(match, games=(changed,)).to_mat, replace(match, games=(changed,)).to_sgf):
            with pytest.raises(gammond.StateError, match=reason):
                write()
    with pytest.raises(gammond.StateError, match="expected a game of a match to 7, got one to 5"):
        replace(match, length=7).to_mat()
    with pytest.raises(gammond.StateError, match="issues"):
        replace(match, issues=("made up",)).to_mat()
    with pytest.raises(gammond.StateError, match="numbers of games that rise"):
        replace(match, games=(*match.games, *match.games[:1], replace(game, number=1))).to_sgf()


def test_games_are_the_same_after_they_were_made_of_their_fields(matches):
    """Of matches with cubes, beavers, resignations, positions set by hand and comments."""
    texts = [
        ANALYSED_SGF,
        b"(;FF[4]GM[6]MI[length:3][game:0][ws:1][bs:0]PW[a]PB[b];W[31hefe];CP[b];CV[2]"
        b";PL[B]AE[a:y]AW[a][b][c]AB[x][w];B[21xw]C[set])",
    ]
    for match in (*matches, *map(gammond.read_match, texts)):
        rebuilt = replace(match, games=tuple(replace(game) for game in match.games))
        assert rebuilt.games is not match.games
        assert rebuilt.to_sgf() == match.to_sgf()
        assert rebuilt.to_dict() == match.to_dict()


def test_a_game_of_which_only_the_result_tells_has_no_stated_resignation():
    rows = "  1) 31: 8/5 6/5    64: 24/18 13/9\n      Wins 2 points\n"
    match = gammond.read_match(f" 5 point match\n\n Game 1\n ann : 0    bob : 0\n{rows}".encode())
    assert (match.games[0].actions[-1].text, match.games[0].actions[-1].is_stated) == ("resign gammon", False)
    changed = replace(match, games=(replace(match.games[0], comment="so it ended"),))
    for each in (match, changed):
        assert not gammond.read_match(each.to_sgf().encode()).games[0].actions[-1].is_stated
