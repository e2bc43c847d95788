"""`gammond bench`: it checks answers, prints what it says, its signature holds still. Nothing is timed."""

from __future__ import annotations

import json
import types
from dataclasses import replace

import numpy as np
import pytest

from engine.outcome import finished_outcomes
from engine.position import CHECKERS, OFF, Position
from protocol.transports.load_client import LoadReport
from tools import bench, bench_engine, bench_measure, bench_process, bench_signature, cli


class PipJudge:
    """Outcomes from pip counts; ``noise`` stands for another processor, ``shift`` for another net."""

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
        outcomes[over] = finished_outcomes(boards[over])
        noise = np.random.default_rng(5).uniform(-self.noise, self.noise, outcomes.shape)
        return outcomes + noise.astype(np.float32)


class RaceWinner:
    """Stands for a bearoff database: the player on roll always wins."""

    is_optimal = True

    def covers(self, boards):
        return np.ones(len(boards), np.bool_)

    def evaluate(self, boards):
        return np.tile(np.array([1, 0, 0, 0, 0], np.float32), (len(boards), 1))


@pytest.fixture(autouse=True)
def untimed(monkeypatch):
    """Run each piece of work once, and judge by pips."""

    def once(work, budget_s=0.0):
        work()
        return 0.001

    monkeypatch.setattr(bench_engine, "seconds_per_call", once)
    monkeypatch.setattr(bench_engine, "exact_judges", lambda: (RaceWinner(), RaceWinner()))
    monkeypatch.setattr(bench_engine, "read_manifest", lambda: types.SimpleNamespace(nets=()))
    monkeypatch.setattr(bench_engine, "BATCH_LINES", 5000)
    monkeypatch.setattr(bench_measure, "load_evaluator", lambda name: PipJudge())


INSIDE = ["moves", "encoding", "evaluation", "decisions", "batch", "bearoff"]


def test_each_benchmark_inside_the_process_has_right_answers_and_figures():
    subject = bench_measure.Subject()
    for name in INSIDE:
        measurements = list(bench.BENCHMARKS[name](subject))
        assert measurements
        assert all(m.benchmark == name and m.value is not None and m.value > 0 for m in measurements)


def test_evaluation_is_measured_at_each_batch_size():
    measurements = list(bench_engine.bench_evaluation(bench_measure.Subject()))
    assert [m.what for m in measurements] == [f"evaluator pips, batch {n}" for n in (1, 16, 256, 1024)]


def test_the_table_has_a_row_for_each_measurement_and_only_what_was_asked(capsys):
    assert cli.main(["bench", "--only", "moves", "encoding"]) == 0
    title, *rows = capsys.readouterr().out.splitlines()
    assert "pips" in title
    assert {row.split()[0] for row in rows} == {"moves", "encoding"}
    assert all("/s" in row or "ns/" in row for row in rows)


def test_json_is_one_object_with_all_measurements(capsys):
    assert cli.main(["bench", "--only", "bearoff", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["net"] == "pips"
    assert set(result["packages"]) == {"numpy", "numba", "onnxruntime"}
    assert [m["what"] for m in result["measurements"]] == ["two-sided", "one-sided"]
    assert set(result["measurements"][0]) == {"benchmark", "what", "value", "unit", "note"}


def test_an_unknown_benchmark_is_refused(capsys):
    assert cli.main(["bench", "--only", "speed"]) == 2
    assert "moves" in capsys.readouterr().err


def test_a_judge_whose_rows_depend_on_the_batch_is_not_timed(monkeypatch, capsys):
    class Leaky(PipJudge):
        def evaluate(self, boards):
            return super().evaluate(boards) * np.float32(1 + 1e-3 * len(boards))

    monkeypatch.setattr(bench_measure, "load_evaluator", lambda name: Leaky())
    assert cli.main(["bench", "--only", "evaluation"]) == 2
    assert "wrong answer, nothing timed" in capsys.readouterr().err


def test_a_wrong_count_of_plays_is_not_timed(monkeypatch):
    monkeypatch.setattr(bench_engine, "_all_plays", lambda boards: np.zeros((446, 2, 26), np.int8))
    with pytest.raises(bench_measure.WrongAnswerError, match="446 opening plays"):
        next(bench_engine.bench_moves(bench_measure.Subject()))


def test_a_database_that_misjudges_the_last_checker_is_not_timed(monkeypatch):
    class Wrong(RaceWinner):
        def evaluate(self, boards):
            return super().evaluate(boards) * np.float32(0.99)

    monkeypatch.setattr(bench_engine, "exact_judges", lambda: (RaceWinner(), Wrong()))
    with pytest.raises(bench_measure.WrongAnswerError, match="one-sided"):
        list(bench_engine.bench_bearoff(bench_measure.Subject()))


def test_missing_peers_are_skipped_with_a_note(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(bench_process.importlib, "import_module", missing)
    monkeypatch.setattr(bench_process.shutil, "which", lambda name, path=None: None)
    measurements = list(bench_process.bench_gnubg(bench_measure.Subject()))
    assert [m.value for m in measurements] == [None, None]
    assert all("not installed" in m.note for m in measurements)
    assert " - " in bench.table_row(measurements[0])


def load_report(**changes):
    plain = LoadReport(
        clients=200, requests=2000, answered=2000, errors=600, seconds=2.0, p50_ms=3.0, p99_ms=9.0
    )
    return replace(plain, **changes)


def test_latencies_are_reported_with_the_rate_of_all_clients():
    p50, p99 = bench_process._latencies(load_report())
    assert (p50.what, p50.value, p50.unit) == ("200 clients at once, p50", 3.0, "ms")
    assert (p99.value, p99.note) == (9.0, "1,000 lines/s in all")


@pytest.mark.parametrize("wrong", [{"answered": 1999}, {"errors": 0}, {"errors": 2000}])
def test_latencies_of_wrong_answers_are_not_reported(wrong):
    with pytest.raises(bench_measure.WrongAnswerError):
        list(bench_process._latencies(load_report(**wrong)))


def test_the_port_is_read_from_what_the_server_says():
    server = types.SimpleNamespace(stderr=iter(["compiling\n", "gammond 1 listens on 127.0.0.1 port 4321\n"]))
    assert bench_process._listening_port(server) == 4321


def test_a_server_that_does_not_start_is_an_error_with_its_words():
    server = types.SimpleNamespace(stderr=iter(["gammond: no nets are installed\n"]))
    with pytest.raises(bench_measure.WrongAnswerError, match="no nets are installed"):
        bench_process._listening_port(server)


def test_times_are_the_best_of_several_samples(monkeypatch):
    now = [0.0]
    durations = iter([1.0, 0.5, 0.3, 0.4] + [9.0] * 1000)

    def work():
        now[0] += next(durations)

    monkeypatch.setattr(bench_measure.time, "perf_counter", lambda: now[0])
    assert bench_measure.seconds_per_call(work, budget_s=0.6) == pytest.approx(0.3)


def test_fixed_positions_are_legal_of_all_stages_and_the_same_each_time():
    boards = bench_signature.fixed_positions(300)
    assert (boards == bench_signature.fixed_positions(300)).all()
    positions = [Position(board) for board in boards]
    assert {position.phase.name for position in positions} == {"CONTACT", "CRASHED", "RACE", "OVER"}
    assert len(set(positions)) > 290


def test_the_signature_is_sixteen_digits_on_one_line(capsys):
    assert cli.main(["bench", "--signature"]) == 0
    line = capsys.readouterr().out
    assert len(line) == 17
    assert int(line, 16) > 0


def test_the_signature_does_not_move_with_the_noise_of_another_processor():
    plain, noisy = (bench_signature.signature(PipJudge(noise=noise)) for noise in (0.0, 5e-7))
    assert plain.edge_distance > 0.05
    assert str(noisy) == str(plain)
    assert abs(noisy.edge_distance - plain.edge_distance) < 0.05


def test_the_signature_changes_with_the_judgement_and_keeps_the_rules():
    plain, shifted = (bench_signature.signature(PipJudge(shift=shift)) for shift in (0.0, 0.001))
    assert shifted.judgement != plain.judgement
    assert shifted.rules == plain.rules


def test_one_wrong_probability_changes_the_signature():
    class OneOff(PipJudge):
        def evaluate(self, boards):
            outcomes = super().evaluate(boards)
            outcomes[123, 2] += 0.02
            return outcomes

    assert str(bench_signature.signature(OneOff())) != str(bench_signature.signature(PipJudge()))


def test_the_signature_changes_when_a_play_is_missing(monkeypatch):
    plain = bench_signature.signature(PipJudge())
    real = bench_signature.expand_rolls

    def one_missing(boards, dice):
        children, moves, offsets = real(boards, dice)
        if len(boards) > 1:
            children, offsets = children[:-1], np.minimum(offsets, len(children) - 1)
        return children, moves, offsets

    monkeypatch.setattr(bench_signature, "expand_rolls", one_missing)
    assert bench_signature.signature(PipJudge()).rules != plain.rules


def test_the_signature_of_the_rules_is_this_one():
    assert bench_signature.signature(PipJudge()).rules == "3112a72a"
