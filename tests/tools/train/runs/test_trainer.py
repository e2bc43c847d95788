"""What trainers share: the executor of a run, options of work, and opponents that measure strength."""

import numpy as np
import pytest

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import RandomPlayer
from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.catalogue import collect_net_hashes
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.common.opponents import list_run_kinds
from gammond.tools.train.fitting.fit import FitSettings
from gammond.tools.train.fitting.refine import RefineSettings
from gammond.tools.train.runs import trainer
from gammond.tools.train.runs.strength_games import (
    ENDLESS,
    load_opponents,
    measure_results,
    play_opponents,
    strengths_from_record,
)
from gammond.tools.train.runs.trainer import (
    OneProcessWork,
    ProcessWork,
    ThreadedWork,
    WorkOptions,
    make_run_executor,
)
from tests.tools.train.runs.trainer_cases import TRAINERS


@pytest.mark.parametrize("kind", [FitSettings, RefineSettings])
@pytest.mark.parametrize(
    ("games", "cluster", "players"), [(4, "HOST:1", ["fast:plies=1"]), (0, "HOST:1", []), (4, "", [])]
)
def test_workers_of_a_cluster_must_have_the_nets_of_the_opponents(monkeypatch, kind, games, cluster, players):
    """Tasks hold the nets that are trained, and name those that measure them."""
    monkeypatch.setattr(trainer, "make_executor", lambda *given: given)
    settings = kind(opponents=("fast:plies=1",), games=games)
    nets = {name: collect_net_hashes(name) for name in players}
    assert make_run_executor(cluster, settings, 3) == (3, cluster, nets)


def test_there_is_a_worker_for_each_core_unless_set_otherwise():
    works = WorkOptions(), ThreadedWork(), OneProcessWork(), ProcessWork(), ProcessWork(threads=3)
    assert [work.processes for work in works] == [1, 1, 1, count_usable_cores(), 3]
    assert ThreadedWork().threads == count_usable_cores()


def test_a_trainer_keeps_nets_if_they_play():
    for case in TRAINERS:
        names = case.trainer.work_type.__struct_fields__
        assert ("keep_nets" in names) == (case.command.split()[1] in list_run_kinds())


def test_for_no_games_nobody_is_loaded():
    assert load_opponents(("random", "no such player"), 0) == {}
    assert list(load_opponents(("random", "pubeval"), 4)) == ["random", "pubeval"]


def test_a_player_meets_each_opponent_with_the_same_dice():
    opponents = {"one": RandomPlayer(7), "other": RandomPlayer(7)}
    results = play_opponents(PubevalPlayer(), opponents, 40)
    assert results["one"].values.tolist() == results["other"].values.tolist()
    expected = play_games(PubevalPlayer(), RandomPlayer(7), 40, 1)
    assert results["one"].values.tolist() == expected.values.tolist()


def test_strength_is_points_per_game_with_their_error():
    results = play_opponents(PubevalPlayer(), {"chance": RandomPlayer(7)}, 40)
    measured = measure_results(results)
    assert list(measured) == ["opponent", "ppg", "ppg_error", "ppg_games", "others"]
    (strength,) = strengths_from_record(measured)
    assert (strength.opponent, strength.games) == ("chance", 40)
    assert strength.points_per_game == results["chance"].values.mean() > 0.5
    assert strength.standard_error == results["chance"].score.error > 0.0


def test_games_that_do_not_end_are_counted_and_the_others_measure_strength():
    kinds = np.array([1, -1, 2, 2, 0, 3], np.int8)
    results = {
        "slow": PairedScores(np.where(kinds == 0, np.nan, kinds), kinds),
        "stuck": PairedScores(np.full(2, np.nan), np.zeros(2, np.int8)),
        "quick": PairedScores(kinds.astype(np.float64), kinds),
    }
    measured = measure_results(results, won=0.5)
    strengths = strengths_from_record(measured)
    assert [(each.opponent, each.games) for each in strengths] == [("slow", 4), ("quick", 6)]
    assert strengths[0].points_per_game == 1.0
    assert (measured["won"], measured[ENDLESS]) == (0.5, {"slow": 1, "stuck": 2})
