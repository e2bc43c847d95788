"""Positions played out by another player: the points of their side on roll, beside the labels."""

import json

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_evaluator
from gammond.tools.common.opponents import load_opponent
from gammond.tools.train.validation import peer_games
from gammond.tools.train.validation.peer_games import compare_games, play_out, select_labels
from gammond.tools.train.validation.positions import ValidationPositions
from gammond.tools.train.validation.rollout_labels import ROLLOUTS, RolloutLabels, write_rollouts
from tests.support import boards
from tests.support.commands import run_tool

BEAROFFS = [boards.position({3: 2, 1: 1}, {25 - 2: 2}).board, boards.position({1: 2}, {25 - 6: 15}).board]
"""The second is won with the first roll, a gammon."""


@pytest.fixture(scope="module")
def player():
    return load_opponent("pubeval")


def make_labels(offset: float = 0.0) -> RolloutLabels:
    sample = np.stack([BEAROFFS[0], BEAROFFS[1], BEAROFFS[0]])
    outcomes = load_evaluator().evaluate(sample)
    outcomes[:, 0] += offset / 2
    return RolloutLabels(
        ValidationPositions(sample, np.array([0, 1, 1], np.uint8), ("race", "short-race")),
        outcomes,
        np.full((3, 5), 0.01, np.float32),
        np.full(3, 0.02, np.float32),
        np.full(3, 36, np.int32),
    )


def run(capsys, *words):
    assert run_tool(peer_games, *words) == 0
    return capsys.readouterr().out


def test_points_are_those_of_the_side_on_roll(player):
    assert (play_out(BEAROFFS[1], player, 20, 1, 0) == 2.0).all()
    lost = boards.position({6: 5}, {25 - 1: 1}).board
    assert (play_out(lost, player, 20, 1, 0) == -1.0).all()


def test_the_mean_of_many_games_is_the_value_of_the_position(player):
    exact = float(cubeless_equity(load_evaluator().evaluate(BEAROFFS[0][None]))[0])
    points = play_out(BEAROFFS[0], player, 20_000, 2, 0)
    assert points.mean() == pytest.approx(exact, abs=4 * points.std() / np.sqrt(20_000))
    assert set(points) == {-1.0, 1.0}


def test_each_position_has_dice_of_its_own(player):
    start = Position.start().board
    one, same, other = (play_out(start, player, 8, 3, place) for place in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_mean_difference_from_the_labels_is_found(player):
    classes = compare_games(make_labels(offset=-0.3), player, 400, 5)
    assert [(each.name, each.positions) for each in classes] == [("race", 1), ("short-race", 2)]
    assert classes[1].stats.bias.value == pytest.approx(0.3, abs=0.1)
    exact = compare_games(make_labels(), player, 400, 5)
    assert exact[1].stats.bias.value == pytest.approx(0.0, abs=0.1)


def test_so_many_positions_of_each_wanted_class_are_taken():
    labels = make_labels()
    assert len(select_labels(labels, [], 1)) == 2
    assert len(select_labels(labels, ["short-race"], 5)) == 2
    with pytest.raises(ValueRangeError, match="short-race"):
        select_labels(labels, ["long-race"], 5)


def test_the_command_writes_a_table_or_json(tmp_path, capsys):
    write_rollouts(ROLLOUTS.find(tmp_path, 0), make_labels())
    text = run(capsys, str(tmp_path), "pubeval", "--games", "40")
    assert "40 games of pubeval" in text
    assert [line.split()[0] for line in text.splitlines()[3:]] == ["race", "short-race"]
    report = json.loads(run(capsys, str(tmp_path), "pubeval", "--games", "40", "--classes", "race", "--json"))
    assert [each["positions"] for each in report["classes"]] == [1]
