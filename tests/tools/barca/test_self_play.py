"""Games between vectors at a fixed depth."""

import signal

import numpy as np
import pytest

from gammond.engine.barca.evaluation import HAND_WEIGHTS, list_conditions, load_weights
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.player import make_player
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.errors import CancelledWork
from gammond.tools.barca.self_play import SelfPlayedGame, VectorGames, count_score, draw_opening, play_pairs
from gammond.tools.barca.weights import SPACE, make_evaluation_vector

OTHER = make_evaluation_vector(SPACE.start * -0.5)


@pytest.mark.parametrize("depth", [1, 2])
def test_games_are_those_of_the_players_of_the_engine(depth):
    for number in range(4):
        opening = draw_opening(4, np.random.default_rng(number))
        sides = make_player(f"search:depth={depth}"), make_player(f"search:depth=1,weights={OTHER.to_text()}")
        played = VectorGames(*sides).play(opening, 4)
        game = BarcaGame.from_position(opening)
        while game.result is None:
            game = game.play(sides[game.position.side].choose(game))
        assert played.winner == game.result.winner
        assert played.plies == 4 + len(game.moves)
        assert played.squares[-1].tolist() == game.position.squares.tolist()


@pytest.mark.parametrize("error", [KeyboardInterrupt, None])
def test_games_end_when_they_are_asked_to_and_on_ctrl_c(error):
    def stop():
        if error is not None:
            raise error
        return True

    player = make_player("search:depth=4")
    with pytest.raises(error or CancelledWork):
        VectorGames(player, player, stop).play(draw_opening(4, np.random.default_rng(1)), 4)


def test_ctrl_c_within_a_search_is_raised_after_it_and_prints_nothing(capfd):
    asked = []

    def interrupt():
        asked.append(True)
        signal.raise_signal(signal.SIGINT)
        return False

    player = make_player("search:depth=4")
    with pytest.raises(KeyboardInterrupt):
        VectorGames(player, player, interrupt).play(draw_opening(4, np.random.default_rng(1)), 4)
    assert len(asked) <= 2
    assert capfd.readouterr().err == ""


def test_an_opening_is_the_same_for_the_same_seed_and_nobody_has_won_it():
    drawn = [draw_opening(20, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(each.winner is None and each.side == 0 for each in drawn)


def test_both_games_of_a_pair_have_the_same_opening_and_each_vector_is_white_once():
    pairs = list(play_pairs(HAND_WEIGHTS, OTHER, 1, range(3), (7, 0), 4))
    for one, other in pairs:
        assert one.squares[0].tolist() == other.squares[0].tolist()
    (alone,) = play_pairs(HAND_WEIGHTS, OTHER, 1, [2], (7, 0), 4)
    assert [game.plies for game in alone] == [game.plies for game in pairs[2]]


@pytest.mark.parametrize(("plies", "pairs"), [(1, 150), pytest.param(2, 60, marks=pytest.mark.slow)])
def test_learned_weights_beat_those_by_hand_by_more_than_two_standard_errors(plies, pairs):
    played = play_pairs(load_weights("learned"), HAND_WEIGHTS, plies, range(pairs), (11, 0), 4)
    means = np.array([(count_score(one, 0) + count_score(other, 1)) / 2 for one, other in played])
    assert means.mean() > 2.0 * means.std(ddof=1) / np.sqrt(pairs)


def test_a_game_is_worth_one_point_to_its_winner():
    squares = np.zeros((1, 12), np.int8)
    won, drawn = SelfPlayedGame(1, squares, 0, 9), SelfPlayedGame(None, squares, 0, 9)
    assert [count_score(won, side) for side in (0, 1)] == [-1, 1]
    assert [count_score(drawn, side) for side in (0, 1)] == [0, 0]


def test_conditions_are_those_of_the_side_to_move_less_the_others():
    opening = draw_opening(5, np.random.default_rng(3))
    game = SelfPlayedGame(None, opening.squares.copy()[None], opening.side, 5)
    white, black = list_conditions(BarcaPosition(opening.squares, 1))
    assert opening.side == 1
    assert game.list_conditions()[0].tolist() == (black - white).tolist()
