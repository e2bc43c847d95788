"""`gammond measure frontier`: the players on it, their speeds, its report and picture."""

import json
import operator
import time
import types

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer, ScorerPlayer
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.statistics import ValueWithError
from gammond.nets.catalogue import load_player
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools import cli
from gammond.tools.common.files import write_arrays
from gammond.tools.common.opponents import load_net_evaluator, load_opponent
from gammond.tools.gnubg.nets import GnubgPlayer
from gammond.tools.measure import frontier
from gammond.tools.measure.decisions import draw_contact_decisions, estimate_mean_by_game
from gammond.tools.measure.frontier import (
    BATCH_SIZE,
    FrontierPoint,
    mark_frontier,
    measure_evaluations_per_s,
)
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.evaluators import PipScorer, RacingEvaluator


def point(name: str, speed: float, lost: float) -> FrontierPoint:
    return FrontierPoint(name, name, {}, speed, ValueWithError(lost, 0.01), ValueWithError(0.0, 0.0))


def test_only_players_that_nobody_matches_in_both_are_on_the_frontier():
    points = [
        point("slow and weak", 1.0, 9.1),
        point("strongest", 1.0, 2.6),
        point("fastest", 9.0, 8.2),
        point("fast and weaker", 9.0, 9.1),
        point("between", 5.0, 5.3),
        point("strong and slower", 0.5, 2.6),
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


def test_losses_are_the_references_values_of_what_players_chose(few_positions, run, capsys):
    names = [f"run:{run}", "pubeval"]
    options = ["--decisions", "40", "--seed", "4", "--net", "fast", "--reference", "fast", "--json"]
    assert cli.main(["measure", "frontier", *names, *options]) == 0
    report = json.loads(capsys.readouterr().out)
    decisions, games = draw_contact_decisions(load_net_evaluator("fast"), 40, 4)
    boards, dice = np.stack([each.board for each, _ in decisions]), np.array([roll for _, roll in decisions])
    after = [load_opponent(name).choose(boards, dice.astype(np.int8)) for name in names]
    values = np.stack([-cubeless_equity(load_net_evaluator("fast").evaluate(each)) for each in after])
    lost = 1000 * (values.max(axis=0) - values)
    by_name = {place["name"]: place for place in report["points"]}
    for name, losses in zip(names, lost, strict=True):
        for field, wanted in (("lost", losses), ("less_first", losses - lost[0])):
            expected = estimate_mean_by_game(wanted, games)
            assert by_name[name][field]["value"] == pytest.approx(expected.value, abs=1e-3)
            assert by_name[name][field]["error"] == pytest.approx(expected.error, abs=1e-3)
    assert (report["decisions"], report["reference"], report["net"]) == (40, "fast", "fast")
    assert report["differing"] == np.count_nonzero(lost.any(axis=0))
    assert list(by_name[names[0]]["nets"]) == [str(run / "checkpoint.npz")]


def test_who_plays_the_references_own_choice_loses_nothing(few_positions, capsys):
    options = ["--decisions", "24", "--net", "fast", "--reference", "fast"]
    assert cli.main(["measure", "frontier", "pubeval", "fast", *options]) == 0
    title, head, first, second = capsys.readouterr().out.splitlines()
    assert "24 decisions of fast's games" in title
    assert "lost by fast, thousandths" in head
    assert first.split()[:3] == ["pubeval", "*", "9,000,000"]
    assert float(first.split()[3]) > 1.0
    assert second.split()[:4] == ["fast", "*", "1,000,000", "0.00"]
    assert second.split()[6].startswith("-")


def test_players_that_always_agree_are_not_evaluated(few_positions, capsys, monkeypatch):
    monkeypatch.setattr(frontier, "load_deep_evaluator", lambda name: RacingEvaluator())
    monkeypatch.setattr(RacingEvaluator, "evaluate", lambda *args: pytest.fail("nothing to compare"))
    assert cli.main(["measure", "frontier", "pubeval", "--decisions", "8", "--net", "fast"]) == 0
    assert "0 of them decided differently" in capsys.readouterr().out


def test_an_interrupt_reports_the_decisions_evaluated_so_far(few_positions, capsys, monkeypatch):
    fast, evaluated = load_net_evaluator("fast"), []

    class Interrupted:
        name = "interrupted"

        def evaluate(self, boards):
            if evaluated:
                raise KeyboardInterrupt
            evaluated.append(len(boards))
            return fast.evaluate(boards)

    monkeypatch.setattr(frontier, "load_deep_evaluator", lambda name: Interrupted())
    monkeypatch.setattr(frontier, "_DECISIONS_AT_ONCE", 10)
    command = ["measure", "frontier", "pubeval", "fast", "--decisions", "40", "--net", "fast", "--json"]
    assert cli.main(command) == cli.EXIT_INTERRUPTED
    written = capsys.readouterr()
    assert json.loads(written.out)["decisions"] == 10
    assert "the answer is of the decisions so far" in written.err
    assert cli.main(command) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().out == ""


def test_a_picture_shows_players_by_their_own_names_and_the_frontier(tmp_path, few_positions, run):
    pytest.importorskip("matplotlib", reason="pictures need the package matplotlib")
    file = tmp_path / "frontier.svg"
    names = ["pubeval", f"run:{run}"]
    options = ["--decisions", "8", "--net", "fast", "--reference", "fast", "--plot", str(file)]
    assert cli.main(["measure", "frontier", *names, *options]) == 0
    text = file.read_text()
    for words in (
        "pubeval",
        "learner",
        "lost a decision by fast, thousandths of a point",
        "no other is as fast and loses as little",
    ):
        assert f">{words}</text>" in text
