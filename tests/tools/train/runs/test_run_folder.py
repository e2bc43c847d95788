"""The settings of a run, new or resumed."""

import argparse

import pytest

from gammond.engine.errors import StateError
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.train.runs.run_folder import add_folder_arguments, load_run_settings
from gammond.tools.train.runs.settings import add_setting_options, write_settings


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_folder_arguments(parser, "run", "run.toml", "resume")
    add_setting_options(parser, ClimbStudySettings)
    return parser.parse_args(arguments)


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
