"""How often classes of positions come up: counted over all turns of games; what nets say of some of each."""

import json

import numpy as np
import pytest

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.play.lockstep import play_games
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.common.opponents import load_opponent
from gammond.tools.train.labels.rollouts import make_rollout_evaluators, roll_out_trials
from gammond.tools.train.validation import class_shares
from gammond.tools.train.validation.class_shares import count_class_shares
from gammond.tools.train.validation.net_errors import rms
from gammond.tools.train.validation.position_classes import MOST_BACK, PLAYED_CLASSES, POSITION_CLASSES
from gammond.tools.train.weights.net_set import load_net_set
from tests.support.commands import run_tool
from tests.tools.train.validation.class_values import read_class_values


class _Recorder:
    def __init__(self) -> None:
        self.boards: list[np.ndarray] = []

    def add(self, games, seat, dice, after) -> None:
        self.boards.append(after.copy())


@pytest.fixture(scope="module")
def shares():
    player = load_opponent("pubeval")
    return count_class_shares(player, player, 10, 3)


def run(capsys, *words):
    assert run_tool(class_shares, *words) == 0
    return capsys.readouterr().out


def test_shares_are_of_all_positions_after_a_play_that_are_not_over(shares):
    recorder, player = _Recorder(), load_opponent("pubeval")
    play_games(player, player, 10, 3, has_pairs=False, log=recorder)
    phases = classify_phases(np.concatenate(recorder.boards))
    phases = phases[phases != Phase.OVER]
    by_name = {each.name: each for each in shares.classes}
    assert (shares.games, shares.positions, tuple(by_name)) == (10, len(phases), PLAYED_CLASSES)
    assert by_name["race"].share == pytest.approx((phases == Phase.RACE).mean())
    assert by_name["contact"].share == pytest.approx((phases <= Phase.CRASHED).mean())
    assert by_name["contact"].games == 1.0
    assert 0.0 < by_name["race"].error < 0.1


def test_the_numbers_of_checkers_back_share_all_contact(shares):
    by_name = {each.name: each.share for each in shares.classes}
    back = np.array(shares.back)
    assert back.shape == (MOST_BACK + 1, MOST_BACK + 1)
    assert back.sum() == pytest.approx(1.0)
    for count in range(MOST_BACK + 1):
        assert back[count].sum() * by_name["contact"] == pytest.approx(by_name[f"own-back-{count}"])
        assert back[:, count].sum() * by_name["contact"] == pytest.approx(by_name[f"other-back-{count}"])


def test_the_command_writes_tables_or_json(capsys):
    text = run(capsys, "pubeval", "random", "--games", "2")
    assert "pubeval against random" in text
    assert "2 games, " in text
    report = json.loads(run(capsys, "pubeval", "--games", "2", "--json"))
    assert (report["first"], report["second"], report["games"]) == ("pubeval", "pubeval", 2)
    assert [each["name"] for each in report["classes"]] == list(PLAYED_CLASSES)


VALUES = read_class_values()


def test_each_class_that_is_known_by_what_it_is_has_positions_of_it_known_within_a_hundredth():
    names = {each.name for each in VALUES}
    assert names == set(PLAYED_CLASSES)
    for each in VALUES:
        assert POSITION_CLASSES[each.name].find_members(each.board[None]).all(), each
        assert each.error <= 0.01


def test_the_default_net_is_not_further_from_them_than_it_was():
    equities = cubeless_equity(load_evaluator().evaluate(np.stack([each.board for each in VALUES])))
    errors = equities - np.array([each.equity for each in VALUES])
    assert rms(errors) < 0.04
    ordinary = [each.name in ("contact", "race") or "-back-" in each.name for each in VALUES]
    assert rms(errors[ordinary]) < 0.025


@pytest.mark.slow
def test_other_games_find_the_same_values():
    pytest.importorskip("onnx", reason="nets are read as ONNX files (extra 'train')")
    evaluators = make_rollout_evaluators(load_net_set("default"), load_pruner())
    for place, each in enumerate(VALUES[::9]):
        settings = RolloutSettings(seed=1000 + place)
        points = CUBELESS_GAME.equities(roll_out_trials(each.board, evaluators, settings, range(72)))
        error = np.hypot(each.error, points.std(ddof=1) / np.sqrt(72))
        assert abs(points.mean() - each.equity) < 4.5 * error, each
