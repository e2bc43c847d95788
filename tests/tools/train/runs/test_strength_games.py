"""The strength of players in training: opponents, dice, and the report."""

import pytest

from engine.errors import ValueRangeError
from engine.play.lockstep import play_games
from engine.play.player import RandomPlayer
from nets.players.pubeval import PubevalPlayer
from tools.train.runs.strength_games import (
    check_backtrack,
    check_benchmark,
    load_opponents,
    play_opponents,
    strengths_from_results,
)


def test_for_no_games_nobody_is_loaded():
    assert load_opponents(("random", "no such player"), 0) == {}
    assert list(load_opponents(("random", "pubeval"), 4)) == ["random", "pubeval"]


def test_a_player_meets_each_opponent_with_the_same_dice():
    opponents = {"one": RandomPlayer(7), "other": RandomPlayer(7)}
    results = play_opponents(PubevalPlayer(), opponents, 40)
    assert results["one"].points.tolist() == results["other"].points.tolist()
    expected = play_games(PubevalPlayer(), RandomPlayer(7), 40, 1)
    assert results["one"].points.tolist() == expected.points.tolist()


def test_strength_is_points_per_game_with_their_error():
    results = play_opponents(PubevalPlayer(), {"chance": RandomPlayer(7)}, 40)
    (strength,) = strengths_from_results(results)
    assert (strength.opponent, strength.games) == ("chance", 40)
    assert strength.points_per_game == results["chance"].points.mean() > 0.5
    assert strength.standard_error == results["chance"].standard_error > 0.0


@pytest.mark.parametrize(("opponents", "games"), [((), 4), (("random",), 0)])
def test_a_run_that_measures_nothing_cannot_go_back_to_its_best_net(opponents, games):
    check_backtrack(0.0, opponents, games)
    check_backtrack(0.5, ("random",), 4)
    with pytest.raises(ValueRangeError, match="benchmark games and opponents") as caught:
        check_backtrack(0.5, opponents, games)
    assert caught.value.field == "backtrack"


@pytest.mark.parametrize("games", [2, 7, -2])
def test_a_measurement_has_an_even_number_of_games_and_an_error(games):
    with pytest.raises(ValueRangeError, match=f"or more, got {games}"):
        check_benchmark((), games)
