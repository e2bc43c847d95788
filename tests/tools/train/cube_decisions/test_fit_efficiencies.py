"""Cube efficiencies of a net, fitted by one command, in the form in which a manifest takes them."""

import json
import tomllib

import pytest

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import convert
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.train.cube_decisions import build_set, fit_efficiencies
from gammond.tools.train.cube_decisions.deciders import ask_decider
from gammond.tools.train.cube_decisions.decision_file import read_decisions, write_decisions
from gammond.tools.train.cube_decisions.efficiency_models import ModelInputs, decide_by_formulas
from tests.support.commands import run_tool


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    """Decisions that were only drawn."""
    folder = tmp_path_factory.mktemp("sets") / "drawn"
    classes = "contact=60,bearoff=30,short-race=30,long-race=30"
    run_tool(build_set, folder, "--net", "fast", "--classes", classes, "--trials", "0")
    return folder / "decisions.txt"


def fit(capsys, *words):
    assert run_tool(fit_efficiencies, "fast", "--teacher", "fast:plies=1", *words) == 0
    return capsys.readouterr().out


def test_what_it_writes_is_the_entry_of_a_manifest_and_nearer_to_the_teacher(lessons, capsys):
    text = fit(capsys, "--lessons", lessons)
    found = convert(tomllib.loads(f"[[evaluator]]\n{text}")["evaluator"][0]["cube"], CubeEfficiencies)
    document = json.loads(fit(capsys, "--lessons", lessons, "--json"))
    assert found == convert(document["cube"], CubeEfficiencies)
    assert (document["decisions"], document["aside"]) == (135, 15)
    gain = document["gain"]
    assert f"\n# taking, {1000 * gain['value']:.1f} ± {1000 * gain['error']:.1f} less than" in text
    decisions = read_decisions(lessons)
    names = tuple(sorted({each.name for each in decisions}))
    teacher = ask_decider("fast:plies=1", decisions)
    inputs = ModelInputs.from_teacher(decisions, load_net_evaluator("fast"), teacher, names)
    errors = [
        ((decide_by_formulas(inputs, each).values - teacher.values) ** 2).mean()
        for each in (found, DEFAULT_EFFICIENCIES)
    ]
    assert errors[0] < errors[1]


def test_without_lessons_decisions_of_all_classes_are_drawn(capsys):
    found = json.loads(fit(capsys, "--decisions", "40", "--json"))
    assert (found["net"], found["cube"].keys()) == ("fast", {"centred", "own", "other"})
    assert 30 <= found["decisions"] + found["aside"] <= 40
    with pytest.raises(ValueRangeError):
        fit(capsys, "--decisions", "3")


def test_a_single_decision_teaches_nothing(lessons, tmp_path, capsys):
    one = tmp_path / "one.txt"
    write_decisions(one, read_decisions(lessons)[:1])
    with pytest.raises(ValueRangeError, match="expected two decisions or more to learn from, got 1"):
        fit(capsys, "--lessons", one)
