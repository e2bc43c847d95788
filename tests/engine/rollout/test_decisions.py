from dataclasses import replace

import pytest

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.errors import PlayError, StateError, ValueRangeError
from gammond.engine.rollout import RolloutSettings, rank_by_rollout, roll_out_plays, roll_out_position
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from tests.engine.rollout.racing import CONTACT, EVALUATORS
from tests.support import boards

WON = boards.position({}, {24: 3})
SHORT = RolloutSettings(trials=144, truncation=4, min_trials=72)


def test_plays_come_best_first_with_their_distances():
    ranked, rollout = roll_out_plays(CONTACT, (6, 2), EVALUATORS, SHORT)
    assert {each.play.result for each in ranked} == {play.result for play in legal_plays(CONTACT, (6, 2))}
    kept = [each for each in ranked if each.survived]
    assert [each.evaluation.equity for each in kept] == sorted(
        (e.evaluation.equity for e in kept), reverse=True
    )
    assert ranked[: len(kept)] == kept
    assert ranked[0].difference_to_best is None
    assert all(each.difference_to_best.equity <= 0 for each in ranked[1:])
    assert {each.evaluation.trials for each in kept} == {max(map(len, rollout.state.scores))}


def test_chosen_plays_keep_their_order_in_the_state():
    plays = legal_plays(CONTACT, (6, 2))[2::-1]
    _, rollout = roll_out_plays(CONTACT, (6, 2), EVALUATORS, SHORT, plays=plays)
    assert [Position(start) for start in rollout.state.starts] == [play.result for play in plays]


def test_pruned_plays_come_last_whatever_their_equity():
    plays = legal_plays(CONTACT, (6, 2))[:2]
    _, rollout = roll_out_plays(CONTACT, (6, 2), EVALUATORS, SHORT, plays=plays)
    better = int(
        rollout.state.estimate(1, for_opponent=True).equity
        > rollout.state.estimate(0, for_opponent=True).equity
    )
    ranked = rank_by_rollout(plays, replace(rollout, survivors=(1 - better,)), CUBELESS_GAME)
    assert [each.play for each in ranked] == [plays[1 - better], plays[better]]
    assert [each.survived for each in ranked] == [True, False]
    assert ranked[1].difference_to_best.equity > 0


def test_a_play_that_wins_needs_no_luck():
    ranked, _ = roll_out_plays(boards.position({1: 2}, {24: 1}), (6, 5), EVALUATORS, SHORT)
    assert ranked[0].evaluation.outcome == (1, 0, 0, 0, 0)
    assert ranked[0].evaluation.error == 0


def test_a_position_is_rolled_out_for_the_player_on_roll():
    estimate, rollout = roll_out_position(CONTACT, EVALUATORS, SHORT)
    assert estimate == rollout.state.estimate()
    assert estimate.trials == 144


def test_a_finished_position_has_its_result_and_no_plays():
    estimate, _ = roll_out_position(WON, EVALUATORS, SHORT)
    assert estimate.outcome == (1, 0, 0, 0, 0)
    assert (estimate.equity, estimate.error) == (1, 0)
    with pytest.raises(StateError) as refusal:
        roll_out_plays(WON, (3, 1), EVALUATORS, SHORT)
    assert refusal.value.field == "position"


def test_impossible_questions_are_refused():
    plays = legal_plays(CONTACT, (6, 2))
    with pytest.raises(ValueRangeError, match="got none") as refusal:
        roll_out_plays(CONTACT, (6, 2), EVALUATORS, SHORT, plays=[])
    assert refusal.value.field == "plays"
    with pytest.raises(PlayError, match="play 2 leads to the same"):
        roll_out_plays(CONTACT, (6, 2), EVALUATORS, SHORT, plays=[plays[0], plays[0]])
    with pytest.raises(PlayError, match="play 1 is not legal with the roll 5-1"):
        roll_out_plays(CONTACT, (5, 1), EVALUATORS, SHORT, plays=[plays[0]])
    with pytest.raises(ValueRangeError) as refusal:
        roll_out_plays(CONTACT, (7, 1), EVALUATORS, SHORT)
    assert refusal.value.field == "dice"
