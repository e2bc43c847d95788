"""The page on Barca names what the evaluation and the levels are made of."""

from dataclasses import fields
from pathlib import Path

from gammond.engine.barca.evaluation import EvaluationVector
from gammond.engine.barca.player import LEVELS, PLAYER_KINDS, BarcaSearchPlayer
from gammond.engine.options import list_fields

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "barca.md").read_text(encoding="utf-8")


def rows_of(section):
    """Return the rows of the tables in a section, as lists of cells."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]


def test_the_heuristics_are_those_of_the_vector():
    names = [row[0].split(":")[0].strip("`") for row in rows_of("Evaluation")[2:]]
    assert names == [field.name for field in fields(EvaluationVector)]


def test_the_levels_and_options_are_those_of_the_players():
    rows = rows_of("Levels and players")
    assert rows[2 : 2 + len(LEVELS)] == [[f"`{name}`", PLAYER_KINDS[name].summary] for name in LEVELS]
    assert [row[0].strip("`") for row in rows[4 + len(LEVELS) :]] == [
        field.name for field in list_fields(BarcaSearchPlayer)
    ]
