"""What cannot be measured is refused in words before any net is loaded."""

from __future__ import annotations

import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.catalogue import Catalogue
from gammond.tools import cli
from gammond.tools.measure.command import COMMANDS
from tests.engine.match_files.played_games import MAT_GAME

REFUSED = [
    ("agreement match.mat --plies 5", "--plies: expected a whole number 0..4"),
    ("agreement match.mat --threads 0", "--threads: expected a whole number 1..256"),
    ("alphabeta --plies 0", "--plies"),
    ("alphabeta --plies 9", "--plies"),
    ("alphabeta --positions 0", "--positions"),
    ("alphabeta --seed -1", "--seed"),
    ("cutoffs --decisions 0", "--decisions"),
    ("cutoffs --plies 3", "--plies"),
    ("cutoffs --plies 0", "--plies"),
    ("cutoffs --seed -1", "--seed"),
    ("frontier nobody", "expected a player"),
    ("frontier pubeval --opponent nobody", "expected a player"),
    ("frontier pubeval --games 7", "4 or more, even"),
    ("frontier pubeval --threads 0", "--threads"),
    ("frontier pubeval --plot picture.gif", "expected a picture file"),
    ("levels god", "beginner|casual"),
    ("levels expert --decisions 1", "--decisions: expected a whole number 2 or more"),
    ("levels expert --seed -1", "--seed: expected a whole number 0 or more"),
    ("levels expert --reference-plies 5", "plies: expected a whole number 0..4"),
    ("levels expert --reference-filter wide", "expected a move filter, one of tiny"),
    ("matches match.mat --errors -1", "--errors: expected a whole number 0 or more, got -1"),
    ("matches match.mat --trials -1", "--trials: expected a whole number 0 or more"),
    ("matches match.mat --above -0.5", "--above: expected a number 0 or more"),
    ("matches match.mat --gnubg-plies 5", "--gnubg-plies: expected a whole number 0..4, got 5"),
    ("pruning --decisions 1", "--decisions: expected a whole number 2 or more"),
    ("pruning --seed -1", "--seed: expected a whole number 0 or more"),
    ("pruning --plies 5", "plies: expected a whole number 0..4"),
    ("pruning --plies 0", "--plies: expected 1 or more"),
    ("pruning --filter wide", "expected a move filter, one of tiny"),
    ("pruning --threads 0", "--threads: expected a whole number 1..256"),
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
    (tmp_path / "match.mat").write_text(f" 5 point match\n\n Game 1\n{MAT_GAME}")
    assert cli.main(["measure", *words.split()]) == cli.EXIT_USAGE
    assert said in capsys.readouterr().err
