"""The match score of two vectors: points, length and evaluations."""

import numpy as np
import pytest

from gammond.engine.play.lockstep import play_games
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.heritage.astros.rewards import GameBatch, RewardLog, calibrate_reward, play_batch
from gammond.tools.train.ascent.matches import GameReward, RatedVector

KIND = FAMILIES["bev"]
WORSE = KIND.space.start * np.where(np.array(KIND.space.names) == "pips", 0.2, 1.0)


def reward(length=0.0, evaluation=0.0):
    return GameReward(length, evaluation, evaluation_spread=50.0, typical_length=40.0)


def contest(chosen, first=KIND.space.start, second=WORSE, games=40, first_game=0, opinion=None):
    return GameBatch("bev", first, second, opinion, chosen, 7, first_game, games)


def test_without_shares_a_game_counts_its_points():
    points = play_games(KIND.make_player(KIND.space.start), KIND.make_player(WORSE), 40, 7).kinds
    assert np.array_equal(play_batch(contest(reward())), points)


def test_points_that_shrink_with_length_are_in_inverse_proportion_to_it():
    diary = RewardLog(40, [])
    points = play_games(KIND.make_player(KIND.space.start), KIND.make_player(WORSE), 40, 7, log=diary).kinds
    assert np.allclose(play_batch(contest(reward(length=1.0))), points * 40.0 / diary.turns)
    half = play_batch(contest(reward(length=0.5)))
    assert np.allclose(half, 0.5 * points + 0.5 * points * 40.0 / diary.turns)


@pytest.mark.parametrize("is_fixed", [False, True])
def test_evaluations_add_the_lead_of_the_average(is_fixed):
    evaluators = (
        [KIND.make_scorer(KIND.space.start)]
        if is_fixed
        else [KIND.make_scorer(KIND.space.start), KIND.make_scorer(WORSE)]
    )
    sums, counts = np.zeros((2, 4)), np.zeros((2, 4))

    class Notes:
        def add(self, games, seat, dice, after):
            for game, board in zip(games, after, strict=True):
                if board[1, 0] < 15:
                    sums[seat, game] += np.mean(
                        [float(each.score_boards(board[None].copy())[0]) for each in evaluators]
                    )
                    counts[seat, game] += 1

    points = play_games(KIND.make_player(KIND.space.start), KIND.make_player(WORSE), 4, 7, log=Notes()).kinds
    means = sums / counts
    opinion = KIND.space.start if is_fixed else None
    found = play_batch(contest(reward(evaluation=2.0), games=4, opinion=opinion))
    assert np.allclose(found, points + 2.0 / 50.0 * (means[0] - means[1]), atol=1e-4)


def test_a_vector_against_itself_scores_nothing_whatever_counts():
    chosen = reward(length=0.7, evaluation=1.0)
    rewards = play_batch(contest(chosen, second=KIND.space.start))
    found = RatedVector.from_rewards(KIND.space.start, rewards)
    assert (found.points.value, found.points.error) == (pytest.approx(0.0, abs=1e-9), 0.0)


def test_games_can_be_played_in_ranges():
    chosen = reward(length=0.5, evaluation=1.0)
    parts = [play_batch(contest(chosen, games=10, first_game=start)) for start in (0, 10)]
    assert np.allclose(np.concatenate(parts), play_batch(contest(chosen, games=20)))


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_plays_and_evaluates(name):
    space = FAMILIES[name].space
    assert len(space.names) == len(space.start) == len(space.scales) == len(space.low) == len(space.high)
    assert (space.clip(space.start) == space.start).all()
    assert (space.scales > 0).all()
    found = calibrate_reward(name, space.start, 0.5, 0.5)
    assert found.evaluation_spread > 0.0
    assert 30 < found.typical_length < 120
