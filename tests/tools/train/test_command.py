"""``gammond train``: what its help lists, and that it imports no trainer for it."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tools import cli
from tools.train.command import TRAINERS

ROOT = Path(__file__).resolve().parents[3]


def test_help_lists_every_trainer_with_its_summary(capsys):
    assert cli.main(["train", "--help"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    for name, module in TRAINERS.items():
        assert f" {name} {importlib.import_module(module).SUMMARY}" in listed


def test_help_imports_no_trainer():
    check = (
        "import sys; from tools import cli; cli.main(['train', '--help']); "
        f"heavy = {{'numba', 'numpy', *{sorted(TRAINERS.values())}}} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("name", ["td", "climb-study"])
def test_the_help_of_a_trainer_has_its_own_description_and_options(name, capsys):
    assert cli.main(["train", name, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: gammond train {name} ")
    assert (importlib.import_module(TRAINERS[name]).__doc__ or "").replace("`", "").strip() in told
    assert "--config FILE" in told
