"""What every trainer promises, and every command that fills a folder with shards.

A run that is killed before a file of any kind comes to the same, one that is done goes on for longer, none is
begun twice. A new trainer needs rows in `trainer_cases.py`.
"""

import argparse
import re
import shlex
import shutil
import tomllib
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.formats.array_file import read_array_file
from gammond.tools import cli
from gammond.tools.common.command_group import find_command
from gammond.tools.common.files import write_arrays
from gammond.tools.common.interrupts import RESUMES
from gammond.tools.common.journal import Journal, read_records
from gammond.tools.common.locks import hold_lock
from gammond.tools.heritage import command as heritage
from gammond.tools.train import command as train
from gammond.tools.train.runs.curves import find_best_strength
from gammond.tools.train.runs.run import BEST_FILE, CHECKPOINT_FILE
from gammond.tools.train.runs.run_folder import CONFIG_FILE, KIND_ARRAY, LOG_FILE, read_provenance
from tests.tools.train.runs.trainer_cases import CASES, COMMANDS, FITTING, MAY_BE_ZERO, TRAINERS, for_each

for_each = partial(for_each, slow=pytest.mark.slow, training=pytest.mark.training)


@pytest.fixture(scope="module")
def finish(tmp_path_factory):
    """Run a case to its end, once; return its folder."""
    done = {}

    def run(case):
        if case not in done:
            done[case] = tmp_path_factory.mktemp("whole") / "run"
            with watch_writing(done[case]) as opened:
                assert case.begin(done[case]) == 0
            run.kills[done[case]] = choose_kills(opened)
        return done[case]

    run.kills = {}
    return run


def choose_kills(opened):
    """Return the place of a file of each kind among those that a run writes, of several one in the middle."""
    kinds = {}
    for number, file in enumerate(opened, 1):
        kinds.setdefault(re.sub(r"\d+-[0-9a-f]+$|\d", "", file.name), []).append(number)
    return sorted(numbers[len(numbers) // 2] for numbers in kinds.values())


@contextmanager
def watch_writing(folder, last=None):
    """Note the files of a folder as they are to be written, and press Ctrl-C at the last of so many."""
    written, open_file, append = [], Path.open, Journal.append

    def note(file):
        if file is not None and file.is_relative_to(folder.resolve()):
            written.append(file)
            if len(written) == last:
                raise KeyboardInterrupt

    def open_or_stop(self, mode="r", *rest, **more):
        if mode[0] in "xw":
            note(self)
        return open_file(self, mode, *rest, **more)

    def append_or_stop(self, record):
        note(self.file)
        append(self, record)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", open_or_stop)
        patch.setattr(Journal, "append", append_or_stop)
        yield written


def read_run(folder):
    """All that a run has written, but its place and what time it took."""
    return {
        file.name: _read_file(file, str(folder)) for file in sorted(folder.iterdir()) if file.name[0] != "."
    }


def _read_file(file, folder):
    if file.suffix == ".npz":
        return {name: (array.dtype, array.tolist()) for name, array in read_array_file(file).items()}
    if file.suffix == ".jsonl":
        return [
            {name: value for name, value in record.items() if not re.search("seconds|_per_s", name)}
            for record in read_records(file)
        ]
    return file.read_text().replace(folder, "")


def test_every_command_that_goes_on_is_here_with_all_that_makes_it_longer():
    going_on = {}
    for group, commands in (("train", train.COMMANDS), ("heritage", heritage.COMMANDS)):
        for name, module in commands.items():
            parser = argparse.ArgumentParser()
            find_command(module).add_arguments(parser)
            if "--resume" in parser.format_usage():
                trainer = getattr(import_module(module), "TRAINER", None)
                going_on[f"{group} {name}"] = set(trainer.settings_type.lengths) if trainer else None
    assert going_on.keys() == {case.command for case in CASES}, "each has a row in CASES of trainer_cases.py"
    assert going_on.keys() == MAY_BE_ZERO.keys(), "each has a row in MAY_BE_ZERO of trainer_cases.py"
    for command, lengths in going_on.items():
        assert lengths in (None, {case.length for case in CASES if case.command == command})


@for_each(CASES)
def test_a_run_that_is_killed_before_a_file_of_any_kind_says_how_to_go_on_and_comes_to_the_same(
    case, finish, tmp_path, capsys
):
    done = finish(case)
    whole, kills = read_run(done), finish.kills[done]
    assert len(kills) > 1
    for number in kills:
        folder = tmp_path / str(number) / "run"
        with watch_writing(folder, number):
            assert case.begin(folder) == cli.EXIT_INTERRUPTED
        has_begun = (folder / CONFIG_FILE).exists()
        end = f"gammond: interrupted{f', {RESUMES}' if has_begun else ''}"
        assert capsys.readouterr().err.splitlines()[-1] == end, f"killed before file {number}"
        assert (case.resume(folder) if has_begun else case.begin(folder)) == 0
        assert read_run(folder) == whole, f"killed before file {number}"
        shutil.rmtree(folder)


@pytest.mark.slow
@for_each(case for case in CASES if "--threads" in case.resources and str(case) not in FITTING)
def test_a_run_comes_to_the_same_however_many_processes_or_threads_share_it(case, finish, tmp_path):
    folder = tmp_path / "run"
    assert replace(case, resources="--threads 2").begin(folder) == 0
    assert read_run(folder) == read_run(finish(case))


@for_each(COMMANDS)
def test_another_seed_makes_something_else(case, finish, tmp_path):
    folder = tmp_path / "run"
    assert case.begin(folder, "--seed", "4") == 0
    whole, other = read_run(finish(case)), read_run(folder)
    assert any(whole[name] != other.get(name) for name in whole.keys() - {CONFIG_FILE})


@for_each(case for case in CASES if case.length)
def test_a_run_that_is_done_becomes_longer(case, finish, tmp_path, capsys):
    whole, folder, option = finish(case), tmp_path / "run", f"--{case.length}"
    shutil.copytree(whole, folder)
    log = read_records(folder / LOG_FILE)
    before = read_run(folder)
    assert case.resume(folder) == 0
    if case.trainer:
        told = capsys.readouterr().err
        assert f"{folder} is done, with" in told
        assert f"{option} {case.most}" in told
    assert case.resume(folder, option, str(case.most - 1)) == cli.EXIT_USAGE
    assert "ask for more" in capsys.readouterr().err
    assert read_run(folder) == before

    assert case.resume(folder, option, str(2 * case.most)) == 0
    longer = read_records(folder / LOG_FILE)
    assert longer[: len(log)] == log
    settings = tomllib.loads((folder / CONFIG_FILE).read_text())
    assert settings[case.length] == 2 * case.most
    begun, went_on = settings["origin"]["command"].split(" && ")
    assert begun.startswith(f"gammond {case.command} {whole} ")
    assert went_on == f"gammond {case.command} {folder} --resume {option} {2 * case.most}"
    assert read_provenance(str(folder))[-1].command == settings["origin"]["command"]
    if not case.trainer:
        assert sum(record["labelled"] for record in longer) == 2 * case.most
        after = read_run(folder)
        assert all(after[name] == before[name] for name in before.keys() - {CONFIG_FILE, LOG_FILE})
        return
    unit = next(iter(longer[-1]))
    steps = [[each[unit] for each in records if isinstance(each[unit], int)][-1] for records in (log, longer)]
    assert steps[1] - steps[0] == case.most
    assert (folder / CHECKPOINT_FILE).exists() == (whole / CHECKPOINT_FILE).exists()
    if CHECKPOINT_FILE in before:
        assert read_run(folder)[CHECKPOINT_FILE] != before[CHECKPOINT_FILE]
    capsys.readouterr()
    assert case.resume(folder) == 0
    assert "is done" in capsys.readouterr().err
    assert read_records(folder / LOG_FILE) == longer


@for_each(COMMANDS)
def test_a_run_is_begun_once_and_gone_on_with_by_one_process_where_there_is_one(
    case, finish, tmp_path, capsys
):
    whole, empty = finish(case), tmp_path / "empty"
    before = read_run(whole)
    assert case.begin(whole) == cli.EXIT_USAGE
    assert "already holds a run: resume it with --resume" in capsys.readouterr().err
    assert case.resume(empty) == cli.EXIT_USAGE
    assert "run.toml is no configuration of a run" in capsys.readouterr().err
    assert not empty.exists()
    with hold_lock(whole):
        assert case.resume(whole) == cli.EXIT_USAGE
    assert f"another process writes {whole}" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert case.begin(tmp_path / "file") == cli.EXIT_USAGE
    assert "file" in capsys.readouterr().err
    assert case.resume(whole) == 0
    assert read_run(whole) == before


@for_each(case for case in TRAINERS if case.command != "heritage climb")
def test_a_checkpoint_that_lacks_any_of_its_arrays_or_is_cut_is_refused(case, finish, tmp_path, capsys):
    folder = tmp_path / "run"
    shutil.copytree(finish(case), folder)
    file = folder / CHECKPOINT_FILE
    arrays = read_array_file(file)
    capsys.readouterr()
    for name in arrays.keys() - {KIND_ARRAY, "player"}:
        write_arrays(file, {other: array for other, array in arrays.items() if other != name})
        assert case.resume(folder) == cli.EXIT_USAGE, name
        assert capsys.readouterr().err.splitlines()[-1].startswith(f"gammond: {file}: "), name
    write_arrays(file, arrays)
    file.write_bytes(file.read_bytes()[:-100])
    capsys.readouterr()
    assert case.resume(folder) == cli.EXIT_USAGE
    assert f"{file} cannot be read" in capsys.readouterr().err


@for_each(TRAINERS)
def test_best_nets_that_lack_any_of_their_arrays_are_refused_or_no_matter(
    case, finish, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    folder = tmp_path / "run"
    shutil.copytree(finish(case), folder)
    file = folder / BEST_FILE
    arrays = read_array_file(file) if file.exists() else {}
    for name in arrays:
        write_arrays(file, {other: array for other, array in arrays.items() if other != name})
        for command in (f"tournament run:{file} random --games 4", f"export {folder} --name lacking --force"):
            assert cli.main(command.split()) in (0, cli.EXIT_USAGE), (command, name)
        capsys.readouterr()
        if case.resume(folder):
            assert capsys.readouterr().err.splitlines()[-1].startswith(f"gammond: {file}"), name


DAMAGE = [
    ("train td", "games_done", np.array([1, 2]), "expected games_done as one whole number"),
    ("train td", "cuts", np.int64(-1), "expected cuts as one whole number"),
    ("train td", "dice", np.array([1.0, 2.0]), "expected dice as uint64[threads], got float64[2]"),
    ("train td", "dice", np.ones(3, np.uint64), "expected threads 1 as in run.toml, got 3"),
    ("train td", "contact_b1", np.zeros(9, np.float32), "with one hidden layer, got shapes"),
    ("train td", "race_b2", np.zeros(5), "expected float32 weights"),
    ("heritage classic", "outputs", np.array(2), "a classic net of 2 outputs, got"),
    (
        "heritage classic",
        "bearoff",
        np.array("two-sided"),
        "expected bearoff none as in run.toml, got two-sided",
    ),
    ("heritage mimic", "genes", np.zeros((10, 1352), np.int32), "genes of shape [6, 1352]"),
    ("heritage ascend", "now_vector", np.zeros(3), "expected now_vector as 7 finite weights of heuristic"),
    ("heritage heuristic-net", "b3", np.zeros(5, np.float32), "48 inputs"),
    ("heritage heuristic-net", "adam_mean", np.zeros(3, np.float32), "optimizer state"),
    ("heritage heuristic-net", "done", np.array(-1), "expected done as one whole number"),
]


@pytest.mark.parametrize(("command", "name", "array", "message"), DAMAGE)
def test_a_checkpoint_with_another_array_is_refused(
    command, name, array, message, finish, material, tmp_path, capsys
):
    case = next(case for case in CASES if case.command == command).with_material(material)
    folder = tmp_path / "run"
    shutil.copytree(finish(case), folder)
    file = folder / CHECKPOINT_FILE
    write_arrays(file, {**read_array_file(file), name: array})
    capsys.readouterr()
    assert case.resume(folder) == cli.EXIT_USAGE
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"gammond: {file}: ")
    assert message in said


def test_a_checkpoint_of_a_run_with_other_settings_is_refused(finish, tmp_path, capsys):
    case, folder = CASES[0], tmp_path / "run"
    shutil.copytree(finish(case), folder)
    config = folder / CONFIG_FILE
    config.write_text(config.read_text().replace("\nhidden = 6", "\nhidden = 9"))
    assert case.resume(folder) == cli.EXIT_USAGE
    assert f"{folder / CHECKPOINT_FILE}: expected hidden 9 as in run.toml, got 6" in capsys.readouterr().err


@for_each(TRAINERS)
def test_the_best_nets_are_the_best_that_were_measured(case, finish):
    folder = finish(case)
    records = read_records(folder / LOG_FILE)
    strengths = [find_best_strength([record]) for record in records]
    assert any("back_to" in record for record in records) == ("--backtrack" in case.options)
    if (folder / BEST_FILE).exists():
        assert read_array_file(folder / BEST_FILE)["ppg"].mean() == max(strengths)
    else:
        assert case.command in ("heritage mimic", "heritage climb")  # their last step is the result


@for_each(TRAINERS)
def test_a_run_plays_and_is_drawn_and_the_commands_that_compare_it_with_others_work(
    case, finish, tmp_path, capsys
):
    pytest.importorskip("matplotlib", reason="pictures need the package matplotlib")
    folder, picture = finish(case), tmp_path / "run.svg"
    names = {"players": case.trainer.player.format(folder=folder), "folders": str(folder)}
    for command in case.trainer.comparisons or ["gammond tournament {players} random"]:
        words = shlex.split(re.sub(r" --games \d+", "", command.format(**names)))[1:]
        games = ["--games", "4"] if words[0] == "tournament" else ["--final-games", "4"]
        assert cli.main([*words, *games]) == 0
        assert "run" in capsys.readouterr().out
    assert cli.main(["train", "plot", str(folder), "--output", str(picture)]) == 0
    assert "<svg" in picture.read_text()
