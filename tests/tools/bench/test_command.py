"""`gammond bench`: it checks answers, prints its table, its signature is stable. Nothing is timed."""

import json
import sys
import threading
import types
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from gammond.engine.analysis.engine import CACHE_COLUMNS, Engine
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.outcome import evaluate_finished
from gammond.engine.rules.position import CHECKERS, OFF, Phase, Position, classify_phases
from gammond.engine.search import ValueCache
from gammond.nets.manifest import EvaluatorEntry, Manifest
from gammond.tools import cli
from gammond.tools.bench import command as bench
from gammond.tools.bench import engine as bench_engine
from gammond.tools.bench import gnubg_timing as bench_gnubg
from gammond.tools.bench import measure as bench_measure
from gammond.tools.bench import process as bench_process
from gammond.tools.bench import rollouts as bench_rollouts
from gammond.tools.bench import search as bench_search
from gammond.tools.bench import signature as bench_signature
from tests.support.evaluators import RacingEvaluator

pytestmark = pytest.mark.slow


class PipEvaluator:
    """Outcomes from pip counts; ``noise`` imitates another processor, ``shift`` another net."""

    name = "pips"
    plies = 0

    def __init__(self, noise: float = 0.0, shift: float = 0.0) -> None:
        self.noise = noise
        self.shift = shift

    def evaluate(self, boards):
        pips = boards.astype(np.int64) @ np.arange(26)
        win = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1]) / 60.0)) + self.shift
        columns = [win, win / 3, win / 30, (1 - win) / 3, (1 - win) / 30]
        outcomes = np.stack(columns, axis=1).astype(np.float32)
        over = (boards[:, :, OFF] == CHECKERS).any(axis=1)
        outcomes[over] = evaluate_finished(boards[over])
        noise = np.random.default_rng(5).uniform(-self.noise, self.noise, outcomes.shape)
        return outcomes + noise.astype(np.float32)


def named_evaluator(name):
    """Load an evaluator in which only the name is its own."""
    evaluator = PipEvaluator()
    evaluator.name = name
    return evaluator


class RaceWinner:
    """Replaces a bearoff database: the player on roll always wins."""

    is_optimal = True

    def covers(self, boards):
        return np.ones(len(boards), np.bool_)

    def evaluate(self, boards):
        return np.tile(np.array([1, 0, 0, 0, 0], np.float32), (len(boards), 1))


@pytest.fixture(autouse=True)
def untimed(monkeypatch):
    """Run each piece of work once, and evaluate by pips."""

    def once(work, budget_s=0.0):
        work()
        return 0.001

    monkeypatch.setattr(bench_engine, "measure_seconds_per_call", once)
    monkeypatch.setattr(bench_engine, "defer_bearoff", lambda: (RaceWinner(), RaceWinner()))
    manifest = Manifest(default="pips", evaluators=(EvaluatorEntry("pips", "pips-contact"),))
    monkeypatch.setattr(bench_engine, "read_manifest", lambda: manifest)
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)
    monkeypatch.setattr(bench_engine, "BATCH_LINES", 5000)
    monkeypatch.setattr(bench_measure, "load_net_evaluator", lambda name: PipEvaluator())
    monkeypatch.setattr(bench_engine, "load_evaluator", named_evaluator)


INSIDE = ["moves", "encoding", "evaluation", "decisions", "batch", "bearoff", "barca"]


def test_each_benchmark_inside_the_process_has_right_answers_and_figures():
    subject = bench_measure.BenchmarkSubject()
    for name in INSIDE:
        measurements = [m for m in bench.BENCHMARKS[name](subject) if "gnubg" not in m.what]
        assert measurements
        assert all(m.value is not None and m.value > 0 for m in measurements)


def test_positions_are_the_same_for_all_nets_and_of_all_phases():
    boards = bench_measure.BenchmarkSubject("strong").boards
    assert boards.shape == (4096, 2, 26)
    assert np.array_equal(boards, bench_measure.BenchmarkSubject("fast").boards)
    counts = np.bincount(classify_phases(boards), minlength=4)
    assert counts[Phase.CONTACT] > 2000
    assert min(counts[Phase.CRASHED], counts[Phase.RACE]) > 100
    assert (boards[:, :, 1:].sum(axis=2) <= 15).all()


def test_evaluation_is_measured_at_each_batch_size():
    measurements = list(bench_engine.bench_evaluation(bench_measure.BenchmarkSubject()))
    *ours, gnubg = measurements
    assert [m.what for m in ours] == [f"evaluator pips (default), batch {n}" for n in (1, 16, 256, 1024)]
    assert (gnubg.what, gnubg.value) == ("gnubg-nn, 0-ply", None)
    assert gnubg.note == "skipped: gnubg-nn is not installed"


def test_all_evaluators_of_the_manifest_are_measured_and_called_by_their_parts(monkeypatch):
    entries = tuple(EvaluatorEntry(name, f"{name}-contact") for name in ("old", "fast", "strong"))
    manifest = Manifest(default="strong", pruner="fast", evaluators=entries)
    monkeypatch.setattr(bench_engine, "read_manifest", lambda: manifest)
    whole = [
        m.what for m in bench_engine.bench_evaluation(bench_measure.BenchmarkSubject()) if "1024" in m.what
    ]
    assert whole == [
        "evaluator pips, batch 1024",
        "evaluator strong (default), batch 1024",
        "evaluator old, batch 1024",
        "evaluator fast (finder), batch 1024",
    ]


def test_gnubgs_nets_are_asked_each_position_once_after_a_check(monkeypatch):
    """A stand-in for gnubg-nn that gives the opening a set evaluation."""
    asked = []

    def probabilities(board, plies):
        asked.append(board)
        return (win,)

    peer = types.SimpleNamespace(probabilities=probabilities, board_from_position_id=lambda text: text)
    monkeypatch.setitem(sys.modules, "gnubg_nn", peer)
    subject, win = bench_measure.BenchmarkSubject(), 0.55
    subject.boards = np.repeat(Position.start().board[None], 3, axis=0)
    measured = bench_gnubg.bench_gnubg_nets(subject)
    assert measured.value > 0
    assert asked == ["4HPwATDgc/ABMA"] * 2
    win = 0.75
    with pytest.raises(bench_measure.WrongAnswerError, match=r"opening 0\.750"):
        bench_gnubg.bench_gnubg_nets(subject)


def test_the_table_and_json_have_what_was_asked_and_only_that(capsys):
    assert cli.main(["bench", "--only", "moves", "bearoff"]) == 0
    title, *rows = capsys.readouterr().out.splitlines()
    assert "pips" in title
    assert {row.split()[0] for row in rows} == {"moves", "bearoff"}
    assert all("/s" in row or "ns/" in row for row in rows)
    assert cli.main(["bench", "--only", "bearoff", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["net"] == "pips"
    assert set(result["packages"]) == {"numpy", "numba", "onnxruntime"}
    assert [m["what"] for m in result["measurements"]] == ["two-sided", "one-sided"]
    assert list(result["measurements"][0]) == ["benchmark", "what", "value", "unit", "note"]
    assert {m["benchmark"] for m in result["measurements"]} == {"bearoff"}


def test_a_missing_peer_is_skipped_with_a_note(monkeypatch):
    monkeypatch.setattr(bench_gnubg, "find_gnubg", lambda: None)
    (measurement,) = bench_gnubg.bench_gnubg(bench_measure.BenchmarkSubject())
    assert measurement.value is None
    assert "not installed" in measurement.note
    assert " - " in bench.format_row("gnubg", measurement)


@pytest.fixture
def small(monkeypatch):
    """A few searches and rollouts by an evaluator that plays games to their end; gnubg is missing."""

    def load(name):
        evaluator = RacingEvaluator()
        return Engine(evaluator, EvaluatorPruner(evaluator), cache=ValueCache(1 << 10, CACHE_COLUMNS))

    monkeypatch.setattr(bench_measure, "load_net_engine", load)
    monkeypatch.setattr(bench_search, "BUDGET_S", 0.0)
    monkeypatch.setattr(bench_search, "PAIRED_EVALUATIONS", 24)
    monkeypatch.setattr(bench_search, "PAIRED_DECISIONS", 2)
    monkeypatch.setattr(bench_search, "_MIN_ITEMS", 2)
    monkeypatch.setattr(bench_search, "read_manifest", lambda: types.SimpleNamespace(pruner="pips32"))
    monkeypatch.setattr(bench_rollouts, "TRIALS", 36)
    few = {kind: replace(settings, trials=36) for kind, settings in bench_rollouts._KINDS.items()}
    monkeypatch.setattr(bench_rollouts, "_KINDS", few)
    monkeypatch.setattr(bench_rollouts, "CHECK_TRIALS", 36)
    monkeypatch.setattr(bench_gnubg, "find_gnubg", lambda: None)
    bench_gnubg.time_gnubg.cache_clear()


def test_searches_have_right_answers_and_figures_and_say_where_gnubg_is_missing(small):
    measurements = list(bench_search.bench_search(bench_measure.BenchmarkSubject()))
    ours, theirs = measurements[:-2], measurements[-2:]
    assert len(ours) == 8
    assert all(m.value is None or m.value > 0 for m in ours)
    assert [m.value for m in theirs] == [None, None]
    assert all("gnubg is not installed" in m.note for m in theirs)


def test_rollouts_have_right_answers_and_figures_and_say_where_gnubg_is_missing(small):
    measurements = list(bench_rollouts.bench_rollouts(bench_measure.BenchmarkSubject()))
    assert [m.unit for m in measurements] == ["s", "s", "s", "times", "s", "s", "s"]
    assert all(m.value > 0 for m in measurements[:3])
    assert [m.value for m in measurements[4:]] == [None] * 3


class Leaky(PipEvaluator):
    """An evaluator whose rows depend on the batch."""

    def evaluate(self, boards):
        return super().evaluate(boards) * np.float32(1 + 1e-3 * (len(boards) - 1))


class Wrong(RaceWinner):
    """A database that is wrong about the last checker."""

    def evaluate(self, boards):
        return super().evaluate(boards) * np.float32(0.99)


def alter(owner, name, change):
    """Return a function that lets what an owner's function returns be changed."""
    real = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: change(real(*args, **more), *args))


def turn_round_elsewhere(ranked, *_):
    return ranked if threading.current_thread() is threading.main_thread() else tuple(reversed(ranked))


def shift_reduced(found, position, evaluators, settings):
    estimate, rollout = found
    return (estimate._replace(equity=9.0) if settings.variance_reduction else estimate), rollout


FAULTS = {
    "an evaluator whose rows depend on the batch": (
        lambda patch: patch.setattr(bench_measure, "load_net_evaluator", lambda name: Leaky()),
        (bench_engine.bench_evaluation, "depends on the batch"),
    ),
    "an evaluator that is wrong about a lost game": (
        lambda patch: patch.setattr(bench_measure, "load_net_evaluator", lambda name: PipEvaluator(0.1)),
        (bench_engine.bench_evaluation, "a lost game is evaluated as"),
    ),
    "a play that is missing": (
        alter(bench_engine, "_expand_all_rolls", lambda boards, *_: boards[:446]),
        (bench_engine.bench_moves, "446 opening plays"),
    ),
    "a database that is wrong": (
        lambda patch: patch.setattr(bench_engine, "defer_bearoff", lambda: (RaceWinner(), Wrong())),
        (bench_engine.bench_bearoff, "one-sided"),
    ),
    "a search that misses a won game": (
        alter(Engine, "evaluate", lambda found, *_: found._replace(equity=found.equity - 0.01)),
        (bench_search.bench_search, "won by any roll"),
    ),
    "plays that another thread ranks otherwise": (
        alter(Engine, "rank_plays", turn_round_elsewhere),
        (bench_search.bench_search, "one thread each, two threads"),
    ),
    "variance reduction that moves the mean": (
        alter(bench_rollouts, "roll_out_position", shift_reduced),
        (bench_rollouts.bench_rollouts, "moves the equity"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_answers_wrongly_is_not_timed(small, monkeypatch, fault):
    put_in, (benchmark, message) = FAULTS[fault]
    put_in(monkeypatch)
    monkeypatch.setattr(bench_search, "count_usable_cores", lambda: 2)
    with pytest.raises(bench_measure.WrongAnswerError, match=message):
        list(benchmark(bench_measure.BenchmarkSubject()))


def test_threads_are_not_measured_on_one_core(small, monkeypatch):
    for module in (bench_search, bench_rollouts):
        monkeypatch.setattr(module, "count_usable_cores", lambda: 1)
    search, *_ = [m for m in bench_search.bench_search(bench_measure.BenchmarkSubject()) if m.unit == "times"]
    rollouts, *_ = [
        m for m in bench_rollouts.bench_rollouts(bench_measure.BenchmarkSubject()) if m.unit == "times"
    ]
    assert search.value is rollouts.value is None
    assert "one core" in search.note


def test_gnubg_is_asked_by_its_own_python_and_its_times_are_read(tmp_path, monkeypatch):
    """A stand-in for gnubg runs the script with a module of that name, as gnubg's own Python does."""
    (tmp_path / "gnubg.py").write_text(
        "def command(line): pass\ndef positionfromid(text): return text\n"
        "def cubeinfo(*rest): return {}\ndef evalcontext(*rest): return {}\n"
        "def evaluate(*rest): return (0.5, 0, 0, 0, 0, 0)\n"
    )
    program = tmp_path / "gnubg"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$4"\n')
    program.chmod(0o755)
    monkeypatch.setattr(bench_gnubg, "find_gnubg", lambda: str(program))
    bench_gnubg.time_gnubg.cache_clear()
    rollout = bench_gnubg.TimedRollout(36, uses_variance_reduction=True, is_truncated=False)
    opening = "4HPwATDgc/ABMA"
    found = bench_gnubg.time_gnubg(plays=((opening, (3, 1)),), values=(opening,) * 2, rollouts=(rollout,))
    assert {name: len(times_s) for name, times_s in found.items()} == {"plays": 1, "values": 2, "rollouts": 1}
    program.write_text("#!/bin/sh\nexit 0\n")
    assert "no Python inside" in bench_gnubg.time_gnubg(values=(opening,))
    bench_gnubg.time_gnubg.cache_clear()


@pytest.mark.peer
def test_gnubg_itself_answers_the_questions_of_the_benchmarks():
    if bench_gnubg.find_gnubg() is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    bench_gnubg.time_gnubg.cache_clear()
    rollout = bench_gnubg.TimedRollout(36, uses_variance_reduction=False, is_truncated=True)
    opening = "4HPwATDgc/ABMA"
    found = bench_gnubg.time_gnubg(plays=((opening, (6, 2)),), values=(opening,), rollouts=(rollout,))
    if isinstance(found, str):
        pytest.skip(found)
    assert all(time_s > 0.001 for time_s in chain.from_iterable(found.values()))


def test_a_server_that_does_not_start_is_an_error_with_its_words():
    server = types.SimpleNamespace(stderr=iter(["gammond: no nets are installed\n"]))
    with pytest.raises(bench_measure.WrongAnswerError, match="no nets are installed"):
        bench_process.read_listening_port(server)


def test_times_are_the_best_of_several_samples(monkeypatch):
    now = [0.0]
    durations = iter([1.0, 0.5, 0.3, 0.4] + [9.0] * 1000)

    def work():
        now[0] += next(durations)

    monkeypatch.setattr(bench_measure.time, "perf_counter", lambda: now[0])
    assert bench_measure.measure_seconds_per_call(work, budget_s=0.6) == pytest.approx(0.3)


def test_fixed_positions_are_legal_of_all_stages_and_the_same_each_time():
    boards = bench_signature.make_fixed_positions(300)
    assert (boards == bench_signature.make_fixed_positions(300)).all()
    positions = [Position(board) for board in boards]
    assert {position.phase.name for position in positions} == {"CONTACT", "CRASHED", "RACE", "OVER"}
    assert len(set(positions)) > 290


def test_the_signature_is_sixteen_digits_on_one_line(capsys):
    assert cli.main(["bench", "--signature"]) == 0
    line = capsys.readouterr().out
    assert len(line) == 17
    assert int(line, 16) > 0


def test_the_signature_does_not_move_with_the_noise_of_another_processor():
    plain, noisy = (bench_signature.compute_signature(PipEvaluator(noise=noise)) for noise in (0.0, 5e-7))
    assert plain.edge_distance > 0.05
    assert str(noisy) == str(plain)
    assert abs(noisy.edge_distance - plain.edge_distance) < 0.05


def test_the_signature_changes_with_one_evaluation_and_keeps_the_rules():
    class OneOff(PipEvaluator):
        def evaluate(self, boards):
            outcomes = super().evaluate(boards)
            outcomes[123, 2] += 0.02
            return outcomes

    plain = bench_signature.compute_signature(PipEvaluator())
    for other in (OneOff(), PipEvaluator(shift=0.001)):
        changed = bench_signature.compute_signature(other)
        assert str(changed) != str(plain)
        assert changed.rules == plain.rules


def test_the_signature_changes_when_a_play_is_missing(monkeypatch):
    plain = bench_signature.compute_signature(PipEvaluator())
    real = bench_signature.expand_rolls

    def one_missing(boards, dice):
        children, moves, offsets = real(boards, dice)
        if len(boards) > 1:
            children, offsets = children[:-1], np.minimum(offsets, len(children) - 1)
        return children, moves, offsets

    monkeypatch.setattr(bench_signature, "expand_rolls", one_missing)
    assert bench_signature.compute_signature(PipEvaluator()).rules != plain.rules


def test_the_signature_of_the_rules_is_this_one():
    assert bench_signature.compute_signature(PipEvaluator()).rules == "3112a72a"
