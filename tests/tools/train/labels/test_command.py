"""Labelling: labels are exact backups, or means of games."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from gammond.engine.bearoff import save_table
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import DataFileError, StateError, UnsupportedError
from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.rollout import RolloutSettings, roll_out_position
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.outcome import cubeless_equity, invert_outcomes
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.train.labels import command as label
from gammond.tools.train.labels import label_tasks
from gammond.tools.train.labels.label_tasks import LabelPlan, label_shard
from gammond.tools.train.labels.rollouts import derive_dice_seed, make_rollout_evaluators
from gammond.tools.train.labels.shards import read_shard
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import load_bearoff_evaluators, load_net_set
from tests.support.commands import run_tool
from tests.tools.train.shards import make_shard

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")

FEW = {"selfplay": 2.0, "crashed": 1.0}
OPTIONS = ["--net", "fast", "--positions", "150", "--sources", "selfplay=2,crashed", "--threads", "1"]
run_command = partial(run_tool, label)


def plan(plies: int = 1, seed: int = 3) -> LabelPlan:
    return LabelPlan(load_net_set("fast"), FEW, "contact", plies, seed)


def test_a_label_is_the_mean_over_all_rolls_of_the_best_reply(tmp_path):
    task = plan().make_tasks(tmp_path, 60)[0]
    make_shard(label_shard, task)
    labels, made = read_shard(task.file)
    evaluator = load_evaluator("fast")
    expected = np.zeros((60, 5))
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        children, _ = choose_best_children(
            evaluator, labels.boards, np.tile(np.array(roll, np.int8), (60, 1))
        )
        expected += weight * invert_outcomes(evaluator.evaluate(children))
    np.testing.assert_allclose(labels.targets, expected, atol=2e-6)
    assert (made.plies, made.seed, made.net.split()[0]) == (1, 3, "fast")
    assert {name: int((labels.sources == i).sum()) for i, name in enumerate(labels.source_names)} == {
        "selfplay": 40,
        "crashed": 20,
    }


def test_deeper_labels_are_means_of_the_shallower_ones(tmp_path):
    deep = plan(plies=2).make_tasks(tmp_path, 12)[0]
    make_shard(label_shard, deep)
    labels, made = read_shard(deep.file)
    shallow = load_evaluator("fast").evaluate(labels.boards)
    assert made.plies == 2
    assert 0.0 < np.abs(cubeless_equity(labels.targets) - cubeless_equity(shallow)).max() < 0.5


def test_plays_of_a_roll_are_labelled_together(tmp_path):
    task = replace(plan(), plays=3).make_tasks(tmp_path, 60)[0]
    make_shard(label_shard, task)
    labels, made = read_shard(task.file)
    assert (len(labels), made.plays) == (60, 3)
    alone = replace(labels, decisions=np.arange(60))
    evaluator, optimal = (
        load_evaluator("fast"),
        [each for each in load_bearoff_evaluators() if each.is_optimal],
    )
    deep = NPlyEvaluator(evaluator, load_pruner(), 1, exact=tuple(optimal)).evaluate(alone.boards)
    np.testing.assert_allclose(labels.targets, deep, atol=2e-6)
    shallow = cubeless_equity(evaluator.evaluate(labels.boards))
    for number in range(labels.decisions[-1]):  # the last one may be cut
        own = shallow[labels.decisions == number]
        assert 2 <= len(own) <= 3
        assert (np.diff(own) >= 0).all()
        assert own[-1] - own[0] <= 0.12
        assert len({labels.sources[i] for i in np.flatnonzero(labels.decisions == number)}) == 1


def test_rolled_out_plays_of_a_roll_share_their_dice(tmp_path):
    nets = load_net_set("fast")
    evaluators = make_rollout_evaluators(nets, load_pruner())
    boards = np.repeat(STANDARD_RULES.starting_position.board[None], 3, axis=0)
    one, same, other = label_tasks.roll_out_labels(
        boards, np.array([5, 5, 6]), evaluators, RolloutSettings(trials=2), (1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_another_pruning_net_finds_other_replies(tmp_path):
    untrained = LayeredNet.make_untrained("tesauro196", [4], np.random.Generator(np.random.PCG64(2)))
    nets = load_net_set("fast")
    lost = nets.with_nets({"contact": untrained, "race": untrained}, "lost")
    made = {}
    for name, pruner in {"usual": None, "same": nets, "lost": lost}.items():
        task = replace(plan(), pruning_nets=pruner).make_tasks(tmp_path / name, 40)[0]
        make_shard(label_shard, task)
        made[name], _ = read_shard(task.file)
    np.testing.assert_array_equal(made["same"].targets, made["usual"].targets)
    np.testing.assert_array_equal(made["lost"].boards, made["usual"].boards)
    lost_points = cubeless_equity(made["usual"].targets) - cubeless_equity(made["lost"].targets)
    assert lost_points.mean() > 0.02  # a pruning net that knows nothing finds bad replies


def test_a_rolled_out_label_is_the_mean_of_games_with_dice_of_its_own(tmp_path):
    rolled = replace(plan(), trials=72, truncation=10)
    task = rolled.make_tasks(tmp_path, 12)[0]
    made = make_shard(label_shard, task)
    labels, metadata = read_shard(task.file)
    assert (made["labelled"], metadata.trials, metadata.truncation) == (12, 72, 10)
    nets = load_net_set("fast")
    evaluators = make_rollout_evaluators(nets, load_pruner())
    for place in (0, 11):
        dice = derive_dice_seed(label_tasks._DICE_SEED_TAG, rolled.seed, task.place, place)
        settings = RolloutSettings(trials=72, truncation=10, seed=dice)
        alone, _ = roll_out_position(Position(labels.boards[place]), evaluators, settings)
        np.testing.assert_allclose(labels.targets[place], alone.outcome, atol=2e-6)
    shallow = cubeless_equity(nets.make_evaluator().evaluate(labels.boards))
    assert 0.005 < np.abs(cubeless_equity(labels.targets) - shallow).mean() < 0.3


@pytest.fixture(scope="module")
def larger_bearoff(tmp_path_factory):
    """A database of 7 points, and its file."""
    table = build_one_sided(7, 15)
    path = tmp_path_factory.mktemp("bearoff") / table.header.file_name
    save_table(table, path)
    return table, path


def test_a_bearoff_database_labels_the_races_that_it_covers_and_evaluates_the_replies_of_others(
    tmp_path, larger_bearoff
):
    table, path = larger_bearoff
    exact = replace(plan(), sources={"race": 1.0}, phase="race", bearoff=str(path))
    task = exact.make_tasks(tmp_path, 300)[0]
    make_shard(label_shard, task)
    labels, _ = read_shard(task.file)
    is_covered = table.covers(labels.boards)
    assert 10 < is_covered.sum() < 290
    expected = table.evaluate(labels.boards[is_covered])
    np.testing.assert_allclose(labels.targets[is_covered], expected, atol=1e-6)
    two_sided, _ = load_bearoff_evaluators()
    nets = load_net_set("fast")
    with_table = nets.make_evaluator((two_sided, table))
    deep = NPlyEvaluator(with_table, load_pruner(), 1, exact=(two_sided,))
    expected = deep.evaluate(labels.boards[~is_covered])
    np.testing.assert_allclose(labels.targets[~is_covered], np.clip(expected, 0, 1), atol=2e-6)
    without = NPlyEvaluator(nets.make_evaluator(), load_pruner(), 1, exact=(two_sided,))
    assert np.abs(without.evaluate(labels.boards[~is_covered]) - expected).max() > 1e-4


@pytest.mark.parametrize("how", [{"trace": 1.0}, {"trials": 36}, {"plies": 2}])
def test_a_bearoff_database_labels_without_trace_rollouts_or_deeper_look_ahead(larger_bearoff, how):
    with pytest.raises(UnsupportedError, match="no trace and no trials with a bearoff database"):
        replace(plan(), phase="race", bearoff=str(larger_bearoff[1]), **how)


def test_a_two_sided_database_labels_nothing(tmp_path):
    path = tmp_path / "two.bearoff"
    save_table(build_two_sided(2, 2), path)
    with pytest.raises(DataFileError, match="expected a one-sided database, got two-sided 2x2"):
        replace(plan(), phase="race", bearoff=str(path))


@pytest.mark.parametrize("source", ["race", "gammon-race"])
def test_races_are_set_up_for_the_race_net_alone(source):
    with pytest.raises(UnsupportedError, match=f"{source}, which has no contact positions"):
        replace(plan(), sources={source: 1.0})


def test_rolled_out_labels_have_small_shards_and_those_of_look_ahead_large_ones(tmp_path):
    assert [len(task.items) for task in replace(plan(), trials=36).make_tasks(tmp_path, 1000)] == [512, 488]
    assert [len(task.items) for task in plan().make_tasks(tmp_path, 1000)] == [1000]


def test_a_trace_gives_a_position_the_corrections_of_those_after_it(tmp_path):
    traced = replace(plan(), sources={"selfplay": 2.0, "disagreement": 1.0}, trace=1.0)
    task = traced.make_tasks(tmp_path, 300)[0]
    make_shard(label_shard, task)
    labels, _ = read_shard(task.file)
    evaluator = load_evaluator("fast")
    backups = cubeless_equity(NPlyEvaluator(evaluator, load_pruner(), 1).evaluate(labels.boards))
    carried = cubeless_equity(labels.targets) - backups
    alone = labels.source_names.index("disagreement")
    np.testing.assert_allclose(carried[labels.sources == alone], 0.0, atol=2e-3)
    own = backups - cubeless_equity(evaluator.evaluate(labels.boards))
    assert np.sqrt(np.square(carried[labels.sources != alone]).mean()) > 1.5 * np.sqrt(np.square(own).mean())
    assert labels.targets.min() < 0.0  # rare outcomes scatter to both sides, or their mean were too high


def test_labels_by_other_nets_are_not_mixed_in(tmp_path):
    folder = tmp_path / "a"
    run_command(str(folder), *OPTIONS, "--positions", "20")
    log = folder / "log.jsonl"
    log.write_text(log.read_text().replace("contact:", "contact:0"))
    with pytest.raises(StateError, match="started with other nets"):
        run_command(str(folder), "--resume", "--threads", "1")
