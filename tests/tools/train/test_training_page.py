"""docs/lab/training.md agrees with the program: commands, settings, sources, fields of the log."""

import re
import shlex
from pathlib import Path

import msgspec
import pytest

from gammond.tools.heritage.astros.command import AscendSettings
from gammond.tools.heritage.computational_backgammon.settings import ClassicSettings
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.heritage.heuristic_engine.trials import ClimbSettings
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.train.cube_decisions.build_set import CubeSetSettings
from gammond.tools.train.cube_decisions.match_states import MATCH_KIND_WEIGHTS
from gammond.tools.train.fitting.fit import FitSettings
from gammond.tools.train.fitting.refine import RefineSettings
from gammond.tools.train.fitting.torch_fitter import OUTPUT_WEIGHTS
from gammond.tools.train.labels.command import LabelSettings
from gammond.tools.train.labels.label_tasks import SHARD_POSITIONS
from gammond.tools.train.labels.sampling import SOURCES
from gammond.tools.train.td.self_play import TdSettings
from gammond.tools.train.validation.build_set import ValidationSettings
from gammond.tools.train.validation.position_classes import POSITION_CLASSES

PAGE = (Path(__file__).parents[3] / "docs" / "lab" / "training.md").read_text("utf-8")
TEXT = " ".join(PAGE.split())
COMMANDS = re.findall(r"^    (gammond .+)$", PAGE, re.MULTILINE)


def test_there_are_commands_on_the_page():
    assert {word for command in COMMANDS for word in shlex.split(command, comments=True)[1:3]} >= {
        "td",
        "ascend",
        "classic",
        "heuristic-net",
        "mimic",
        "vary",
        "label",
        "fit",
        "refine",
        "plot",
        "validation-set",
        "validate",
        "cube-set",
        "validate-cube",
        "peer-games",
        "class-shares",
    }


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_of_positions_has_a_row(source):
    assert re.search(rf"^\| `{source}` \| .", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", POSITION_CLASSES)
def test_each_class_of_validation_positions_has_a_row(name):
    assert re.search(rf"^\|[^|]*`{name}`[^|]*\| .", PAGE, re.MULTILINE)


def test_each_kind_of_match_states_has_a_row_with_its_share():
    rows = re.findall(r"^\| ((?:`[a-z-]+`(?:, )?)+) \| ([0-9, ]+) \| .", PAGE, re.MULTILINE)
    found = {
        name: int(share)
        for names, shares in rows
        for name, share in zip(re.findall("`([a-z-]+)`", names), shares.split(", "), strict=True)
    }
    assert found == MATCH_KIND_WEIGHTS


def test_options_that_the_text_names_are_settings_or_decide_nothing():
    fields = {
        "--" + field.name.replace("_", "-")
        for kind in (
            TdSettings,
            AscendSettings,
            ClassicSettings,
            ClimbSettings,
            MimicSettings,
            ClimbStudySettings,
            HeuristicNetSettings,
            LabelSettings,
            FitSettings,
            RefineSettings,
            ValidationSettings,
            CubeSetSettings,
        )
        for field in msgspec.structs.fields(kind)
    }
    others = {"--from", "--config", "--resume", "--bench", "--threads", "--device"}
    exports = {"--name", "--best", "--last", "--folder", "--phases"}
    pictures = {"--plot", "--output", "--against", "--rolling", "--head-to-head", "--keep-nets"}
    reports = {"--json", "--summary", "--recheck", "--runs", "--models", "--teacher", "--lessons"}
    named = set(re.findall(r"--[a-z][a-z-]*", re.sub(r"\]\([^)]*\)", "]", PAGE)))
    assert named <= fields | others | exports | pictures | reports
    assert others <= named


def test_numbers_are_those_of_the_program():
    small = SHARD_POSITIONS // 8
    assert f"shards of {SHARD_POSITIONS:,} positions ({small} for deeper or rolled-out labels)" in TEXT
    assert f"weights {', '.join(f'{weight:g}' for weight in OUTPUT_WEIGHTS)}:" in TEXT
