"""What cannot be measured is refused in words before any net is loaded."""

import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.catalogue import Catalogue
from gammond.tools import cli
from gammond.tools.measure.command import COMMANDS
from tests.engine.match_files.played_games import MAT_MATCH

REFUSED = [
    ("agreement match.mat --plies 5", "--plies: expected a whole number 0..4"),
    ("alphabeta --plies 9", "--plies"),
    ("cutoffs --plies 3", "--plies"),
    ("frontier nobody", "expected a player"),
    ("frontier pubeval --decisions 1", "--decisions: expected a whole number 2 or more"),
    ("frontier pubeval --reference pubeval", "pubeval chooses plays and gives no values"),
    ("frontier pubeval --plot picture.gif", "expected a picture file"),
    ("levels god", "beginner|casual"),
    ("levels expert --reference-plies 5", "plies: expected a whole number 0..4"),
    ("levels expert --reference-filter wide", "expected a move filter, one of tiny"),
    ("matches match.mat --gnubg-plies 5", "--gnubg-plies: expected a whole number 0..4, got 5"),
    ("pruning --plies 5", "plies: expected a whole number 0..4"),
    ("pruning --plies 0", "--plies: expected 1 or more"),
    ("pruning --filter wide", "expected a move filter, one of tiny"),
]


def test_every_measurement_is_here():
    assert {words.split()[0] for words, _ in REFUSED} == COMMANDS.keys()


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_cannot_be_is_refused_before_a_net_is_loaded(words, said, tmp_path, monkeypatch, capsys):
    def not_reached(*_):
        raise DataFileError("nothing is to be loaded for a wrong request")

    for load in ("load_evaluator", "load_engine", "load_pruner"):
        monkeypatch.setattr(Catalogue, load, not_reached)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "match.mat").write_text(MAT_MATCH)
    assert cli.main(["measure", *words.split()]) == cli.EXIT_USAGE
    assert said in capsys.readouterr().err
