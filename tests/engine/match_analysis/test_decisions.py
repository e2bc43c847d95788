"""What was lost in a match by the analysis in its file."""

from dataclasses import replace

import pytest

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import rate_actions
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import format_play
from tests.engine.match_files.played_games import play_random_match
from tests.engine.match_files.xg import xg_files
from tests.support.boards import position

TABLE = load_default_table()


@pytest.fixture(scope="module")
def match():
    (found,) = read_matches(xg_files.make_file(xg_files.write_games(("one", "two"), play_random_match())))
    return found


def test_every_decision_with_an_evaluation_is_rated(match):
    decisions, rolls, _ = rate_actions(match, TABLE)
    actions = [action for game in match.games for action in game.actions]
    count = {choice: sum(d.choice is choice for d in decisions) for choice in Choice}
    plays = [action for action in actions if isinstance(action, PlayAction)]
    assert count[Choice.PLAY] == len(plays) == len(rolls)
    assert any(not action.play.moves for action in plays)
    assert count[Choice.DOUBLE] == sum(isinstance(action, DoubleAction) for action in actions)
    responses = [action for action in actions if isinstance(action, ResponseAction)]
    assert count[Choice.TAKE] == sum(action.is_take for action in responses)
    assert count[Choice.PASS] == sum(not action.is_take for action in responses)
    assert count[Choice.NO_DOUBLE] > 50


def test_errors_are_those_of_the_file(match):
    """The files of these tests play the second best of every list, and their cube is a double and a take."""
    for decision in rate_actions(match, TABLE)[0]:
        action = match.games[decision.game].actions[decision.place]
        notes = match.games[decision.game].notes[decision.place]
        assert decision.seat == action.seat
        expected = {
            Choice.PLAY: xg_files.STEP if len(notes.candidates) > 1 else 0,
            Choice.NO_DOUBLE: 0.25,
            Choice.DOUBLE: 0,
            Choice.TAKE: 0,
            Choice.PASS: 0.25,
        }
        assert decision.loss.equity == expected[decision.choice]
        assert decision.loss.mwc == decision.loss.equity * decision.loss.mwc_per_point


def test_a_point_is_worth_half_of_what_a_game_decides():
    assert TABLE.mwc_per_point(MatchState(length=1)) == 0.5
    last = MatchState(length=7, score=(5, 5), cube=2, cube_owner=0)
    assert TABLE.mwc_per_point(last) == 0.5
    assert TABLE.mwc_per_point(MatchState()) is None
    early = TABLE.mwc_per_point(MatchState(length=7))
    assert early == pytest.approx((TABLE.mwc(6, 7) - TABLE.mwc(7, 6)) / 2)


@pytest.mark.parametrize(
    ("equities", "error"),
    [
        ((0.25, 0.125, -0.5), 0.75),
        (
            (-0.5, 0.25, 0.125),
            0.0,
        ),  # a shallow value above the first proves nothing
    ],
)
def test_a_play_loses_what_it_is_behind_the_first(match, equities, error):
    game = match.games[0]
    place = next(place for place, notes in game.notes.items() if len(notes.candidates) > 2)
    action = game.actions[place]
    plays = [each.play for each in game.notes[place].candidates if each.play.result != action.play.result]
    listed = zip([*plays[:2], action.play], equities, strict=True)
    candidates = tuple(RankedPlay(play, Evaluation(equity)) for play, equity in listed)
    changed = game.with_notes({place: ActionNotes(candidates=candidates)})
    (decision,), _, _ = rate_actions(replace(match, games=(changed,)), TABLE)
    assert (decision.choice, decision.loss.equity) == (Choice.PLAY, error)
    assert decision.best == format_play(plays[0])


def test_what_has_no_evaluation_is_left_out():
    games = play_random_match()[:2]
    data = xg_files.make_file(xg_files.write_games(("one", "two"), games, analysed=False))
    (found,) = read_matches(data)
    assert rate_actions(found, TABLE) == ([], [], [])


@pytest.mark.parametrize(("values", "count"), [({"NMoveEval": 0}, 1), ({"NMoveEval": 0, "AnalyzeL": -1}, 0)])
def test_a_roll_without_a_play_is_a_forced_play_in_an_analysed_match(values, count):
    start, begun = position({25: 1, 6: 2}, {24: 2, 23: 2, 22: 2, 21: 2, 20: 2, 19: 2}), MatchState(length=3)
    (play,) = legal_plays(start, (6, 5))
    records = [
        xg_files.make_header(length=3),
        xg_files.make_game_header(1, begun, start.board),
        xg_files.write_play(start, begun, PlayAction(0, (6, 5), play), **values),
    ]
    (found,) = read_matches(xg_files.make_file(records))
    decisions, _, _ = rate_actions(found, TABLE)
    assert [decision.choice for decision in decisions] == [Choice.PLAY] * count
    assert not any(decision.counts_for_gnubg for decision in decisions)
