"""Evaluators of solved variants, which are found by folder."""

import subprocess
import sys

import pytest

from gammond.engine.cubeful import solutions
from gammond.engine.errors import DataFileError
from gammond.engine.rules.rules import HYPERGAMMON, HYPERGAMMON_1, VARIANTS


def test_the_variants_that_are_solved_have_a_source_and_no_others():
    assert solutions._find_sources().keys() == {each for each in VARIANTS.values() if each.is_solved}


def test_a_solution_that_no_use_makes_is_missing_until_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    solutions.check_solution(HYPERGAMMON_1)
    for ask in (solutions.check_solution, solutions.load_solution):
        with pytest.raises(DataFileError, match="is missing, the solution of hypergammon with 3 checkers"):
            ask(HYPERGAMMON)
    assert list(tmp_path.iterdir()) == []


def test_an_engine_imports_no_solution_before_it_is_asked_for_one():
    code = (
        "import sys, gammond.engine.analysis.engine\nprint([name for name in sys.modules if 'hyper' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
