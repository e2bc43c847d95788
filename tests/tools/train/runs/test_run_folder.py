"""The settings of a run, new or resumed."""

import pytest

from gammond.engine.errors import StateError
from gammond.tools.common.command_options import Given
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.train.runs.run_folder import load_run_settings
from gammond.tools.train.runs.settings import SettingOptions, write_settings


def given(**values) -> SettingOptions:
    config = values.pop("config", None)
    return SettingOptions(config=config, given=Given(ClimbStudySettings, values))


def test_a_run_that_goes_on_has_its_own_settings(tmp_path):
    write_settings(tmp_path / "run.toml", ClimbStudySettings(seed=5), {})
    for repeated in (given(), given(seed=5), given(config=tmp_path / "run.toml")):
        assert load_run_settings(tmp_path, repeated, resume=True) == ClimbStudySettings(seed=5)


def test_a_run_that_goes_on_drops_no_option_without_a_word(tmp_path):
    write_settings(tmp_path / "run.toml", ClimbStudySettings(seed=5), {})
    write_settings(tmp_path / "other.toml", ClimbStudySettings(seed=5, games=12), {})
    for changed in (given(games=8), given(config=tmp_path / "other.toml")):
        with pytest.raises(StateError, match=r"begun with --games \d+, not \d+: leave --games out") as caught:
            load_run_settings(tmp_path, changed, resume=True)
        assert caught.value.field == "games"
