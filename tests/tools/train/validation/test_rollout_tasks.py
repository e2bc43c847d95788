"""Rolling positions out: the labels, when they are accurate enough, and that nothing changes them."""

import dataclasses

import numpy as np
import pytest

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.rollout import RolloutSettings, roll_out_position
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_pruner
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.labels.rollouts import derive_dice_seed, make_rollout_evaluators
from gammond.tools.train.labels.sampling import make_sampler
from gammond.tools.train.runs.shard_loop import ShardTask, make_missing_shards
from gammond.tools.train.validation import rollout_tasks as rolling_out
from gammond.tools.train.validation.positions import ValidationPositions, draw_from_games, draw_positions
from gammond.tools.train.validation.rollout_labels import ROLLOUTS, read_rollouts, write_rollouts
from gammond.tools.train.validation.rollout_tasks import make_rollout_tasks, roll_out_shard, roll_out_to_error
from gammond.tools.train.weights.net_set import load_bearoff_evaluators, load_net_set
from tests.tools.train.shards import make_shard

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")

SHORT = RolloutSettings(trials=36, seed=5, stop_error=0.0, truncation=8)


@pytest.fixture(scope="module")
def nets():
    return load_net_set("default")


@pytest.fixture(scope="module")
def evaluators(nets):
    return make_rollout_evaluators(nets, load_pruner())


@pytest.fixture(scope="module")
def positions(nets):
    return draw_positions(
        {"contact": 5, "race": 3}, draw_from_games(make_sampler(nets, load_pruner())), seed=8
    )


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(rolling_out, "SHARD_POSITIONS", 3)


def test_a_label_is_the_mean_of_rollouts_with_dice_of_its_own(tmp_path, nets, evaluators, positions):
    task = ShardTask((nets, 0, SHORT), ROLLOUTS.find(tmp_path, 2), 40, positions[:4], write_rollouts)
    made = make_shard(roll_out_shard, task)
    labels = read_rollouts(task.file)
    assert task.file.name == "rollouts-000002.npz"
    assert (made["labelled"], made["trials"]) == (4, 4 * 36)
    seeds = [derive_dice_seed(rolling_out._DICE_SEED_TAG, 5, place) for place in range(40, 44)]
    assert (
        len({*seeds, *(derive_dice_seed(rolling_out._DICE_SEED_TAG, 6, place) for place in range(40, 44))})
        == 8
    )
    for i, seed in enumerate(seeds):
        settings = dataclasses.replace(SHORT, seed=seed)
        expected, _ = roll_out_position(Position(positions.boards[i]), evaluators, settings)
        assert cubeless_equity(labels.outcomes[i]) == pytest.approx(expected.cubeless_equity, abs=0.01)
        scores = roll_out_to_error(positions.boards[i], evaluators, settings)
        np.testing.assert_allclose(labels.outcomes[i], scores.mean(axis=0), atol=1e-6)
        spread = CUBELESS_GAME.equities(scores).std(ddof=1)
        assert labels.equity_errors[i] == pytest.approx(spread / 6, rel=1e-5)
    assert made["error"] == pytest.approx(float(np.sqrt(np.square(labels.equity_errors).mean())), rel=1e-5)


def test_a_position_is_rolled_out_until_it_is_known_well_enough(evaluators, positions):
    board = positions.boards[positions.classes == 0][0]
    settings = RolloutSettings(trials=720, seed=1, stop_error=1.0, min_trials=36, truncation=8)
    first = roll_out_to_error(board, evaluators, settings)
    assert len(first) == 36
    spread = CUBELESS_GAME.equities(first).std(ddof=1)
    wanted = spread / np.sqrt(100)
    enough = roll_out_to_error(board, evaluators, dataclasses.replace(settings, stop_error=wanted))
    assert len(enough) == 108
    np.testing.assert_array_equal(enough[:36], first)
    error = CUBELESS_GAME.equities(enough).std(ddof=1) / np.sqrt(108)
    assert error == pytest.approx(wanted, rel=0.35)
    never = roll_out_to_error(board, evaluators, dataclasses.replace(settings, stop_error=1e-6, trials=72))
    assert len(never) == 72


def test_a_game_ends_where_a_bearoff_database_knows_it(nets, evaluators):
    sampler = dataclasses.replace(make_sampler(nets, load_pruner()), exact_evaluators=())
    races = draw_positions({"race": 60}, draw_from_games(sampler), seed=3).boards
    known = races[load_bearoff_evaluators()[-1].covers(races)]
    assert len(known)
    scores = roll_out_to_error(known[0], evaluators, SHORT)
    expected = nets.make_evaluator().evaluate(known[:1])[0]
    np.testing.assert_allclose(scores, np.tile(expected, (36, 1)), atol=1e-6)


def test_with_look_ahead_other_plays_are_made(nets, evaluators, positions):
    settings = dataclasses.replace(SHORT, truncation=4)
    deep = make_rollout_evaluators(nets, load_pruner(), 1)
    board = positions.boards[positions.classes == 0][0]
    shallow, deeper = (roll_out_to_error(board, each, settings) for each in (evaluators, deep))
    assert 0 < (np.abs(shallow - deeper) > 1e-9).any(axis=1).sum() <= 36
    assert abs(CUBELESS_GAME.equities(shallow).mean() - CUBELESS_GAME.equities(deeper).mean()) < 0.2


def test_only_what_is_missing_is_rolled_out(tmp_path, nets, positions, small_shards, monkeypatch):
    tasks = make_rollout_tasks(nets, 0, SHORT, tmp_path, positions)
    make_shard(roll_out_shard, tasks[1])
    shown: list[int] = []
    monkeypatch.setattr(Progress, "update", lambda bar, done, extra: shown.append(done))
    with ProcessPool(1) as processes:
        made = make_missing_shards(roll_out_shard, tasks, processes, "positions")
    assert ([record["labelled"] for record in made], shown) == ([3, 2], [6, 8])


def test_the_places_of_a_shard_go_on_where_the_one_before_ended(tmp_path, nets, small_shards):
    boards = np.zeros((7, 2, 26), np.int8)
    positions = ValidationPositions(boards, np.zeros(7, np.uint8), ("contact",))
    tasks = make_rollout_tasks(nets, 0, SHORT, tmp_path, positions)
    assert [(task.place, len(task.items)) for task in tasks] == [(0, 3), (3, 3), (6, 1)]
