"""`gammond perft`: counts, rows by depth and by first move, JSON, and what is refused."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.rules import VARIANTS, Rules
from gammond.tools import cli
from gammond.tools.perft import count_plays

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "barca.md"


def run(capsys, *arguments):
    assert cli.main(["perft", *arguments]) == 0
    return capsys.readouterr().out


def counts(table):
    """First column -> sequences."""
    return {line.split()[0]: int(line.split()[1].replace(",", "")) for line in table.splitlines()[1:]}


def test_the_page_of_barca_shows_the_counts_of_the_command(capsys):
    (shown,) = re.findall(r"\$ gammond perft barca 4\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert counts(shown) == counts(run(capsys, "barca", "4"))


def test_a_row_for_each_first_move(capsys):
    rows = counts(run(capsys, "barca", "2", "--divide"))
    total = rows.pop("all")
    assert total == sum(rows.values()) == 1404
    assert len(rows) == 38
    assert "e2-e5" in rows


def test_counting_begins_with_the_position_that_is_given(capsys):
    position = "4ee4/3lmml3/10/10/10/4M5/10/10/3L1ML3/4EE4 b"
    rows = counts(run(capsys, "barca", "2", "--divide"))
    assert counts(run(capsys, "barca", "1", "--position", position)) == {"1": rows["e2-e5"]}


def test_json_has_the_counts_and_the_times(capsys):
    report = json.loads(run(capsys, "barca", "2", "--json"))
    assert report["game"] == "barca"
    assert [(row["moves"], row["sequences"]) for row in report["counts"]] == [("1", 38), ("2", 1404)]
    assert all(row["time_s"] >= 0 for row in report["counts"])


def test_plays_of_backgammon_are_those_that_the_benchmark_checks(capsys):
    assert counts(run(capsys, "backgammon", "2")) == {"1": 447, "2": 202_782}


@pytest.mark.parametrize("name", ["nackgammon", "hypergammon1"])
def test_plays_of_variants_are_counted_over_all_rolls(name, capsys):
    rules = Rules(VARIANTS[name])
    start = rules.starting_position
    children = [play.result for roll in ROLLS for play in legal_plays(start, roll, rules)]
    assert counts(run(capsys, name, "1")) == {"1": len(children)}
    some = children[::50]
    expected = sum(len(legal_plays(child, roll, rules)) for child in some for roll in ROLLS)
    assert count_plays(np.array([child.board for child in some]), 1) == expected


def test_a_game_that_is_over_ends_a_sequence():
    rules = Rules(VARIANTS["hypergammon1"])
    boards = rules.starting_position.board.copy()
    boards[0], boards[1] = 0, 0
    boards[0, 1] = boards[1, 24] = 1
    assert count_plays(boards[None], 2) == 0
