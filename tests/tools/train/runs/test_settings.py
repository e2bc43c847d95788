"""Settings of a stage: options, then a file, then defaults; of a run that goes on, its own."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from gammond.engine.errors import DataFileError, FormatError, StateError, ValueRangeError
from gammond.tools.common.command_options import Given, add_options, option, read_options
from gammond.tools.common.tool_parser import ToolParser
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.train.runs.run_folder import load_run_settings
from gammond.tools.train.runs.settings import (
    SettingOptions,
    format_command_options,
    read_origin,
    read_settings,
    with_value,
    write_settings,
)


class Small(msgspec.Struct, frozen=True):
    """Settings with a field of each kind."""

    parent: Annotated[str, option("whose", name="from")] = ""
    count: Annotated[int, Meta(ge=1, description="how many")] = 3
    rate: Annotated[float, Meta(gt=0, description="how fast")] = 0.5
    hidden: Annotated[tuple[int, ...], Meta(description="sizes")] = (8, 4)
    names: Annotated[tuple[str, ...], Meta(description="names")] = ()
    kind: Annotated[Literal["a", "b"], Meta(description="which")] = "a"
    fast: Annotated[bool, option("whether", is_word=True)] = False


def options(*arguments: str) -> Small:
    parser = ToolParser()
    add_options(parser, SettingOptions[Small])
    return read_options(parser.parse_args(arguments), SettingOptions[Small]).make()


def test_options_are_read_as_their_fields_say():
    given = options("--from", "x", "--count", "5", "--rate", "1e-3", "--hidden", "7,6", "--names", "a=1,b")
    assert given == Small("x", 5, 0.001, (7, 6), ("a=1", "b"))
    assert options() == options("--fast", "false") == Small()


def test_options_win_over_a_file_and_a_file_over_defaults(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("count = 9\nhidden = [1]\nrate = 2\n[origin]\ncommand = 'x'\n")
    assert options("--config", str(file), "--hidden", "5") == Small(count=9, hidden=(5,), rate=2.0)


def test_settings_come_back_from_their_file_with_what_came_before(tmp_path):
    file = tmp_path / "new" / "run.toml"
    settings = Small('a "run"', 7, 1e-5, (512, 256), ("ä=1",), "b", fast=True)
    origin = {"command": "gammond", "command_before": ["one", "two"], "hours_before": [0.5, 0.0]}
    write_settings(file, settings, origin)
    assert read_settings(file, Small) == settings
    assert read_origin(file) == origin


def test_the_options_of_settings_give_them_back():
    settings = Small("runs/a", 7, 1e-5, (512, 256), ("a=1", "b"), "b", fast=True)
    assert options(*format_command_options(settings).split()) == settings
    assert format_command_options(Small()) == ""


@pytest.mark.parametrize(
    ("field", "text", "changed"),
    [
        ("count", "5", Small(count=5)),
        ("rate", "1e-3", Small(rate=0.001)),
        ("hidden", "7,6", Small(hidden=(7, 6))),
        ("kind", "b", Small(kind="b")),
        ("fast", "true", Small(fast=True)),
    ],
)
def test_an_option_and_a_single_setting_are_what_a_text_says(field, text, changed):
    assert with_value(Small(), field, text) == options(f"--{field}={text}") == changed


def test_a_setting_that_there_is_not_is_refused():
    with pytest.raises(ValueRangeError, match="got 'depth'"):
        with_value(Small(), "depth", "1")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("count = ", DataFileError, "no configuration"),
        ("\udcff", DataFileError, "no configuration"),
        (f"count = {'[' * 100_000}", DataFileError, "no configuration"),
        ("colour = 1", DataFileError, "unknown fields: colour"),
        ("count = 'x'", FormatError, "run.toml: expected a whole number 1 or more for count, got 'x'"),
        ("count = 0", ValueRangeError, "run.toml: expected a whole number 1 or more for count, got 0"),
        ("hidden = [1.5]", FormatError, "run.toml: expected whole numbers.* for hidden"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, error, message):
    file = tmp_path / "run.toml"
    file.write_text(content, errors="surrogateescape")
    with pytest.raises(error, match=message):
        read_settings(file, Small)


def test_a_file_that_is_missing_or_has_no_origin_is_named(tmp_path):
    with pytest.raises(DataFileError, match=r"run\.toml"):
        read_settings(tmp_path / "run.toml", Small)
    (tmp_path / "run.toml").write_text("count = 1\n")
    with pytest.raises(DataFileError, match="no table"):
        read_origin(tmp_path / "run.toml")


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
