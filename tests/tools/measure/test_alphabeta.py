"""`gammond measure alphabeta`: what deepening and the table save, and that they change no value."""

from __future__ import annotations

import json

import pytest

from tools import cli
from tools.measure import alphabeta


def test_the_report_says_what_was_saved_and_that_values_are_the_same(capsys):
    assert cli.main(["measure", "alphabeta", "--positions", "4", "--plies", "4", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["positions"], report["depth"], report["seed"]) == (4, 4, 1)
    rows = {row["name"]: row for row in report["rows"]}
    assert [row["same_value"] for row in rows.values()] == [4] * 4
    assert rows["alpha-beta"]["share"] == 1.0
    assert rows["with a table"]["share"] < 0.95
    assert rows["depth by depth"]["share"] != 1.0


def test_another_value_is_a_failure(capsys, monkeypatch):
    def break_value(game, limits, memory=None):
        found = search(game, limits, memory=memory)
        wrong = found.lines[0]._replace(score=found.score + limits.is_deepening)
        return type(found)((wrong,), found.depth, found.nodes, found.time_s)

    search = alphabeta.search
    monkeypatch.setattr(alphabeta, "search", break_value)
    assert cli.main(["measure", "alphabeta", "--positions", "2", "--plies", "2"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "depth 2, seed 1: 2 positions" in lines[0]
    assert len(lines) == 6


@pytest.mark.parametrize(
    "options", [["--plies", "0"], ["--plies", "9"], ["--positions", "0"], ["--seed", "-1"]]
)
def test_numbers_out_of_range_are_refused(capsys, options):
    assert cli.main(["measure", "alphabeta", *options]) == cli.EXIT_USAGE
    assert options[0] in capsys.readouterr().err
