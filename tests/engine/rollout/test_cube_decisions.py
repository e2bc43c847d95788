import pytest

from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.cubeful import make_cube_game
from gammond.engine.errors import StateError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.evaluation.results import CubeResponse, DoublingAction
from gammond.engine.rollout import (
    RolloutEvaluators,
    RolloutSettings,
    load_state,
    roll_out_cube,
    roll_out_plays,
    save_state,
)
from gammond.engine.rules.match import MatchState
from tests.engine.cubeful.cubes import result_value
from tests.support import boards

MONEY = make_cube_game(MatchState())
FULL = RolloutSettings(variance_reduction=False, stop_jsd=0.0)

# The last roll of the game: 23 of 36 bear both off, and otherwise the opponent wins.
LAST_ROLL = boards.position({4: 1, 2: 1}, {24: 1})
SURE = boards.position({1: 2}, {24: 1})


@pytest.fixture(scope="module")
def evaluators():
    table = build_two_sided(6, 3, threads=1)
    return RolloutEvaluators(EvaluatorPruner(table), table)


def test_the_last_roll_of_a_game_is_a_double_and_a_take(evaluators):
    rolled = roll_out_cube(LAST_ROLL, MONEY, evaluators, FULL)
    assert rolled.no_double.equity == pytest.approx(2 * 23 / 36 - 1)
    assert rolled.take.equity == pytest.approx(2 * (2 * 23 / 36 - 1))
    assert rolled.gain.equity == pytest.approx(2 * 23 / 36 - 1)
    assert rolled.decision.doubling is DoublingAction.DOUBLE
    assert rolled.decision.response is CubeResponse.TAKE


def test_a_sure_win_is_a_double_and_a_pass(evaluators):
    rolled = roll_out_cube(SURE, MONEY, evaluators, FULL)
    assert rolled.take.equity == 2
    assert rolled.decision.doubling is DoublingAction.DOUBLE
    assert rolled.decision.response is CubeResponse.PASS


def test_a_cube_that_the_other_side_owns_leaves_nothing_to_decide(evaluators):
    game = make_cube_game(MatchState(cube=2, cube_owner=1))
    rolled = roll_out_cube(LAST_ROLL, game, evaluators, FULL)
    assert rolled.decision.doubling is DoublingAction.UNAVAILABLE
    assert rolled.take is rolled.gain is None
    assert rolled.no_double.equity == pytest.approx(2 * 23 / 36 - 1)


def test_in_a_match_equities_are_worth_the_chances_to_win_it(evaluators):
    game = make_cube_game(MatchState(length=2))
    rolled = roll_out_cube(LAST_ROLL, game, evaluators, FULL)
    won, lost = result_value(game, 1), result_value(game, -1)
    assert rolled.decision.no_double.mwc == pytest.approx((23 * won + 13 * lost) / 36, abs=1e-6)
    assert rolled.decision.double_take.mwc == pytest.approx(
        23 / 36, abs=1e-6
    )  # 2-away 2-away: the double ends it
    assert rolled.decision.double_pass.mwc == pytest.approx(result_value(game, 1))


def test_a_clear_decision_stops_and_a_close_one_goes_on(evaluators):
    settings = RolloutSettings(trials=1296, min_trials=108, variance_reduction=False)
    clear = roll_out_cube(SURE, MONEY, evaluators, settings)
    assert clear.rollout.reason == "jsd"
    assert clear.rollout.state.count_trials() == 108
    close = roll_out_cube(boards.position({6: 1, 1: 1}, {24: 2}), MONEY, evaluators, settings)
    assert close.rollout.state.count_trials() > 108


def test_a_cube_decision_is_saved_and_extended(evaluators, tmp_path):
    start = boards.position({6: 1, 4: 1, 2: 1}, {19: 2, 23: 1})
    half = roll_out_cube(
        start, MONEY, evaluators, RolloutSettings(trials=108, variance_reduction=False, stop_jsd=0)
    )
    save_state(half.rollout.state, tmp_path / "cube")
    settings = RolloutSettings(trials=216, variance_reduction=False, stop_jsd=0)
    rest = roll_out_cube(start, MONEY, evaluators, settings, resume=load_state(tmp_path / "cube"))
    whole = roll_out_cube(start, MONEY, evaluators, settings)
    assert (rest.no_double, rest.take, rest.gain) == (whole.no_double, whole.take, whole.gain)
    with pytest.raises(StateError, match="scoring"):
        roll_out_cube(
            start,
            make_cube_game(MatchState(jacoby=True)),
            evaluators,
            settings,
            resume=half.rollout.state,
        )


def test_the_opponent_may_double_right_after_a_play(evaluators):
    ranked, _ = roll_out_plays(boards.position({6: 3}, {23: 2}), (2, 1), evaluators, FULL, game=MONEY)
    assert ranked[0].evaluation.equity == -1  # doubled out: without the cube a few games would be won
    own_cube = make_cube_game(MatchState(cube=2, cube_owner=0))
    without, _ = roll_out_plays(boards.position({6: 3}, {23: 2}), (2, 1), evaluators, FULL, game=own_cube)
    assert without[0].evaluation.equity > -1
    cubeless, _ = roll_out_plays(boards.position({6: 3}, {23: 2}), (2, 1), evaluators, FULL)
    assert cubeless[0].evaluation.equity > -1


def test_a_finished_game_has_no_cube_decision(evaluators):
    with pytest.raises(StateError) as refusal:
        roll_out_cube(boards.position({}, {24: 3}), MONEY, evaluators, FULL)
    assert refusal.value.field == "position"
