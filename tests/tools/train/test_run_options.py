"""Options that the commands which train share."""

import argparse
from pathlib import Path

import pytest

from engine.cores import usable_cores
from engine.errors import DataFileError
from tools.train.climb.study import StudySettings
from tools.train.run_options import add_run, add_threads, add_workers, settings_of
from tools.train.settings import add_settings, write_settings


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run(parser, "run.toml")
    add_settings(parser, StudySettings)
    return parser.parse_args(arguments)


def test_a_run_begins_with_the_settings_of_the_options():
    args = parsed("mine", "--games", "8")
    assert args.run == Path("mine")
    assert settings_of(args.run, args, StudySettings) == StudySettings(games=8)


def test_a_run_that_goes_on_has_its_own_settings(tmp_path):
    write_settings(tmp_path / "run.toml", StudySettings(seed=5), {})
    args = parsed(str(tmp_path), "--resume", "--games", "8")
    assert settings_of(tmp_path, args, StudySettings) == StudySettings(seed=5)


def test_without_a_run_there_is_nothing_to_go_on_with(tmp_path):
    args = parsed(str(tmp_path), "--resume")
    with pytest.raises(DataFileError, match=r"run\.toml"):
        settings_of(args.run, args, StudySettings)


def test_the_folder_may_be_left_out_where_the_command_says_so(capsys):
    parser = argparse.ArgumentParser()
    add_run(parser, "log.jsonl", last="trial", is_optional=True)
    assert parser.parse_args([]).run is None
    help_text = parser.format_help()
    assert "folder of the run: log.jsonl" in help_text
    assert "go on from the run's last trial" in help_text
    with pytest.raises(SystemExit):
        parsed()


def test_one_works_for_each_core_unless_told_otherwise():
    parser = argparse.ArgumentParser()
    add_workers(parser)
    add_threads(parser)
    assert vars(parser.parse_args([])) == {"workers": usable_cores(), "threads": usable_cores()}
    few = argparse.ArgumentParser()
    add_workers(few, 1)
    assert few.parse_args([]).workers == 1
    assert "(default 1)" in few.format_help()
