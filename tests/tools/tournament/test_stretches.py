"""Stretches of games: what they count in each mode, dice that pairs share, and seats that are swapped."""

from __future__ import annotations

import numpy as np
import pytest

from engine.game_record import Rolled
from nets.loading import load_player
from tools.tournament.entrants import load_cube_player
from tools.tournament.rules import Mode, Rules
from tools.tournament.stretches import (
    CubePairing,
    Pairing,
    Stretch,
    cube_scores,
    ending_of,
    scores_of,
)

MATCH = Rules(Mode.MATCH, 2, 3)
MONEY = Rules(Mode.CUBEFUL, 2)


@pytest.fixture(scope="module")
def players():
    return load_cube_player("default"), load_cube_player("default:noise=150,seed=3")


def rolls(game):
    return [action.roll for action in game.actions if isinstance(action, Rolled)]


def test_games_without_the_cube_count_points_and_how_they_were_won():
    points = np.array([1, -2, 3, -1], np.int8)
    scores = scores_of(points, Mode.CUBELESS)
    assert scores.values.tolist() == scores.kinds.tolist() == [1, -2, 3, -1]


def test_home_bound_games_count_pips_and_whoever_is_ahead_has_won():
    pairing = Pairing(load_player("pubeval"), load_player("random"), 3, ending_of(Mode.HOME_BOUND))
    counted = pairing.play(Stretch(0, 20))
    scores = scores_of(counted, Mode.HOME_BOUND)
    assert scores.values == pytest.approx(counted)
    assert scores.kinds.tolist() == np.sign(counted).tolist()
    assert scores.mean > 20


def test_both_halves_of_a_pair_have_the_same_dice_and_another_beginner(players):
    played = CubePairing(*players, MONEY).play(Stretch(6, 6))
    for (forth,), (back,) in zip(played[::2], played[1::2], strict=True):
        assert (forth.begun.on_roll, back.begun.on_roll) == (0, 1)
        shared = min(len(rolls(forth)), len(rolls(back)))
        assert rolls(forth)[:shared] == rolls(back)[:shared]
    assert len({tuple(rolls(game)[:2]) for (game,) in played[::2]}) == 3


def test_matches_share_their_dice_game_by_game_and_swap_the_openings(players):
    forth, back = CubePairing(players[0], players[0], Rules(Mode.MATCH, 2, 15)).play(Stretch(0, 2))
    shared = min(len(forth), len(back))
    assert shared > 1
    for game, other in zip(forth[:shared], back[:shared], strict=True):
        assert game.begun.on_roll == 1 - other.begun.on_roll
        assert rolls(game)[0] == rolls(other)[0]
    assert len({tuple(rolls(game)[:3]) for game in forth}) == len(forth)


@pytest.mark.parametrize("rules", [MONEY, MATCH])
def test_swapped_players_swap_the_results(players, rules):
    stretch = Stretch(0, 6)
    forth = cube_scores(CubePairing(*players, rules).play(stretch), rules.mode)
    back = cube_scores(CubePairing(*players[::-1], rules).play(stretch), rules.mode)
    assert forth.values.tolist() == back.mirrored().values.tolist()
    assert forth.kinds.tolist() == back.mirrored().kinds.tolist()


def test_a_player_scores_nothing_against_itself_in_matches(players):
    scores = cube_scores(CubePairing(players[0], players[0], MATCH).play(Stretch(0, 6)), Mode.MATCH)
    assert scores.pair_values.tolist() == [0.0, 0.0, 0.0]


def test_a_stretch_of_a_series_is_the_series_cut(players):
    table = CubePairing(*players, MATCH)
    whole = cube_scores(table.play(Stretch(0, 6)), Mode.MATCH).values.tolist()
    assert cube_scores(table.play(Stretch(2, 4)), Mode.MATCH).values.tolist() == whole[2:]


def test_money_games_count_points_with_the_cube_and_kinds_without(players):
    played = CubePairing(*players, MONEY).play(Stretch(0, 12))
    scores = cube_scores(played, Mode.CUBEFUL)
    for (game,), value, kind in zip(played, scores.values.tolist(), scores.kinds.tolist(), strict=True):
        sign = 1 if game.result.winner == 0 else -1
        assert (value, kind) == (sign * game.result.points, sign * game.result.kind)
    assert np.abs(scores.values).max() > 1
    assert played[-1][0].begun.score[0] == sum(value for value in scores.values[:-1].tolist() if value > 0)


def test_progress_counts_games(players):
    seen = []
    CubePairing(*players, MONEY).play(Stretch(0, 4), seen.append)
    assert seen == [1, 2, 3, 4]
