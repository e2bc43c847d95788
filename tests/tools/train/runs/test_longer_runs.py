"""A run that is done goes on with ``--resume`` and more of what says how long it is, whatever its trainer."""

from __future__ import annotations

import importlib
import tomllib

import numpy as np
import pytest

from gammond.tools import cli
from gammond.tools.common.files import read_records
from gammond.tools.heritage import command as heritage
from gammond.tools.heritage.gengammon.expert_moves.dataset import write_expert_moves
from gammond.tools.train import command as train
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, write_shard
from gammond.tools.train.runs.run import CHECKPOINT_FILE
from gammond.tools.train.runs.run_folder import CONFIG_FILE, LOG_FILE, read_provenance
from gammond.tools.train.runs.trainer import Trainer
from gammond.tools.train.td.self_play import TdSettings
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.tools.heritage.gengammon.teaching import expert_moves

FITTING = [pytest.mark.slow, pytest.mark.training]

SMALL_NETS = "--hidden 6 --benchmark-games 0 --checkpoint-every 40"
MIMIC = "--population 6 --games 0 --threads 1"
PLAY = f"{MIMIC} --method play --positions 20 --trials 1 --round-generations 2"
CLIMB = "--games 20 --benchmark-games 0 --threads 1"
REFINE = "--hidden 6 --positions 60 --sources selfplay --batch 32 --games 0 --threads 1"
PHASES = "--random-games 4 --epochs 1 --round-games 4 --games 0"
ASCENT = "--games 4 --reference-games 4"

RUNS = [
    ("train td", "games", 40, f"{SMALL_NETS} --race-hidden 4 --threads 1 --round-games 20"),
    pytest.param("train fit", "epochs", 1, "--hidden 6 --batch 32 --games 4 --threads 1", marks=FITTING),
    pytest.param("train refine", "generations", 1, REFINE, marks=FITTING),
    pytest.param("train barca-ascend", "steps", 1, ASCENT, marks=pytest.mark.slow),
    ("train barca-fit", "generations", 1, "--games 20 --reference-games 4"),
    ("heritage classic", "games", 40, SMALL_NETS),
    ("heritage mimic", "generations", 2, f"{MIMIC} --validate-every 2"),
    ("heritage mimic", "epochs", 2, f"{MIMIC} --method backprop"),
    pytest.param("heritage mimic", "rounds", 1, PLAY, marks=pytest.mark.slow),
    pytest.param("heritage climb", "trials", 2, CLIMB, marks=pytest.mark.slow),
    ("heritage heuristic-net", "rounds", 1, PHASES),
    ("heritage ascend", "steps", 1, f"--player heuristic --length 0 --evaluation 0 {ASCENT}"),
]


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """What trainers learn from, by the last word of their command."""
    folder = tmp_path_factory.mktemp("material")
    write_expert_moves(folder / "moves.npz", expert_moves(60, seed=1))
    boards = sample_random_positions(120, 1)
    labels = Labels(boards, np.full((120, 5), 0.5, np.float32), np.zeros(120, np.uint8), ("selfplay",))
    write_shard(LABELS.find(folder / "labels", 0), labels, ShardMetadata("strong x", 1, 1))
    columns = "".join(f"{name}_before = []\n" for name in ("command", "games", "positions", "hours"))
    (folder / "labels" / CONFIG_FILE).write_text(f'[origin]\ncommand = "gammond train label"\n{columns}')
    return {"mimic": ["--moves", str(folder / "moves.npz")], "fit": ["--labels", str(folder / "labels")]}


def list_trainers() -> dict[str, Trainer]:
    modules = [*train.COMMANDS.values(), *heritage.COMMANDS.values()]
    found = [getattr(importlib.import_module(module), "TRAINER", None) for module in modules]
    return {trainer.command: trainer for trainer in found if trainer is not None}


def test_every_trainer_is_here_with_all_its_lengths():
    values = [run.values if hasattr(run, "values") else run for run in RUNS]
    assert {
        (trainer.command, name)
        for trainer in list_trainers().values()
        for name in trainer.settings_type.lengths
    } == {(command, name) for command, name, *_ in values}


@pytest.mark.parametrize(("command", "length", "most", "options"), RUNS)
def test_a_run_that_is_done_becomes_longer(command, length, most, options, tmp_path, material, capsys):
    run, words = tmp_path / "run", command.split()
    option = f"--{length}"
    own = [*options.split(), *material.get(words[-1], [])]

    def go_on(*more):
        capsys.readouterr()
        return cli.main([*words, str(run), "--resume", *more]), capsys.readouterr().err

    assert cli.main([*words, str(run), option, str(most), *own]) == 0
    log, config = read_records(run / LOG_FILE), (run / CONFIG_FILE).read_text()
    status, told = go_on()
    assert status == 0
    assert f"{run} is done" in told
    assert f"{option} {most}" in told
    status, told = go_on(option, str(most - 1)) if most > 1 else (cli.EXIT_USAGE, "ask for more")
    assert status == cli.EXIT_USAGE
    assert "ask for more" in told
    assert (read_records(run / LOG_FILE), (run / CONFIG_FILE).read_text()) == (log, config)
    checkpoint = (run / CHECKPOINT_FILE).read_bytes() if (run / CHECKPOINT_FILE).exists() else b""

    assert go_on(option, str(3 * most))[0] == 0
    longer = read_records(run / LOG_FILE)
    assert longer[: len(log)] == log
    unit = next(iter(longer[-1]))
    steps = [[each[unit] for each in records if isinstance(each[unit], int)][-1] for records in (log, longer)]
    assert steps[1] - steps[0] == 2 * most
    if checkpoint:
        assert (run / CHECKPOINT_FILE).read_bytes() != checkpoint
    settings = tomllib.loads((run / CONFIG_FILE).read_text())
    assert settings[length] == 3 * most
    begun, went_on = settings["origin"]["command"].split(" && ")
    assert begun.startswith(f"gammond {command} {run} ")
    assert went_on == f"gammond {command} {run} --resume {option} {3 * most}"
    assert read_provenance(str(run))[-1].command == settings["origin"]["command"]
    assert "is done" in go_on()[1]
    assert read_records(run / LOG_FILE) == longer


def test_a_longer_run_has_the_learning_rates_of_its_new_length(tmp_path):
    run = ["train", "td", str(tmp_path / "run")]
    small = f"{SMALL_NETS} --race-hidden 4 --threads 1 --round-games 20 --games 40".split()
    assert cli.main([*run, *small]) == cli.main([*run, "--resume", "--games", "120"]) == 0
    rates = [record["rate"] for record in read_records(tmp_path / "run" / LOG_FILE)]
    planned = [
        TdSettings(games=games).learning_rate_at(done) for games, done in ((40, 20), (120, 60), (120, 100))
    ]
    assert rates == pytest.approx(planned)
