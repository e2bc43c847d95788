"""Options that the commands which train share."""

import argparse
from pathlib import Path

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.runtime.machine import count_usable_cores
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.train.runs.options import (
    add_run_options,
    add_threads_option,
    add_workers_option,
    load_run_settings,
)
from gammond.tools.train.runs.settings import add_setting_options, write_settings


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run_options(parser, "run.toml")
    add_setting_options(parser, ClimbStudySettings)
    return parser.parse_args(arguments)


def test_a_run_begins_with_the_settings_of_the_options():
    args = parsed("mine", "--games", "8")
    assert args.run == Path("mine")
    assert load_run_settings(args.run, args, ClimbStudySettings) == ClimbStudySettings(games=8)


def test_a_run_that_goes_on_has_its_own_settings(tmp_path):
    write_settings(tmp_path / "run.toml", ClimbStudySettings(seed=5), {})
    for repeated in ([], ["--seed", "5"], ["--config", str(tmp_path / "run.toml")]):
        args = parsed(str(tmp_path), "--resume", *repeated)
        assert load_run_settings(tmp_path, args, ClimbStudySettings) == ClimbStudySettings(seed=5)


def test_a_run_that_goes_on_drops_no_option_without_a_word(tmp_path):
    write_settings(tmp_path / "run.toml", ClimbStudySettings(seed=5), {})
    write_settings(tmp_path / "other.toml", ClimbStudySettings(seed=5, games=12), {})
    for changed in (["--games", "8"], ["--config", str(tmp_path / "other.toml")]):
        args = parsed(str(tmp_path), "--resume", *changed)
        with pytest.raises(StateError, match=r"begun with --games \d+, not \d+: leave --games out") as caught:
            load_run_settings(tmp_path, args, ClimbStudySettings)
        assert caught.value.field == "games"


def test_without_a_run_there_is_nothing_to_go_on_with(tmp_path):
    args = parsed(str(tmp_path), "--resume")
    with pytest.raises(DataFileError, match=r"run\.toml"):
        load_run_settings(args.run, args, ClimbStudySettings)


def test_the_folder_may_be_left_out_where_the_command_says_so(capsys):
    parser = argparse.ArgumentParser()
    add_run_options(parser, "log.jsonl", resume_point="trial", is_optional=True)
    assert parser.parse_args([]).run is None
    help_text = parser.format_help()
    assert "folder of the run: log.jsonl" in help_text
    assert "resume from the run's last trial" in help_text
    with pytest.raises(SystemExit):
        parsed()


def test_there_is_a_worker_for_each_core_unless_set_otherwise():
    for add, expected in (
        (add_workers_option, {"workers": count_usable_cores(), "cluster": ""}),
        (add_threads_option, {"threads": count_usable_cores()}),
    ):
        parser = argparse.ArgumentParser()
        add(parser)
        assert vars(parser.parse_args([])) == expected
    few = argparse.ArgumentParser()
    add_workers_option(few, 1)
    assert few.parse_args([]).workers == 1
    assert "(default 1)" in few.format_help()
