"""Groups of commands (`gammond measure`, `train`, `heritage`): help, and what it does not import."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from gammond.tools import cli
from gammond.tools.common.command_group import format_description
from gammond.tools.heritage.command import COMMANDS as HERITAGE
from gammond.tools.measure.command import COMMANDS as MEASURE
from gammond.tools.train.command import COMMANDS as TRAIN

ROOT = Path(__file__).resolve().parents[3]
GROUPS = {"train": TRAIN, "heritage": HERITAGE, "measure": MEASURE}


@pytest.mark.parametrize("group", GROUPS)
def test_help_lists_every_command_with_its_summary(group, capsys):
    assert cli.main([group, "--help"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    for name, module in GROUPS[group].items():
        assert f" {name} {importlib.import_module(module).SUMMARY}" in listed


@pytest.mark.parametrize("group", GROUPS)
def test_help_imports_no_command(group):
    check = (
        f"import sys; from gammond.tools import cli; cli.main([{group!r}, '--help']); "
        f"heavy = {{'numba', 'numpy', *{sorted(GROUPS[group].values())}}} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ("group", "name", "option"),
    [
        ("train", "td", "--config FILE"),
        ("heritage", "climb-study", "--config FILE"),
        ("measure", "levels", "--reference-plies"),
    ],
)
def test_the_help_of_a_command_has_its_own_description_and_options(group, name, option, capsys):
    assert cli.main([group, name, "--help"]) == 0
    written = capsys.readouterr().out
    assert written.startswith(f"usage: gammond {group} {name} ")
    command = importlib.import_module(GROUPS[group][name])
    assert format_description(command.SUMMARY, command.__doc__ or "") in written
    assert option in written
