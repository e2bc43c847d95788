"""Wings: what each adds to other commands is there, once, and finding them imports none of it."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

from gammond.tools.common.opponents import find_sources, list_run_kinds
from gammond.tools.common.wings import find_wings
from gammond.tools.tournament.command import list_games, load_rules_reader

ROOT = Path(__file__).resolve().parents[3]


def test_each_name_is_added_once_and_means_what_it_says():
    trainers = [(name, module) for wing in find_wings() for name, module in wing.trainers.items()]
    assert len(dict(trainers)) == len(trainers) >= 10
    assert [import_module(module).TRAINER.command.split()[-1] for _, module in trainers] == [
        name for name, _ in trainers
    ]
    assert all(set(wing.train_commands) <= wing.trainers.keys() for wing in find_wings())
    assert len(set(list_run_kinds())) == len(list_run_kinds())
    assert set(list_run_kinds()) <= dict(trainers).keys()
    assert list(find_sources()) == ["run", "gnubg", "function"]
    assert "barca" in list_games()
    assert load_rules_reader("barca") is not load_rules_reader("nackgammon")


def test_finding_wings_imports_nothing_of_theirs():
    check = (
        "import sys; from gammond.tools.common.wings import find_wings; find_wings(); "
        "heavy = {'numba', 'numpy', 'msgspec', 'gammond.tools.train.runs.trainer'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
