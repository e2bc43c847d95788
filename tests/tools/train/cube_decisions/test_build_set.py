"""Sets of cube decisions: made as asked, and compared with."""

import json
from functools import partial

import pytest

from gammond.engine.errors import GammondError, ValueRangeError
from gammond.tools.train.cube_decisions import build_set, deciders, validate
from gammond.tools.train.cube_decisions.build_set import CubeSetSettings
from gammond.tools.train.cube_decisions.decision_file import read_decisions, write_decisions
from gammond.tools.train.runs.settings import read_settings
from tests.support.commands import run_tool

pytest.importorskip("onnx", reason="nets are read as ONNX files (extra 'train')")

OPTIONS = ["--net", "fast", "--classes", "race=3,bearoff=2", "--trials", "36", "--threads", "1"]
make = partial(run_tool, build_set)


def report(capsys, *words):
    assert run_tool(validate, *words) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A finished set of several shards."""
    folder = tmp_path_factory.mktemp("sets") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gammond.tools.train.cube_decisions.rollout_tasks.SHARD_DECISIONS", 2)
        make(folder, *OPTIONS)
    return folder


def test_a_set_is_what_was_asked_for(folder):
    settings = read_settings(folder / "run.toml", CubeSetSettings)
    assert settings == CubeSetSettings(net="fast", classes=("race=3", "bearoff=2"), trials=36)
    decisions = read_decisions(folder)
    assert sorted(each.name for each in decisions) == ["bearoff"] * 2 + ["race"] * 3
    assert all(each.rollout is not None and each.rollout.trials == 36 for each in decisions)
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [record["labelled"] for record in log] == [2, 2, 1]


def test_without_trials_decisions_are_only_drawn(folder, tmp_path):
    drawn = tmp_path / "drawn"
    assert make(str(drawn), *OPTIONS, "--trials", "0") == 0
    decisions = read_decisions(drawn / "decisions.txt")
    assert [each.position for each in decisions] == [
        each.position for each in read_decisions(folder / "decisions.txt")
    ]
    assert not any(each.rollout for each in decisions)
    with pytest.raises(ValueRangeError, match="expected 0 trials, or 36 or more, got 10"):
        make(str(tmp_path / "few"), *OPTIONS, "--trials", "10")


def test_players_are_compared_by_class_kind_and_look_ahead(folder, tmp_path, capsys):
    file = tmp_path / "one.txt"
    found = json.loads(report(capsys, str(folder), "strong", "fast:plies=1", "--output", str(file), "--json"))
    assert read_decisions(file) == read_decisions(folder)
    last = found["groups"][-1]
    assert (last["name"], last["decisions"]) == ("all", 5)
    assert list(last["players"]) == ["strong", "fast:plies=1"]
    assert last["players"]["strong"]["extra_loss"]["value"] == 0.0
    text = report(capsys, str(file), "strong", "--models")
    assert "5 cube decisions" in text
    assert "\nbearoff " in text
    assert "\nby phase, to values " in text


def test_models_learn_from_a_teacher_on_decisions_outside_the_set(folder, tmp_path, capsys):
    part = tmp_path / "part.txt"
    write_decisions(part, read_decisions(folder)[:2])
    options = ["--models", "--teacher", "fast:plies=1", "--lessons"]
    lessons = str(folder / "decisions.txt")
    found, plain = (
        json.loads(report(capsys, str(part), "fast", "--json", *more))
        for more in ([*options, lessons], ["--models"])
    )
    learned, own = found["models"], plain["models"]
    assert learned.keys() == own.keys()
    assert learned["in use"] == own["in use"]
    assert learned != own
    for wrong in ([*options, str(part)], ["--models", "--teacher", "fast"], [*options[1:], str(folder)]):
        with pytest.raises(ValueRangeError):
            run_tool(validate, part, "fast", *wrong)


def test_gnubg_is_asked_for_values_and_verdicts(folder, capsys, monkeypatch):
    asked = []

    def answer(decisions, plies):
        asked.append((len(decisions), plies))
        return [(2.0, 0.1, "Too good to double, pass"), *[(0.0, 0.1, "Double, take")] * (len(decisions) - 1)]

    monkeypatch.setattr(deciders, "ask_cube_values", answer)
    opinions = deciders.ask_decider("gnubg:plies=2", read_decisions(folder))
    assert asked == [(5, 2)]
    assert opinions.doubles.tolist() == [False, True, True, True, True]
    assert opinions.takes.all()
    assert opinions.values[0].tolist() == [2.0, 0.1]


@pytest.mark.parametrize("players", [["strong", "strong"], ["nobody"], ["strong:plies=7"]])
def test_a_player_named_twice_or_unknown_is_refused(folder, players):
    with pytest.raises(GammondError):
        run_tool(validate, folder, *players)
