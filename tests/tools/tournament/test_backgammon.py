"""Ranges of games: their scores in each mode, the dice that pairs share, and swapped seats."""

import numpy as np
import pytest

from gammond.engine.play.lockstep import HOME_BOUND, play_games
from gammond.engine.rules.game_record import PlayAction
from gammond.nets.catalogue import load_player
from gammond.tools.tournament.backgammon import TournamentMode, TournamentRules, score_cubeful_games
from gammond.tools.tournament.entrants import load_cube_player
from gammond.tools.tournament.games import GameRange, PairingTask

MATCH = TournamentRules(TournamentMode.MATCH, 2, 3)
MONEY = TournamentRules(TournamentMode.CUBEFUL, 2)


@pytest.fixture(scope="module")
def players():
    return load_cube_player("default"), load_cube_player("default:noise=150,seed=3")


def rolls(game):
    return [action.roll for action in game.actions if isinstance(action, PlayAction)]


def test_home_bound_games_count_pips_and_whoever_is_ahead_has_won():
    counted = play_games(load_player("pubeval"), load_player("random"), 20, 3, ending=HOME_BOUND)
    rules = TournamentRules(TournamentMode.HOME_BOUND, 3)
    scores = rules.play_range(PairingTask(rules, ("pubeval", "random"), (0, 1), GameRange(0, 20)))
    assert scores.values.tolist() == counted.values.tolist()
    assert scores.kinds.tolist() == np.sign(counted.values).tolist()
    assert scores.score.value > 20


def test_both_halves_of_a_pair_have_the_same_dice_and_another_beginner(players):
    played = MONEY.play_with_cube(players, GameRange(6, 6))
    for (forth,), (back,) in zip(played[::2], played[1::2], strict=True):
        assert (forth.initial_state.on_roll, back.initial_state.on_roll) == (0, 1)
        shared = min(len(rolls(forth)), len(rolls(back)))
        assert rolls(forth)[:shared] == rolls(back)[:shared]
    assert len({tuple(rolls(game)[:2]) for (game,) in played[::2]}) == 3


def test_matches_share_their_dice_game_by_game_and_swap_the_openings(players):
    rules = TournamentRules(TournamentMode.MATCH, 2, 15)
    forth, back = rules.play_with_cube((players[0], players[0]), GameRange(0, 2))
    shared = min(len(forth), len(back))
    assert shared > 1
    for game, other in zip(forth[:shared], back[:shared], strict=True):
        assert game.initial_state.on_roll == 1 - other.initial_state.on_roll
        assert rolls(game)[0] == rolls(other)[0]
    assert len({tuple(rolls(game)[:3]) for game in forth}) == len(forth)


def test_money_games_count_points_with_the_cube_and_kinds_without(players):
    played = MONEY.play_with_cube(players, GameRange(0, 12))
    scores = score_cubeful_games(played, TournamentMode.CUBEFUL)
    for (game,), value, kind in zip(played, scores.values.tolist(), scores.kinds.tolist(), strict=True):
        sign = 1 if game.result.winner == 0 else -1
        assert (value, kind) == (sign * game.result.points, sign * game.result.kind)
    assert np.abs(scores.values).max() > 1
    assert played[-1][0].initial_state.score[0] == sum(
        value for value in scores.values[:-1].tolist() if value > 0
    )
