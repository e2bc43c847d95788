"""What resignations lose."""

from dataclasses import replace

import pytest

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decisions import compute_result_equity
from gammond.engine.match_analysis.tasks import list_match_tasks
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_reports.text_report import format_text
from gammond.engine.rules.game_record import ResignationAction
from gammond.engine.rules.match import MatchState

TABLE = load_default_table()
GAME = "(;FF[4]GM[6]MI[length:{}][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[]RE[B+{}R];W[31hefe];B[52lqln])"


def end_with(resignation, length=0, *, no_double):
    """A match whose only game ends with a resignation, in a position whose cube decision is known."""
    (match,) = parse_sgf(GAME.format(length, resignation.kind))
    (game,) = match.games
    last = len(game.actions) - 1
    cube = CubeDecision.of_choices(Evaluation(no_double), Evaluation(no_double - 1.0))
    actions = (*game.actions[:-1], resignation)
    return replace(match, games=(replace(game, actions=actions, notes={last: ActionNotes(cube=cube)}),))


def only_resignation(length, kind, no_double, *, seat=0, is_accepted=True):
    match = end_with(ResignationAction(seat, kind, is_accepted), length, no_double=no_double)
    (found,) = AnalysedMatch("", match, "", TABLE).resignations
    return found


@pytest.mark.parametrize("is_stated", [True, False])
def test_only_an_offer_that_is_known_of_is_asked_about_and_compared(is_stated):
    match = end_with(ResignationAction(0, 1, is_stated=is_stated), no_double=-0.7)
    asked = [task for task in list_match_tasks(match) if isinstance(task.actions[0], ResignationAction)]
    assert len(asked) == len(AnalysedMatch("", match, "", TABLE).resignations) == is_stated


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


@pytest.mark.parametrize(
    ("worth", "is_accepted", "said"),
    [
        (-0.7, True, ", which lost 0.300: playing on was worth -0.700"),
        (-1.2, True, "; bob accepted it, which lost 0.200: playing on was worth -1.200 for ann"),
        (-0.7, False, "; bob rejected it, which lost 0.300: playing on was worth -0.700 for ann"),
    ],
)
def test_a_report_says_who_lost_by_a_resignation_and_who_by_its_answer(worth, is_accepted, said):
    match = end_with(ResignationAction(0, 1, is_accepted), no_double=worth)
    report = format_text(AnalysedMatch("", match, "", TABLE), 20)
    assert report.splitlines()[-1] == f"Game 1: ann resigned a single game{said}"


def test_the_other_seat_sees_the_position_from_its_side():
    assert only_resignation(0, 1, 0.4, seat=1).worth.points == -0.4


def test_a_gammon_is_worth_what_it_gives_at_the_score():
    match = MatchState(length=5, score=(0, 4))
    assert compute_result_equity(match, 1, 1, TABLE) == compute_result_equity(match, 1, 3, TABLE) == 1.0
    assert compute_result_equity(match, 0, 2, TABLE) > 1.0
    assert only_resignation(1, 1, -1.0).offered_points == -1.0
    jacoby = MatchState(jacoby=True)
    assert compute_result_equity(jacoby, 0, 3, TABLE) == 1.0
