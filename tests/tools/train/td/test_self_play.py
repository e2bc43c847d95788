"""The compiled training loop against numpy twins, and runs that are repeatable."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.nets.encoders import encode_tesauro196
from gammond.tools.train.kernels import td as kernel_td
from gammond.tools.train.td.self_play import SelfPlay, TdSettings
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.td_nets import TdNets, make_untrained_td_net


def random_boards(games: int, plies: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    boards = np.repeat(Position.start().board[None], games, axis=0)
    seen = [boards]
    for _ in range(plies):
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        children, _, offsets = expand_rolls(boards, dice)
        boards = children[generator.integers(offsets[:-1], offsets[1:])]
        boards = boards[classify_phases(boards) != Phase.OVER]
        seen.append(boards)
    return np.concatenate(seen)


def trainee(seed: int = 3, hidden: int = 16) -> TdNets:
    generator = np.random.default_rng(seed)
    return TdNets("t", make_untrained_td_net(hidden, generator), make_untrained_td_net(8, generator))


def player_nets(player: TdNets):
    return player.contact.one_layer_weights, player.race.one_layer_weights


def cross_entropy(net: LayeredNet, inputs: np.ndarray, target: np.ndarray) -> float:
    values = net.forward(inputs).astype(np.float64)[0]
    return float(-(target * np.log(values) + (1 - target) * np.log(1 - values)).sum())


@pytest.mark.nojit
def test_a_step_follows_the_numerical_gradient_of_the_cross_entropy():
    net = trainee(seed=8).contact
    boards = random_boards(1, 9, seed=9)[-1:]
    inputs = encode_tesauro196(boards)
    target = np.array([0.8, 0.3, 0.05, 0.1, 0.01], np.float32)
    rate = 1e-2
    after = net.copy()
    values = np.zeros((2, 5), np.float32)
    values[0] = target
    hidden, back = np.empty((1, 16), np.float32), np.empty(16, np.float32)
    kernel_td._take_step(
        boards, 0, after.one_layer_weights, rate, hidden, back, np.empty((5, 1), np.float32), values
    )
    generator = np.random.default_rng(10)
    for old, new in zip(net.one_layer_weights, after.one_layer_weights, strict=True):
        used = np.argwhere(np.abs(new - old) > 1e-4)
        for index in map(tuple, generator.permutation(used)[:5]):
            kept, width = old[index], np.float32(1e-2)
            old[index] = kept + width
            above = cross_entropy(net, inputs, target)
            old[index] = kept - width
            below = cross_entropy(net, inputs, target)
            old[index] = kept
            slope = (above - below) / (2 * float(width))
            assert (new - old)[index] == pytest.approx(-rate * slope, rel=0.05, abs=2e-6)


def test_lambda_one_learns_the_final_outcome_at_every_ply():
    """With λ = 1 all targets of a game are its result, so a huge number of steps on one game ends there."""
    player = trainee(seed=11)
    boards = np.repeat(Position.start().board[None], 3, axis=0).copy()
    values = np.full((4, 5), 0.5, np.float32)
    values[2] = [0, 0, 0, 1, 0]  # the side to move after two plies has lost a gammon
    for _ in range(400):
        kernel_td._learn_game(2, boards, values, *player_nets(player), 0.05, 1.0)
    # the same position is seen by the winner (ply 1) and the loser (ply 0): half and half
    win, win_g, _, lose_g, _ = player.evaluate(boards[:1])[0]
    assert win == pytest.approx(0.5, abs=0.05)
    assert win_g == pytest.approx(0.5, abs=0.06)
    assert lose_g == pytest.approx(0.5, abs=0.06)


def small(**changes) -> TdSettings:
    return TdSettings(
        **{"games": 256, "hidden": 8, "race_hidden": 4, "threads": 2, "round_games": 16, **changes}
    )


def test_the_rate_falls_by_the_same_factor_each_game_and_cuts_stop_at_the_last():
    settings = small(games=100, learning_rate=0.16, final_rate=0.01, backtrack_factor=0.5)
    assert [settings.learning_rate_at(games) for games in (0, 25, 50, 100, 120)] == pytest.approx(
        [0.16, 0.08, 0.04, 0.01, 0.01]
    )
    assert [settings.learning_rate_at(0, cuts) for cuts in (1, 2, 9)] == pytest.approx([0.08, 0.04, 0.01])
    assert settings.learning_rate_at(100, 1) == 0.01


def test_a_run_that_went_back_goes_on_from_the_other_weights_with_its_own_dice():
    run = SelfPlay(small())
    rounds = run.play_rounds()
    next(rounds)
    other, dice = trainee(hidden=8), run.dice_states.copy()
    run.backtrack_to(other.copy())
    assert run.rate == pytest.approx(0.5 * small().learning_rate_at(32))
    rest = SelfPlay(small(), other.copy(), 32, dice, cuts=1)
    next(rounds), next(rest.play_rounds())
    assert run.games_done == rest.games_done == 64
    for one, same in zip(
        run.nets.contact.one_layer_weights, rest.nets.contact.one_layer_weights, strict=True
    ):
        np.testing.assert_array_equal(one, same)


@pytest.mark.slow
def test_a_process_that_compiles_trains_the_same_net_as_one_that_loads(tmp_path):
    command = ["train", "td", "--games", "512", "--hidden", "16", "--race-hidden", "8"]
    command += ["--benchmark-games", "0"]
    environment = {**os.environ, "GAMMOND_CACHE": str(tmp_path / "kernels")}
    nets = []
    for run in ("compiles", "loads"):
        arguments = [sys.executable, "-m", "gammond", *command, str(tmp_path / run)]
        subprocess.run(arguments, env=environment, check=True, capture_output=True)
        with np.load(tmp_path / run / "checkpoint.npz") as file:
            nets.append({name: file[name] for name in file.files if name.startswith(("contact_", "race_"))})
    assert nets[0]
    for name, weights in nets[0].items():
        np.testing.assert_array_equal(nets[1][name], weights)
