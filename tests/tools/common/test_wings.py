"""Wings: what each adds to other commands is there, once, and finding them imports none of it."""

from importlib import import_module
from pathlib import Path

from gammond.tools.common.opponents import find_sources, list_run_kinds
from gammond.tools.common.wings import find_wings
from gammond.tools.tournament.command import load_rules_reader
from gammond.tools.tournament.options import list_games

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
