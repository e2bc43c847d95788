"""Whatever a match has that a format can hold is the same after writing and reading."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_match
from gammond.engine.match_files.model import NO_NOTES, IssueKind
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.rules import HYPERGAMMON, HYPERGAMMON_2, NACKGAMMON, STANDARD_RULES, VARIANTS, Rules
from tests.engine.match_files.generated_matches import Draw

LENGTHS = st.sampled_from([0, 0, 1, 2, 3, 7, 13])
GAMES = st.sampled_from([STANDARD_RULES, *map(Rules, (NACKGAMMON, HYPERGAMMON, HYPERGAMMON_2))])
SEEDS = st.integers(0, 1 << 30)


def begins_after_crawford_game(match):
    begun = match.games[0].initial_state
    return begun.is_post_crawford and begun.away(0) != begun.away(1)


def find_match(is_wanted):
    return next(match for match in (Draw(0).make_match(seed) for seed in range(99)) if is_wanted(match))


@settings(max_examples=60)
@given(length=LENGTHS, rules=GAMES, seed=SEEDS)
def test_a_mat_file_keeps_all_but_comments_and_says_where_a_play_was_illegal(length, rules, seed):
    match = Draw(length, rules, illegal_plays=True).make_match(seed)
    (read,) = parse_mat(format_match(match))
    if begins_after_crawford_game(match):
        match = replace(match, rules=replace(match.rules, crawford=False))
    assert replace(read, issues=()) == replace(match, format="mat")
    sets = sum(isinstance(action, SetAction) for game in match.games for action in game.actions)
    assert [issue.kind for issue in read.issues] == [IssueKind.ILLEGAL_PLAY] * sets


@settings(max_examples=60)
@given(length=LENGTHS, rules=GAMES, seed=SEEDS)
def test_an_sgf_file_keeps_everything(length, rules, seed):
    draw = Draw(length, rules, comments=True, sets=True, illegal_plays=True, rejected=True)
    match = draw.make_match(seed)
    text = format_sgf(match)
    (read,) = parse_sgf(text)
    assert read == replace(match, format="sgf")
    assert format_sgf(read) == text


@settings(max_examples=20)
@given(length=LENGTHS, seed=SEEDS)
def test_a_mat_file_leaves_out_resignations_that_were_rejected(length, seed):
    match = Draw(length, rejected=True).make_match(seed)
    (read,) = parse_mat(format_match(match))
    assert read.issues == ()
    for game, whole in zip(read.games, match.games, strict=True):
        kept = [action for action in whole.actions if getattr(action, "is_accepted", True)]
        assert list(game.actions) == kept
        assert game.result == whole.result


@pytest.mark.parametrize(
    ("variant", "in_mat", "in_sgf"),
    [
        ("nackgammon", "NackGammon", "Nackgammon"),
        ("hypergammon1", "HyperGammon (1)", "Hypergammon1"),
        ("hypergammon2", "HyperGammon (2)", "Hypergammon2"),
        ("hypergammon", "HyperGammon (3)", "Hypergammon3"),
    ],
)
def test_a_variant_is_read_by_the_name_that_other_programs_have_for_it(variant, in_mat, in_sgf):
    match = Draw(5, Rules(VARIANTS[variant])).make_match(1)
    mat, sgf = format_match(match), format_sgf(match)
    assert f'; [Variation "{in_mat}"]' in mat
    assert re.search(rf"RU\[[A-Za-z:]*\b{in_sgf}\]", sgf)
    for (read,) in (parse_mat(mat), parse_sgf(sgf)):
        assert (read.issues, read.games) == ((), match.games)


def test_a_comment_on_a_resignation_stays_in_an_sgf_file_behind_the_action_before_it():
    match = find_match(lambda match: isinstance(match.games[0].actions[-1], ResignationAction))
    game = match.games[0]
    last = len(game.actions) - 1
    said = replace(game, notes={last: replace(NO_NOTES, comment="enough")})
    (read,) = parse_sgf(format_sgf(replace(match, games=(said,))))
    assert {place: notes.comment for place, notes in read.games[0].notes.items()} == {last - 1: "enough"}
    assert read.games[0].actions == game.actions


@pytest.mark.parametrize("numbers", [(1, 1, 2), (0, 1, 2), (3, 2, 1)])
def test_games_whose_numbers_do_not_rise_are_numbered_anew(numbers):
    match = find_match(lambda match: len(match.games) > 2)
    games = [replace(game, number=number) for game, number in zip(match.games, numbers, strict=False)]
    for (read,) in (
        parse_mat(format_match(replace(match, games=tuple(games)))),
        parse_sgf(format_sgf(replace(match, games=tuple(games)))),
    ):
        assert [game.number for game in read.games] == [1, 2, 3]


def test_generated_matches_have_all_that_there_is():
    draws = (Draw(length, sets=True, illegal_plays=True, rejected=True) for length in (0, 3, 7))
    matches = [draw.make_match(seed) for draw in draws for seed in range(12)]
    games = [game for match in matches for game in match.games]
    actions = [action for game in games for action in game.actions]
    kinds = {PlayAction, RollAction, DoubleAction, ResponseAction, ResignationAction, SetAction}
    assert {type(action) for action in actions} == kinds
    resigned = [action for action in actions if isinstance(action, ResignationAction)]
    assert {(action.kind, action.is_accepted) for action in resigned} == {
        (kind, is_accepted) for kind in (1, 2, 3) for is_accepted in (True, False)
    }
    assert {action.is_take for action in actions if isinstance(action, ResponseAction)} == {True, False}
    doubles = [
        [isinstance(action, DoubleAction) for action in three]
        for game in games
        for three in zip(game.actions, game.actions[1:], game.actions[2:], strict=False)
    ]
    assert any(map(all, doubles))  # a raccoon
    unplayed = [
        legal_plays(situation.position, action.roll, game.rules)
        for game in games
        for situation, action, _ in game.replayed
        if isinstance(action, RollAction)
    ]
    assert {bool(plays[0].moves) for plays in unplayed} == {True, False}
    assert {game.initial_state.crawford for game in games} == {True, False}
    assert any(map(begins_after_crawford_game, matches))
    assert any(game.position != STANDARD_RULES.starting_position for game in games)
    for match in matches:
        for one, other in pairwise(match.games):
            assert one.result
            won = one.initial_state.score_after(one.result.winner, one.result.points)
            assert won == other.initial_state.score


POST_CRAWFORD = """\
 7 point match

 Game 5
 ann : 6                    bob : 4
  1) 31: 8/5 6/5             Doubles => 2
  2)  Takes                 64: 24/14
      Wins 2 points
"""


def test_a_double_at_one_away_shows_that_a_file_begins_after_the_crawford_game():
    (match,) = parse_mat(POST_CRAWFORD)
    assert match.issues == ()
    (game,) = match.games
    assert (game.number, game.initial_state.crawford, game.initial_state.is_post_crawford) == (5, False, True)
    assert game.result.points == 2


def test_only_the_first_game_of_a_file_can_be_one_after_the_crawford_game_that_is_not_there():
    first = " Game 4\n ann : 4      bob : 4\n  1) 31: 8/5 6/5\n      Wins 2 points\n"
    (match,) = parse_mat(POST_CRAWFORD.replace(" Game 5", f"{first} Game 5"))
    (issue,) = match.issues
    assert (issue.game, issue.kind) == (5, IssueKind.ILLEGAL_CUBE_ACTION)


@pytest.mark.parametrize(("limit", "issues"), [("1", 1), ("2", 0), ("1024", 0)])
def test_a_cube_above_the_limit_of_a_file_is_a_fault(limit, issues):
    text = POST_CRAWFORD.replace("ann : 6", "ann : 0")
    (match,) = parse_mat(f'; [CubeLimit "{limit}"]\n{text}')
    assert len(match.issues) == issues
    for issue in match.issues:
        assert str(issue) == (
            "line 6, game 5, move 1: illegal cube action: expected a cube of at most 1, got a double to 2"
        )
