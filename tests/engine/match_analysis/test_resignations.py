"""What resignations lose."""

from dataclasses import replace

import pytest

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decisions import compute_result_equity
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.rules.game_record import ResignationAction
from gammond.engine.rules.match import MatchState

TABLE = load_default_table()
GAME = "(;FF[4]GM[6]MI[length:{}][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[]RE[B+{}R];W[31hefe];B[52lqln])"


def only_resignation(length, kind, no_double, *, seat=0, is_accepted=True):
    (match,) = parse_sgf(GAME.format(length, kind))
    (game,) = match.games
    last = len(game.actions) - 1
    actions = (*game.actions[:-1], ResignationAction(seat, kind, is_accepted))
    notes = {
        last: ActionNotes(cube=CubeDecision.of_choices(Evaluation(no_double), Evaluation(no_double - 1.0)))
    }
    game = replace(game, actions=actions, notes=notes)
    (found,) = AnalysedMatch("", replace(match, games=(game,)), "", TABLE).resignations
    return found


@pytest.mark.parametrize(
    ("kind", "worth", "loss", "answer_loss"),
    [(1, -0.7, 0.3, 0.0), (1, -1.2, 0.0, 0.2), (2, -1.2, 0.8, 0.0), (1, -1.0, 0.0, 0.0)],
)
def test_an_accepted_resignation_is_compared_with_playing_on(kind, worth, loss, answer_loss):
    found = only_resignation(0, kind, worth)
    assert (found.offered_points, found.worth.equity) == (-kind, worth)
    assert found.loss.points == pytest.approx(loss)
    assert found.answer_loss.points == pytest.approx(answer_loss)


def test_to_reject_a_good_offer_loses():
    found = only_resignation(0, 1, -0.7, is_accepted=False)
    assert found.loss.points == 0.0
    assert found.answer_loss.points == pytest.approx(0.3)


def test_the_other_seat_sees_the_position_from_its_side():
    assert only_resignation(0, 1, 0.4, seat=1).worth.points == -0.4


def test_a_gammon_is_worth_what_it_gives_at_the_score():
    match = MatchState(length=5, score=(0, 4))
    assert compute_result_equity(match, 1, 1, TABLE) == compute_result_equity(match, 1, 3, TABLE) == 1.0
    assert compute_result_equity(match, 0, 2, TABLE) > 1.0
    assert only_resignation(1, 1, -1.0).offered_points == -1.0
    jacoby = MatchState(jacoby=True)
    assert compute_result_equity(jacoby, 0, 3, TABLE) == 1.0
