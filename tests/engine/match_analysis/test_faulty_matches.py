"""Analysing matches with illegal plays and gaps: all that is there is analysed, and what is not is said."""

import math

import pytest

from gammond.engine.match_analysis.analysed_match import make_analysed_match
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.match_analysis.tasks import list_match_tasks
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.rollout.settings import RolloutSettings
from gammond.engine.rules.game_record import PlayAction, SetAction
from gammond.engine.rules.moves import legal_plays
from tests.engine.match_files.faulty_matches import CUT, GAP, ILLEGAL

SETTINGS = AnalysisSettings(0, 1)


def analyse(engine, text):
    (match,) = parse_mat(text)
    return make_analysed_match(engine, analyse_match(engine, match, SETTINGS), SETTINGS)


@pytest.fixture(scope="module")
def illegal(engine):
    return analyse(engine, ILLEGAL)


def find_illegal(analysed):
    (found,) = (each for each in analysed.decisions if not each.is_legal)
    return found


def test_an_illegal_play_is_shown_beside_the_best_legal_ones(illegal):
    found = find_illegal(illegal)
    assert (found.chosen, found.chosen_name) == ("14/10", "14/10 (illegal)")
    results = [play.result for play in legal_plays(found.situation.position, (2, 1))]
    assert found.best == "14/11"
    assert len(found.notes.candidates) > 1
    assert all(each.play.result in results for each in found.notes.candidates)
    assert found.made_candidate is None


def test_an_illegal_play_counts_in_no_statistics(illegal):
    found = find_illegal(illegal)
    assert found.loss.equity == 0.0
    own = [each for each in illegal.decisions if each.seat == 1 and each is not found]
    player = illegal.statistics[1]
    assert player.total.count == len(own)
    assert player.plays.count == sum(each.roll is not None and each.counts_for_xg for each in own)
    plays = sum(each.roll is not None and each is not found for each in illegal.decisions)
    assert math.isclose(player.snowie_error_rate, 1000 * player.total.error_points / plays)


def test_what_follows_an_illegal_play_is_analysed(illegal):
    followed = [each for each in illegal.decisions if each.game == 0 and each.move > 2]
    assert [each.chosen for each in followed if each.roll is None] == [
        *("no double", "no double", "double", "take", "no double")
    ]
    assert sum(each.roll is not None for each in followed) == 4


def test_documents_mark_an_illegal_play(illegal):
    decisions = describe_match(illegal)["decisions"]
    (row,) = (row for row in decisions if "illegal" in row)
    assert (row["illegal"], row["chosen"], row["best"], row["error"]) == (True, "14/10", "14/11", 0.0)


def test_statistics_say_which_games_are_cut(engine, illegal):
    said = ["Game 2 is cut: move 2 could not be read, and all after it is left out"]
    analysed = analyse(engine, CUT)
    assert analysed.cut_games == said
    assert describe_match(analysed)["cut"] == said
    assert illegal.cut_games == []
    assert "cut" not in describe_match(illegal)


def test_what_follows_a_gap_has_candidates_cube_decisions_and_luck(engine):
    (game,) = analyse(engine, GAP).match.games
    gap = next(place for place, action in enumerate(game.actions) if isinstance(action, SetAction))
    after = [place for place in range(gap + 1, len(game.actions))]
    assert all(game.notes[place].cube for place in after)
    plays = [place for place in after if isinstance(game.actions[place], PlayAction)]
    assert plays
    assert all(game.notes[place].candidates and math.isfinite(game.notes[place].luck) for place in plays)


def test_illegal_plays_are_not_rolled_out(engine, illegal):
    settings = RolloutSettings(trials=4, truncation=2, threads=1)
    rolled = roll_out_decisions(engine, illegal.match, DecisionRollouts(settings, 0, 0))
    (task,) = (each for each in list_match_tasks(rolled) if each.roll and each.play is None)
    notes = rolled.games[task.game].notes[task.places[0]]
    assert not any(each.evaluation.trials for each in notes.candidates)
