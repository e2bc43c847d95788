"""`gammond measure agreement`: the engine's choices by the analyses that files hold."""

import json
import math
import re

import pytest

from gammond.tools import cli
from gammond.tools.measure.matches.agreement import compute_agreement
from gammond.tools.measure.matches.comparison import ComparedMatch
from tests.engine.match_files.played_games import MAT_MATCH
from tests.tools.measure.matches.analyses import analyse


def agree(ours, theirs):
    return compute_agreement([ComparedMatch("the file", theirs)], [ComparedMatch("gammond", ours)])


def test_who_chooses_as_the_file_does_loses_nothing():
    found = agree(analyse({0: 0.25}), analyse({0: 0.5}))
    assert (found.plays.same, found.plays.lost) == (found.plays.decisions, 0.0)
    assert (found.cubes.same, found.cubes.lost) == (found.cubes.decisions, 0.0)
    assert (found.unlisted, found.performance_rating) == (0, 0.0)


def test_another_play_loses_what_the_file_says():
    found = agree(analyse({}), analyse({0: 0.5}))
    assert found.plays.same == found.plays.decisions - 1
    assert found.plays.lost == pytest.approx(500 / found.plays.decisions)
    assert math.isnan(found.plays.lost_error)  # of one game
    whole = found.plays.decisions + found.cubes.decisions
    assert found.performance_rating == pytest.approx(500 * 0.5 / whole)


def test_a_double_and_its_answer_lose_by_the_file():
    found = agree(analyse({}, (0.5, 0.25)), analyse({}, (0.5, 1.5)))
    assert found.cubes.decisions == 2
    assert found.cubes.same == 0  # neither double nor pass
    assert found.cubes.lost == pytest.approx(1000 * (0.5 + 0.5) / 2)


@pytest.fixture
def file(tmp_path):
    """A match whose file holds what the engine thinks of it at 0-ply."""
    (tmp_path / "match.mat").write_text(MAT_MATCH)
    words = ["--plies", "0", "--threads", "1", "--format", "sgf", "--output", str(tmp_path / "match.sgf")]
    assert cli.main(["analyse", str(tmp_path / "match.mat"), *words]) == 0
    return str(tmp_path / "match.sgf")


def test_the_engine_agrees_with_itself_and_text_and_json_say_so(file, capsys):
    words = ["measure", "agreement", file, "--plies", "1", "--threads", "1"]
    assert cli.main(words) == 0
    rows = re.findall(r"^gammond, (.)-ply +(\d+) +([0-9.]+)% +([0-9.]+) .*$", capsys.readouterr().out, re.M)
    assert [row[0] for row in rows] == ["0", "1"]
    assert rows[0][2:] == ("100.0", "0.00")
    assert cli.main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    shallow, deep = document["agreements"]
    assert (shallow["plays"]["lost"], shallow["performance_rating"]) == (0.0, 0.0)
    assert f"{deep['plays']['lost']:.2f}" == rows[1][3]
    ((_, ratings),) = [each.values() for each in document["matches"]]
    assert ratings["the file"] == pytest.approx(ratings["gammond, 0-ply"], abs=1e-3)


def test_a_match_without_an_analysis_is_named(tmp_path, capsys):
    file = tmp_path / "match.mat"
    file.write_text(MAT_MATCH)
    assert cli.main(["measure", "agreement", str(file), "--plies", "0"]) == 1
    assert "match.mat: expected a match with an analysis" in capsys.readouterr().err
