"""Games and matches with the cube: the right to double, scores, and the end of a match."""

from types import SimpleNamespace

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork, LimitError
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.play.cube_games import play_game, play_match
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position


class Bold:
    """Plays the first legal play, doubles whenever it may, and gives set answers."""

    def __init__(self, *answers: CubeResponse, doubles: bool = True) -> None:
        self.answers = list(answers)
        self.doubling = doubles
        self.asked = []

    def with_rules(self, rules):
        return self

    def choose_play(self, position, roll, match):
        assert match.roll is None
        return SimpleNamespace(play=legal_plays(position, roll)[0])

    def should_double(self, position, match):
        assert match.may_double(match.on_roll)
        return self.doubling

    def choose_response(self, position, match):
        self.asked.append((position, match))
        return self.answers.pop(0) if self.answers else CubeResponse.TAKE


def dice(number: int = 0):
    def roll(turn):
        die, other = draw_paired_dice(1, np.array([number]), np.array([turn]))[0].tolist()
        return die, other

    return roll


def list_cube_actions(game):
    return [action for action in game.actions if not isinstance(action, PlayAction)]


def test_nobody_doubles_before_the_opening_roll():
    game = play_game((Bold(), Bold(CubeResponse.PASS)), MatchState(), dice())
    assert isinstance(game.actions[0], PlayAction)
    assert list_cube_actions(game) == [
        DoubleAction(1, 2),
        ResponseAction(0, True),
        DoubleAction(0, 4),
        ResponseAction(1, False),
    ]
    assert (game.result.winner, game.result.points) == (0, 2)


def test_a_dropped_double_loses_the_cube_as_it_was_and_is_asked_of_the_other_seat():
    answers = Bold(CubeResponse.PASS)
    game = play_game((answers, Bold()), MatchState(), dice())
    assert list_cube_actions(game) == [DoubleAction(1, 2), ResponseAction(0, False)]
    assert (game.result.winner, game.result.kind, game.result.points) == (1, 1, 1)
    assert len(game.actions) == 3
    ((position, match),) = answers.asked
    assert (match.on_roll, match.cube) == (1, 1)
    assert position == game.actions[0].play.result


def test_a_game_without_doubles_counts_what_it_was_won_by():
    still = Bold(doubles=False)
    for number in range(6):
        game = play_game((still, still), MatchState(on_roll=1), dice(number))
        assert list_cube_actions(game) == []
        assert [action.seat for action in game.actions[:3]] == [1, 0, 1]
        assert game.result.winner == game.actions[-1].seat
        assert game.result.points == game.result.kind
        position = Position.start()
        for action in game.actions:
            assert action.play in legal_plays(position, action.roll)
            position = action.play.result
        assert position.is_over


def test_a_beaver_counts_as_a_take():
    game = play_game((Bold(CubeResponse.BEAVER), Bold(CubeResponse.PASS)), MatchState(beavers=False), dice())
    assert list_cube_actions(game)[:2] == [DoubleAction(1, 2), ResponseAction(0, True)]


def test_a_match_goes_on_until_a_side_has_its_points_and_knows_the_crawford_game():
    players = Bold(), Bold(doubles=False)
    games = play_match(players, 5, lambda number: number % 2, dice)
    score = [0, 0]
    crawford = 0
    for number, game in enumerate(games):
        assert game.initial_state.score == tuple(score)
        assert game.initial_state.on_roll == game.actions[0].seat == number % 2
        if game.initial_state.crawford:
            crawford += 1
            assert list_cube_actions(game) == []
        score[game.result.winner] += game.result.points
    assert max(score) >= 5 > min(score)
    assert all(max(game.initial_state.score) < 5 for game in games)
    assert crawford <= 1


def test_a_match_to_one_point_is_one_game_without_the_cube():
    (game,) = play_match((Bold(), Bold()), 1, lambda number: 0, dice)
    assert list_cube_actions(game) == []


def test_a_game_stops_when_cancelled():
    with pytest.raises(CancelledWork, match="turn 2"):
        play_game((Bold(), Bold()), MatchState(), dice(), iter([False, False, True]).__next__)


def test_a_game_that_does_not_end_is_an_error(monkeypatch):
    monkeypatch.setattr("gammond.engine.play.cube_games.MAX_TURNS", 5)
    with pytest.raises(LimitError, match="over 5 turns"):
        play_game((Bold(doubles=False), Bold(doubles=False)), MatchState(), dice())
