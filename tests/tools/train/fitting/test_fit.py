"""Fitting: nets come closer to labels, and the best is kept."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.rules.outcome import Outcomes, cubeless_equity
from gammond.nets.catalogue import load_evaluator
from gammond.nets.encoders import get_encoder
from gammond.tools.common.journal import read_records
from gammond.tools.train.fitting import fit
from gammond.tools.train.fitting import torch_fitter as fitting
from gammond.tools.train.fitting.net_set_fitter import compute_fit_metrics, iterate_steps, split_labels
from gammond.tools.train.fitting.recipe import cosine_rate, halving_rate
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, write_shard
from gammond.tools.train.runs.run_folder import read_provenance
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import PHASES, load_net_set, read_net_set
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.commands import run_tool

pytestmark = pytest.mark.training


def labels(count: int, seed: int, net: str = "strong") -> Labels:
    boards = sample_random_positions(count, seed)
    targets: Outcomes = load_evaluator(net).evaluate(boards)
    return Labels(boards, targets, np.zeros(count, np.uint8), ("selfplay",))


@pytest.fixture
def folder(tmp_path):
    for number in range(2):
        contact = labels(1500, number).select_phases(PHASES["contact"])
        write_shard(LABELS.find(tmp_path / "labels", number), contact, ShardMetadata("strong x", 1, 1))
    (tmp_path / "labels" / "run.toml").write_text(
        '[origin]\ncommand = "gammond train label"\nkind = "label"\ncommand_before = []\ngames_before = []\n'
        "positions_before = []\nhours_before = []\n"
    )
    return tmp_path


def run_command(*words):
    return run_tool(fit, *words, "--threads", "1")


def options(folder, *more: str) -> list[str]:
    small = ["--hidden", "24", "--epochs", "3", "--batch", "64", "--rate", "3e-3", "--games", "0"]
    return [str(folder / "run"), "--labels", str(folder / "labels"), *small, *more]


def untrained(*hidden: int) -> LayeredNet:
    return LayeredNet.make_untrained("tesauro196", hidden, np.random.Generator(np.random.PCG64(1)))


@pytest.mark.slow
def test_a_step_goes_down_the_gradient_of_weighted_squared_errors():
    net = untrained(6, 5)
    few = labels(8, seed=1)
    inputs = get_encoder("tesauro196").encode(few.boards)
    fitter = fitting.Fitter(net, "adam", average=0.0)
    loss = fitter.step(inputs, few.targets, rate=1e-6)
    errors = np.square(net.forward(inputs) - few.targets)
    assert loss == pytest.approx((errors @ np.array([4, 1, 1, 1, 1])).sum() / 8, rel=1e-4)
    assert compute_fit_metrics(net, few).loss == pytest.approx(loss, rel=1e-4)
    for _ in range(20):
        fitter.step(inputs, few.targets, rate=1e-3)
    assert compute_fit_metrics(fitter.net, few).loss < 0.9 * loss
    np.testing.assert_array_equal(fitter.net.layers[0][0], fitter.averaged_net.layers[0][0])


def test_differences_are_between_the_plays_of_a_roll_and_close_ones_count_most():
    net, few = untrained(6), labels(6, seed=1)
    inputs, numbers = get_encoder("tesauro196").encode(few.boards), np.array([4, 4, 4, 7, 7, 9])
    plain, both = (
        fitting.Fitter(net, "adam", average=0.0).step(inputs, few.targets, 1e-3, numbers, weight)
        for weight in (0.0, 3.0)
    )
    wanted = cubeless_equity(few.targets).astype(float)
    errors = cubeless_equity(net.forward(inputs)) - wanted
    expected = 0.0
    for own in (slice(0, 3), slice(3, 5), slice(5, 6)):
        weights = np.exp((wanted[own].min() - wanted[own]) / 0.04)
        mean = (weights * errors[own]).sum() / weights.sum()
        expected += (weights * (errors[own] - mean) ** 2).sum()
    assert both - plain == pytest.approx(3.0 * expected / 6, rel=1e-4)


def test_differences_alone_set_the_plays_of_a_roll_in_order():
    few = replace(labels(90, seed=1), decisions=np.arange(90) // 3)
    fitter = fitting.Fitter(untrained(30), "adam", average=0.0)
    before = compute_fit_metrics(fitter.net, few).play_loss
    inputs = get_encoder("tesauro196").encode(few.boards)
    for _ in range(200):
        fitter.step(inputs, few.targets, 3e-3, few.decisions, 1000.0)
    assert compute_fit_metrics(fitter.net, few).play_loss < 0.1 * before


def test_a_choice_loses_what_the_best_play_of_its_roll_is_better():
    few = labels(5, seed=1)
    net, numbers = untrained(6), np.array([0, 0, 0, 1, 2])
    found = cubeless_equity(net.forward(get_encoder("tesauro196").encode(few.boards)))
    wanted = cubeless_equity(few.targets)
    lost = wanted[np.argmin(found[:3])] - wanted[:3].min()
    assert compute_fit_metrics(net, replace(few, decisions=numbers)).play_loss == pytest.approx(
        lost, abs=1e-6
    )
    assert np.isnan(compute_fit_metrics(net, few).play_loss)


def test_batches_and_labels_set_aside_do_not_part_the_plays_of_a_roll():
    whole = replace(labels(2000, seed=4), decisions=np.arange(2000) // 4)
    learned, aside = split_labels(whole, 0.1, seed=1)
    assert not set(learned.decisions.tolist()) & set(aside.decisions.tolist())
    assert 100 < len(aside) < 320
    seen = []

    class Noting(fitting.Fitter):
        def step(self, inputs, targets, rate, decisions=None, differences=0.0):
            seen.append(decisions)
            return 0.0

    fitter, generator = Noting(untrained(6), "adam", 0.0), np.random.default_rng(1)
    list(iterate_steps(fitter, whole, 5, 400, lambda share: 1e-3, generator))
    assert sorted(np.concatenate(seen).tolist()) == whole.decisions.tolist()
    assert all((np.bincount(batch)[np.unique(batch)] == 4).all() for batch in seen)


def test_averaged_weights_trail_behind_the_last_ones():
    few = labels(64, seed=1)
    inputs = get_encoder("tesauro196").encode(few.boards)
    fitter = fitting.Fitter(untrained(6), "adam", average=0.9)
    means, weights = [fitter.averaged_net.layers[0][0]], []
    for _ in range(100):  # the first 80 weigh the newest more
        fitter.step(inputs, few.targets, rate=1e-3)
        means.append(fitter.averaged_net.layers[0][0])
        weights.append(fitter.net.layers[0][0])
    np.testing.assert_allclose(means[-1], 0.9 * means[-2] + 0.1 * weights[-1], atol=1e-6)
    assert 0 < np.abs(means[-1] - weights[-1]).max() < np.abs(means[0] - weights[-1]).max()


def test_added_inputs_units_and_layers_learn():
    few = labels(64, seed=1)
    grown = untrained(6).expand("expert248", (8, 10), np.random.Generator(np.random.PCG64(2)))
    fitter = fitting.Fitter(grown, "adam", average=0.0)
    inputs = get_encoder("expert248").encode(few.boards)
    for _ in range(3):
        fitter.step(inputs, few.targets, rate=1e-3)
    (first, _), (_, _), (last, _) = fitter.net.layers
    assert np.abs(first[196:]).max() > 0
    assert np.abs(last[6:]).max() > 0


@pytest.mark.parametrize(
    ("encoder_id", "optimizer"),
    [("tesauro196", "adam"), ("tesauro196", "muon"), ("patterns285", "muon")],
)
def test_a_fit_goes_on_from_its_state_to_the_same_weights(encoder_id, optimizer):
    few = labels(300, seed=1)

    def steps(fitter, seed):
        for _ in iterate_steps(fitter, few, 10, 64, lambda share: 1e-3, np.random.default_rng(seed)):
            pass

    net = untrained(7, 5).with_encoder(encoder_id)
    whole = fitting.Fitter(net, optimizer, average=0.99)
    steps(whole, 1)
    resumed = fitting.Fitter(net, optimizer, average=0.99, state=whole.state_dict())
    for fitter in (whole, resumed):
        steps(fitter, 2)
    assert whole.net.digest == resumed.net.digest
    assert whole.averaged_net.digest == resumed.averaged_net.digest


def test_rows_of_patterns_learn_where_they_are_added_and_nowhere_else():
    few = labels(64, seed=1)
    grown = untrained(6).with_encoder("patterns285")
    inputs = get_encoder("patterns285").encode(few.boards)
    assert compute_fit_metrics(grown, few) == compute_fit_metrics(untrained(6), few)
    fitter = fitting.Fitter(grown, "muon", average=0.5)
    losses = [fitter.step(inputs, few.targets, rate=1e-2) for _ in range(3)]
    assert losses[2] < losses[0]
    for net in (fitter.net, fitter.averaged_net):
        changed = np.flatnonzero(np.abs(net.layers[0][0][248:]).max(axis=1))
        assert set(changed.tolist()) == set(inputs[:, 248:].astype(int).ravel().tolist())
    assert compute_fit_metrics(fitter.net, few).loss < losses[0]


def test_muon_steps_in_many_directions_of_hidden_layers_and_leaves_the_last_layer_to_adam():
    net, few = untrained(60, 30), labels(256, seed=1)

    def step(optimizer):
        fitter = fitting.Fitter(net, optimizer, average=0.0)
        fitter.step(get_encoder("tesauro196").encode(few.boards), few.targets, rate=1e-2)
        layers = zip(fitter.net.layers, net.layers, strict=True)
        _, hidden, last = (after[0] - before[0] for after, before in layers)
        ranges = np.linalg.svd(hidden, compute_uv=False)
        return ranges.sum() / ranges.max(), np.abs(last).max()

    (muon, muon_last), (adam, adam_last) = step("muon"), step("adam")
    assert muon > 1.5 * adam
    assert muon_last == pytest.approx(0.2 * adam_last, rel=1e-2)


@pytest.mark.parametrize("change", [{"fit_steps": None}, {"fit_weight0": np.zeros((3, 3), np.float32)}])
def test_a_state_of_another_fit_is_refused(change):
    state = fitting.Fitter(untrained(7), "adam", average=0.99).state_dict()
    for name, array in change.items():
        state.pop(name) if array is None else state.update({name: array})
    with pytest.raises(DataFileError, match="expected the state of a fit"):
        fitting.Fitter(untrained(7), "adam", average=0.99, state=state)


def test_labels_set_aside_are_the_same_positions_whatever_comes_with_them():
    whole = labels(2000, seed=4)
    learned, aside = split_labels(whole, 0.1, seed=1)
    assert len(learned) + len(aside) == 2000
    assert 130 < len(aside) < 270
    part = Labels(whole.boards[:700], whole.targets[:700], whole.sources[:700], whole.source_names)
    of_part = {board.tobytes() for board in split_labels(part, 0.1, seed=1)[1].boards}
    assert of_part == {board.tobytes() for board in part.boards} & {board.tobytes() for board in aside.boards}
    assert not {board.tobytes() for board in learned.boards} & {board.tobytes() for board in aside.boards}


def test_rates_fall_from_the_first_to_the_last():
    for schedule in (cosine_rate, halving_rate):
        rates = [schedule(1e-3, 1e-5, i / 1000) for i in range(1001)]
        assert rates[0] == pytest.approx(1e-3)
        assert rates[-1] == pytest.approx(1e-5)
        assert (np.diff(rates) <= 0).all()
    assert len({halving_rate(1e-3, 1e-5, i / 1000) for i in range(1001)}) == 8
    assert halving_rate(1e-3, 1e-5, 0.9) == pytest.approx(1e-5)  # the last step is as long as the others
    assert halving_rate(1e-3, 1e-3, 0.5) == 1e-3


def test_a_net_fitted_to_another_comes_close_to_it_and_the_best_is_kept(folder, capsys):
    assert run_command(*options(folder, "--epochs", "6")) == 0
    assert re.match(r"epoch 1, .* points\), \d+ s\nepoch 2, ", capsys.readouterr().err)
    run = folder / "run"
    log = read_records(run / "log.jsonl")
    assert [record["epoch"] for record in log] == [1, 2, 3, 4, 5, 6]
    assert log[-1]["averaged_points"] < 0.65 * log[0]["averaged_points"]
    best = read_array_file(run / "best.npz")
    assert float(best["aside_loss"]) == min(record["averaged_loss"] for record in log)
    nets = read_net_set(run / "best.npz")
    assert nets.nets["contact"].hidden == (24,)
    assert nets.nets["race"].digest == load_net_set("default").nets["race"].digest
    fresh = labels(1000, seed=9)
    assert (
        compute_fit_metrics(nets.nets["contact"], fresh).equity_rmse
        < 0.6 * compute_fit_metrics(untrained(24), fresh).equity_rmse
    )


def test_a_net_grows_from_its_parents_whose_other_nets_stay_and_knows_its_origin(folder):
    run_command(*options(folder, "--from", "fast", "--hidden", "80,64", "--epochs", "1"))
    nets, parent = read_net_set(folder / "run" / "best.npz"), load_net_set("fast")
    assert nets.nets["contact"].hidden == (80, 64)
    assert nets.nets["race"].digest == parent.nets["race"].digest
    text = (folder / "run" / "run.toml").read_text()
    assert json.dumps("gammond train label") in text
    assert all(json.dumps(step.command) in text for step in read_provenance("fast"))
    assert "--from fast --hidden 80,64" in text


def test_a_run_does_not_go_on_with_other_labels(folder):
    run_command(*options(folder, "--epochs", "1"))
    write_shard(LABELS.find(folder / "labels", 2), labels(200, 5), ShardMetadata("strong x", 1, 1))
    with pytest.raises(StateError, match="started with"):
        run_command(str(folder / "run"), "--resume")
