"""`gammond measure frontier`: the players on it, their speeds, its report and picture."""

import json
import operator
import time
import types

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer, ScorerPlayer
from gammond.nets.catalogue import load_player
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools import cli
from gammond.tools.common.files import write_arrays
from gammond.tools.gnubg.nets import GnubgPlayer
from gammond.tools.measure import frontier
from gammond.tools.measure.frontier import (
    BATCH_SIZE,
    FrontierPoint,
    mark_frontier,
    measure_evaluations_per_s,
)
from gammond.tools.tournament import backgammon
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.evaluators import PipScorer, RacingEvaluator


def point(name: str, speed: float, strength: float) -> FrontierPoint:
    return FrontierPoint(name, name, {}, speed, strength, 0.01)


def test_only_players_that_nobody_matches_in_both_are_on_the_frontier():
    points = [
        point("slow and weak", 1.0, 0.1),
        point("strongest", 1.0, 0.6),
        point("fastest", 9.0, 0.2),
        point("fast and weaker", 9.0, 0.1),
        point("between", 5.0, 0.3),
        point("strong and slower", 0.5, 0.6),
    ]
    found = mark_frontier(points)
    assert [each.name for each in found if each.is_on_frontier] == ["fastest", "between", "strongest"]
    assert [each.evaluations_per_s for each in found] == [9.0, 9.0, 5.0, 1.0, 1.0, 0.5]


def test_players_that_are_alike_are_on_the_frontier_both():
    assert all(each.is_on_frontier for each in mark_frontier([point("a", 2.0, 0.1), point("b", 2.0, 0.1)]))


@pytest.fixture
def batches(monkeypatch):
    """Time nothing: each batch takes half a second by the clock that was asked for."""
    clocks = []

    def half_a_second(work, budget_s=0.0, clock=None):
        clocks.append(clock)
        work()
        return 0.5

    monkeypatch.setattr(frontier, "measure_seconds_per_call", half_a_second)
    return clocks


@pytest.mark.parametrize(
    ("player", "method", "offsets"),
    [
        (EvaluatorPlayer(RacingEvaluator()), "evaluator.evaluate", []),
        (ScorerPlayer("pips", PipScorer()), "scorer.score_boards", []),
        (PubevalPlayer(), "pick_highest", [[0, BATCH_SIZE]]),  # as the plays of one roll
    ],
)
def test_a_player_is_timed_on_a_whole_batch_by_its_cpu_time(batches, monkeypatch, player, method, offsets):
    asked, real = [], operator.attrgetter(method)(player)

    def counted(boards, *rest):
        asked.append((len(boards), [each.tolist() for each in rest[:1]]))
        return real(boards, *rest)

    owner, _, name = method.rpartition(".")
    monkeypatch.setattr(getattr(player, owner) if owner else player, name, counted)
    assert measure_evaluations_per_s(player, sample_random_positions(2000, seed=1)) == 2 * BATCH_SIZE
    assert (asked, batches) == ([(BATCH_SIZE, offsets)], [time.process_time])


def test_gnubg_is_timed_on_all_positions(monkeypatch):
    monkeypatch.setattr("gammond.tools.gnubg.nets._import_gnubg_nn", lambda: types.SimpleNamespace())
    monkeypatch.setattr(frontier, "measure_gnubg_rate", lambda boards: 1000.0 * len(boards))
    boards = sample_random_positions(12, seed=1)
    assert measure_evaluations_per_s(GnubgPlayer(), boards) == 12_000
    with pytest.raises(UnsupportedError, match="cannot be timed"):
        measure_evaluations_per_s(GnubgPlayer(1), boards)


@pytest.mark.parametrize("load", [RandomPlayer, lambda: load_player("default:plies=1")])
def test_players_that_evaluate_nothing_or_look_ahead_have_no_speed(load):
    with pytest.raises(UnsupportedError, match="cannot be timed") as caught:
        measure_evaluations_per_s(load(), sample_random_positions(4, seed=1))
    assert caught.value.field == "player"


@pytest.fixture
def run(tmp_path):
    """The folder of a run with small nets."""
    pytest.importorskip("onnx", reason="nets are run as ONNX files (extra 'train')")
    generator = np.random.default_rng(1)
    nets = {phase: LayeredNet.make_untrained("tesauro196", (6,), generator) for phase in ("contact", "race")}
    write_arrays(tmp_path / "learner" / "checkpoint.npz", NetSet("learner", nets).to_arrays())
    return tmp_path / "learner"


@pytest.fixture
def few_positions(monkeypatch):
    """Speeds on positions that no net plays, by a clock of their own: pubeval is the faster player."""
    monkeypatch.setattr(
        frontier, "BenchmarkSubject", lambda: types.SimpleNamespace(boards=sample_random_positions(8, seed=1))
    )
    speeds = {PubevalPlayer: 9e6, EvaluatorPlayer: 1e6}
    monkeypatch.setattr(frontier, "measure_evaluations_per_s", lambda player, boards: speeds[type(player)])


def test_the_table_has_a_row_for_each_player_the_fastest_first(run, few_positions, capsys):
    names = [f"run:{run}", "pubeval", "pubeval"]
    assert cli.main(["measure", "frontier", *names, "--games", "8", "--threads", "1"]) == 0
    title, head, first, second = capsys.readouterr().out.splitlines()
    assert "8 paired games each" in title
    assert "against pubeval" in head
    assert first.split() == ["pubeval", "*", "9,000,000", "+0.0000", "±", "0.0000"]
    assert second.split()[:2] == [f"run:{run}", "1,000,000"]
    assert second.split()[2].startswith("-")


def test_json_has_hashes_of_nets_and_the_strength_of_a_tournament(run, few_positions, capsys):
    name, options = f"run:{run}", ["--games", "8", "--seed", "4", "--threads", "1", "--json"]
    assert cli.main(["measure", "frontier", name, "--opponent", "random", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    (place,) = report["points"]
    assert (report["opponent"], report["games"], place["title"]) == ("random", 8, "learner")
    assert list(place["nets"]) == [str(run / "checkpoint.npz")]
    assert place["is_on_frontier"]
    assert cli.main(["tournament", name, "random", *options]) == 0
    played = json.loads(capsys.readouterr().out)
    for field in ("points_per_game", "standard_error"):
        assert place[field] == played[field]


def test_an_interrupt_reports_the_players_measured_so_far(run, few_positions, capsys, monkeypatch):
    play_games, played = backgammon.play_games, []

    def interrupted(first, second, *args, **options):
        played.append(first.name)
        if len(played) == 2:
            raise KeyboardInterrupt
        return play_games(first, second, *args, **options)

    monkeypatch.setattr(backgammon, "play_games", interrupted)
    command = ["measure", "frontier", "pubeval", f"run:{run}", "--games", "8", "--threads", "1", "--json"]
    assert cli.main(command) == cli.EXIT_INTERRUPTED
    written = capsys.readouterr()
    assert [place["name"] for place in json.loads(written.out)["points"]] == ["pubeval"]
    assert "the answer is of the players so far" in written.err
    played[:] = ["pubeval"]
    assert cli.main(command) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().out == ""


def test_a_picture_shows_players_by_their_own_names_and_the_frontier(tmp_path, few_positions, run):
    pytest.importorskip("matplotlib", reason="pictures need the package matplotlib")
    file = tmp_path / "frontier.svg"
    names = ["pubeval", f"run:{run}"]
    assert (
        cli.main(["measure", "frontier", *names, "--games", "4", "--threads", "1", "--plot", str(file)]) == 0
    )
    text = file.read_text()
    for words in (
        "pubeval",
        "learner",
        "points per game against pubeval",
        "no other is as fast and as strong",
    ):
        assert f">{words}</text>" in text


def test_games_that_do_not_end_are_counted_and_the_others_measure(few_positions, capsys, monkeypatch):
    options = ["--opponent", "random", "--games", "40", "--threads", "1", "--json"]
    command = ["measure", "frontier", "fast", *options]
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", 64)
    assert cli.main(command) == 0
    out, err = capsys.readouterr()
    (point,) = json.loads(out)["points"]
    assert point["points_per_game"] > 1.0
    assert "games did not end" in err
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", 5)
    assert cli.main(command) != 0
    assert "no game between fast and random ended" in capsys.readouterr().err
