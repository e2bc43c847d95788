"""Sets of nets, from the manifest or a run, evaluate as the evaluators made of them."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.evaluation.pruning import ShortlistPruner
from gammond.engine.formats.array_file import read_array_file
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.nets.compiled_net import PruningNet
from gammond.nets.manifest import MANIFEST_FILE, read_manifest
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import Journal
from gammond.tools.common.net_records import read_provenance as read_net_provenance
from gammond.tools.train.fitting.recipe import Recipe
from gammond.tools.train.runs.run_folder import (
    ProvenanceStep,
    begin_run,
    merge_provenances,
    read_provenance,
    read_run_provenance,
)
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet, load_net_set, read_net_set
from gammond.tools.train.weights.random_positions import sample_random_positions
from gammond.tools.train.weights.td_nets import TdNets, make_untrained_td_net

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")

BOARDS = sample_random_positions(400, seed=8)


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def trainee() -> TdNets:
    return TdNets("t", make_untrained_td_net(8, generator()), make_untrained_td_net(6, generator(2)))


def layered(*hidden: int, encoder_id: str = "tesauro196") -> LayeredNet:
    return LayeredNet.make_untrained(encoder_id, hidden, generator())


def test_an_evaluator_of_the_manifest_gives_the_same_values_as_a_set_of_nets():
    nets = load_net_set("fast")
    np.testing.assert_array_equal(
        nets.make_evaluator().evaluate(BOARDS), load_evaluator("fast").evaluate(BOARDS)
    )
    assert load_net_set("default").digest == load_net_set(read_manifest(MANIFEST_FILE).default).digest


def test_a_run_of_self_play_is_read_from_its_folder_or_its_file(tmp_path):
    file = tmp_path / "td" / "checkpoint.npz"
    file.parent.mkdir()
    write_arrays(file, {**trainee().to_arrays(), "games_done": np.int64(1), "dice": np.zeros(1, np.uint64)})
    for source in (file.parent, file):
        nets = load_net_set(str(source))
        np.testing.assert_allclose(
            nets.make_evaluator().evaluate(BOARDS), trainee().evaluate(BOARDS), atol=1e-6
        )
    assert nets.name == "td"


def test_a_set_comes_back_from_its_file_and_the_best_is_preferred(tmp_path):
    last = NetSet("run", {"contact": layered(9), "race": layered(8), "crashed": layered(7, 6)})
    best = last.with_nets({"contact": layered(9, 8, encoder_id="expert248")}, "run")
    write_arrays(tmp_path / "run" / "checkpoint.npz", {"epoch": np.array(3), **last.to_arrays()})
    assert load_net_set(str(tmp_path / "run")).digest == last.digest
    write_arrays(tmp_path / "run" / "best.npz", best.to_arrays())
    assert load_net_set(str(tmp_path / "run")).digest == best.digest != last.digest
    assert int(read_array_file(tmp_path / "run" / "checkpoint.npz")["epoch"]) == 3


def test_nets_of_one_hidden_layer_play_in_one_loop_and_others_from_a_short_list():
    pruner = load_pruner()
    small = NetSet("a", {"contact": layered(9), "race": layered(8)})
    assert isinstance(small.make_policy(small.make_evaluator(), pruner), PruningNet)
    for phase, net in (("contact", layered(9, 8)), ("crashed", layered(9))):
        other = small.with_nets({phase: net}, "b")
        assert isinstance(other.make_policy(other.make_evaluator(), pruner), ShortlistPruner)


def test_only_nets_that_play_in_one_loop_find_replies():
    small = NetSet("a", {"contact": layered(9), "race": layered(8)})
    assert small.make_pruning_net().name == "a"
    with pytest.raises(UnsupportedError, match="cannot be a pruning net"):
        small.with_nets({"contact": layered(9, 8)}, "b").make_pruning_net()


def test_the_policy_in_one_loop_plays_as_the_evaluator_does():
    nets, pruner = load_net_set("fast"), load_pruner()
    evaluator = nets.make_evaluator()
    dice = generator().integers(1, 7, (len(BOARDS), 2)).astype(np.int8)
    fast = nets.make_policy(evaluator, pruner).prune_plays(BOARDS, dice, 1, 0.0).children
    slow = ShortlistPruner(pruner, evaluator, shortlist_size=48, margin=9.0)
    assert (fast == slow.prune_plays(BOARDS, dice, 1, 0.0).children).all(axis=(1, 2)).mean() > 0.99


@pytest.mark.parametrize("phases", [["contact"], ["race"], []])
def test_a_set_has_nets_for_contact_and_race(phases):
    with pytest.raises(DataFileError, match="expected contact and race"):
        NetSet("a", {phase: layered(5) for phase in phases})


def test_a_source_that_there_is_not_is_named(tmp_path):
    with pytest.raises(ValueRangeError, match="'nobody'"):
        load_net_set("nobody")
    with pytest.raises(DataFileError, match=r"checkpoint\.npz"):
        load_net_set(str(tmp_path))


def test_a_file_of_nets_that_is_damaged_is_named(tmp_path):
    file = tmp_path / "best.npz"
    write_arrays(file, NetSet("a", {"contact": layered(5), "race": layered(4)}).to_arrays())
    arrays = read_array_file(file)
    arrays.pop("race_b1")
    write_arrays(file, arrays)
    with pytest.raises(DataFileError, match=r"best\.npz: expected an array race_b1, got none"):
        read_net_set(file)


def test_a_command_counts_once_in_a_pedigree():
    one, other, third = ProvenanceStep("a", 10, 0, 1.0), ProvenanceStep("b", 0, 5, 0.5), ProvenanceStep("c")
    assert merge_provenances((one, other), (one, third)) == (one, other, third)


def test_an_evaluator_of_the_manifest_has_the_commands_that_made_it():
    steps = read_provenance("fast")
    training = read_net_provenance().find_training("fast-contact")
    assert set(step.command for step in steps) == set(
        command for command in training.commands if not command.startswith("gammond export ")
    )
    assert sum(step.games for step in steps) >= 1_000_000


def test_what_came_after_the_nets_of_a_file_does_not_count(tmp_path):
    run = tmp_path / "run"
    begin_run(run, "train refine", Recipe(parent="fast", batch=64), ["fast"])
    with Journal(run / "log.jsonl") as log:
        for number in (1, 2, 3):
            log.append({"generation": number, "labelled": 100, "seconds": 360.0})
    nets = NetSet("run", {"contact": layered(5), "race": layered(4)})
    write_arrays(run / "best.npz", {"generation": np.array(2), **nets.to_arrays()})
    *before, own = read_run_provenance(run, run / "best.npz")
    assert tuple(before) == read_provenance("fast")
    assert own == ProvenanceStep(
        f"gammond train refine {run} --from fast --batch 64", 0, 200, pytest.approx(0.2)
    )
    assert read_run_provenance(run, run / "checkpoint.npz")[-1].positions == 300


@pytest.mark.parametrize("origin", ["", 'command = "x"\n', 'command = "x"\ncommand_before = 3\n'])
def test_a_run_without_its_origin_is_named(tmp_path, origin):
    (tmp_path / "run.toml").write_text("[origin]\n" + origin)
    with pytest.raises(DataFileError, match=r"run\.toml does not list the stages"):
        read_run_provenance(tmp_path, tmp_path / "best.npz")
