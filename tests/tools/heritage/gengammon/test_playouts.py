"""Data from playouts: positions of self-play, plays scored by mean lead, a net that learns from them."""

from dataclasses import astuple

import numpy as np
import pytest

from gammond.engine.kernels import as_kernel_array
from gammond.engine.play.lockstep import HOME_BOUND, PIPS_PER_ROLL, play_games
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.heritage.gengammon.net import ACTIVATIONS, GengammonNet, GengammonPlayer
from gammond.tools.heritage.gengammon.kernels.playouts import play_out
from gammond.tools.heritage.gengammon.playouts import (
    find_best_by_playouts,
    measure_lead,
    sample_own_positions,
)
from tests.support import boards
from tests.tools.heritage.gengammon.teaching import random_net

NET = random_net(1, "linear")


def _runner(strength: float) -> GengammonNet:
    """A net that runs home, its games are short; how eagerly it leaves its rear points is its own."""
    weights = np.zeros((26, 52), np.float32)
    weights[0, :24] = -(np.arange(24.0) ** strength)
    weights[0, 24] = -(25.0**strength)
    return GengammonNet(weights, "linear")


FORWARDS, BACKWARDS = _runner(1.5), _runner(0.5)


def _leads(plays, seeds, trials, max_turns=300):
    leads = np.empty(len(plays), np.float64)
    lanes, activation = NET.padded_weights, ACTIVATIONS[NET.activation]
    play_out(
        as_kernel_array(plays, np.int8), seeds, lanes, activation, trials, max_turns, PIPS_PER_ROLL, leads
    )
    return leads


def test_positions_of_own_games_have_contact_and_a_choice():
    found, dice = sample_own_positions(NET, 150, np.random.default_rng(1))
    assert found.shape == (150, 2, 26)
    assert (classify_phases(found) < Phase.RACE).all()
    assert (np.diff(expand_rolls(found, dice)[2]) > 1).all()
    assert len(np.unique(found, axis=0)) > 100


def test_a_race_counts_as_it_stands():
    after = boards.position({6: 3, 2: 1}, {20: 4, 24: 1}).board[None]
    seeds = np.array([7], np.uint64)
    assert _leads(after, seeds, 5)[0] == pytest.approx(HOME_BOUND.score_games(after)[0], abs=1e-4)


def test_a_game_that_is_cut_short_counts_where_it_stands_for_the_side_that_had_played():
    after = boards.random_boards(200, seed=3)
    after = after[classify_phases(after) < Phase.RACE][:1].copy()
    seeds = np.array([7], np.uint64)
    assert _leads(after, seeds, 1, max_turns=0)[0] == pytest.approx(
        HOME_BOUND.score_games(after)[0], abs=1e-4
    )


def test_leads_are_those_of_the_players_own_games():
    """The kernel's player is `GengammonPlayer`: one turn from a play leaves what that one would leave."""
    found, _ = sample_own_positions(NET, 40, np.random.default_rng(2))
    player = GengammonPlayer("x", NET)
    possible = []
    for high in range(1, 7):
        for low in range(1, 7):
            dice = np.full((len(found), 2), (high, low), np.int8)
            possible.append(-HOME_BOUND.score_games(player.choose(found, dice)))
    leads = _leads(found, np.arange(40, dtype=np.uint64), 1, max_turns=1)
    assert np.isclose(leads, np.array(possible), atol=1e-3).any(axis=0).all()


def test_the_same_seed_gives_the_same_dice_to_all_plays():
    found, _ = sample_own_positions(NET, 10, np.random.default_rng(3))
    twice = np.repeat(found, 2, axis=0)
    seeds = np.repeat(np.arange(10, dtype=np.uint64), 2)
    leads = _leads(twice, seeds, 8)
    np.testing.assert_array_equal(leads[::2], leads[1::2])
    assert not np.array_equal(_leads(twice, seeds + np.uint64(1000), 8), leads)


@pytest.mark.slow
def test_the_chosen_play_leads_by_most_and_threads_do_not_change_it():
    found, dice = sample_own_positions(NET, 40, np.random.default_rng(4))
    plays = find_best_by_playouts(NET, found, dice, trials=8, seed=5, threads=1)
    again = find_best_by_playouts(NET, found, dice, trials=8, seed=5, threads=3)
    np.testing.assert_array_equal(plays.chosen, again.chosen)
    of_move = np.random.default_rng(5).integers(0, 2**64, 40, dtype=np.uint64)
    leads = _leads(plays.boards, np.repeat(of_move, np.diff(plays.offsets)), 8)
    for i in range(40):
        own = leads[plays.offsets[i] : plays.offsets[i + 1]]
        assert leads[plays.chosen[i]] == own.max()


def test_the_lead_is_that_of_games_by_the_home_bound_metric():
    other = random_net(2, "linear")
    lead = measure_lead(NET, other, 100, seed=3)
    assert measure_lead(other, NET, 100, seed=3).value != lead.value
    assert measure_lead(NET, NET, 100, seed=3).value == 0.0
    assert lead.error > 0
    mimics = [GengammonPlayer(name, net) for name, net in (("a", BACKWARDS), ("b", FORWARDS))]
    games = play_games(*mimics, 100, 3, ending=HOME_BOUND)
    found = measure_lead(BACKWARDS, FORWARDS, 100, seed=3)
    assert astuple(found) == pytest.approx(astuple(games.score), rel=1e-4)
