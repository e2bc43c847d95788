"""Benchmarks inside the process: plays, encoding, evaluation, decisions, batch, bearoff."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.bearoff import defer_bearoff
from gammond.engine.evaluation.evaluator import Evaluator, choose_best_children
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.kernels import moves as kernel_moves
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import WIN, evaluate_finished
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.nets.catalogue import load_evaluator
from gammond.nets.compiled_net import TOLERANCE, CompiledNet, load_net
from gammond.nets.encoders import ENCODERS
from gammond.nets.manifest import read_manifest
from gammond.nets.onnx_model import NetEvaluator
from gammond.tools.batch.command import BLOCK_LINES
from gammond.tools.batch.evaluation import BatchEvaluator
from gammond.tools.batch.lines import PositionLine, read_lines
from gammond.tools.batch.rows import CsvRows
from gammond.tools.batch.run import BatchCounts, BlockAnalysis, BlockRows, run_batch, split_blocks
from gammond.tools.bench.gnubg_timing import bench_gnubg_nets
from gammond.tools.bench.measure import (
    GAMES_AT_ONCE,
    BenchmarkSubject,
    Measurement,
    SelfPlayGames,
    check_answer,
    measure_seconds_per_call,
)

BATCH_SIZES = (1, 16, 256, 1024)
BATCH_LINES = 100_000

_OPENING_PLAYS = 447
_OPENING_REPLIES = 202_782
_SUM_TOLERANCE = 1e-4


def bench_moves(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure the generation of all distinct legal plays of a roll."""
    children = _expand_all_rolls(STANDARD_RULES.starting_position.board[None])
    check_answer(len(children) == _OPENING_PLAYS, f"{len(children)} opening plays over 21 rolls, not 447")
    replies = len(_expand_all_rolls(children))
    check_answer(replies == _OPENING_REPLIES, f"{replies} replies to the opening plays, not 202,782")
    boards = subject.boards[:1024]
    dice = _make_all_dice(len(boards))
    room = np.empty((64 * len(boards) + 2 * kernel_moves.MAX_PLAYS, 2, 26), np.int8)
    moves = np.empty((len(room), 8), np.int8)
    offsets = np.zeros(len(boards) + 1, np.int64)
    each_s = measure_seconds_per_call(
        lambda: kernel_moves.expand(boards, dice, 0, 4, room, moves, offsets)
    ) / len(boards)
    plays = int(offsets[-1]) / len(boards)
    yield Measurement(
        "all plays of one roll, into given arrays",
        1 / each_s,
        "positions/s",
        f"{plays:.1f} plays each",
    )
    each_s = measure_seconds_per_call(lambda: expand_rolls(boards, dice)) / len(boards)
    yield Measurement("all plays of one roll, into arrays of their own", 1 / each_s, "positions/s")


def _make_all_dice(count: int) -> NDArray[np.int8]:
    """Repeat all 36 rolls of two dice, ``int8[count, 2]``."""
    return np.array([(1 + i // 6 % 6, 1 + i % 6) for i in range(count)], np.int8)


def _expand_all_rolls(boards: Board) -> Board:
    dice = np.array(ROLLS, np.int8)
    repeated = np.repeat(boards, len(dice), axis=0)
    return expand_rolls(repeated, np.tile(dice, (len(boards), 1)))[0]


def bench_encoding(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure the encoding of positions as inputs."""
    boards = subject.boards[:1024]
    for encoder in ENCODERS.values():
        alone = encoder.encode(np.ascontiguousarray(boards[7:8]))
        check_answer(
            bool((alone[0] == encoder.encode(boards)[7]).all()), f"{encoder.id} depends on the batch"
        )
        total = float(encoder.encode(STANDARD_RULES.starting_position.board[None]).sum(dtype=np.float64))
        check_answer(
            abs(total - encoder.opening_sum) < _SUM_TOLERANCE,
            f"{encoder.id} of the opening adds up to {total}",
        )
        each_s = measure_seconds_per_call(partial(encoder.encode, boards)) / len(boards)
        yield Measurement(encoder.id, 1e9 * each_s, "ns/position", f"{encoder.inputs} inputs")


def bench_evaluation(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure evaluation by batch size, encoding included.

    Measured are evaluators, each net by itself, compiled and by the runtime, and gnubg's nets.

    Evaluators route positions of all phases; the default and the one for pruning are marked.
    """
    evaluators = _list_evaluators(subject)
    for entry in read_manifest().evaluator_nets:
        shape = "-".join(map(str, entry.hidden))
        net = load_net(entry)
        evaluators.append((f"net {entry.name} ({entry.encoder}, {shape})", net))
        if isinstance(net, CompiledNet) and net.model is not None:
            by_runtime = NetEvaluator(entry.name, net.encoder, net.model)
            differences = np.abs(net.evaluate(subject.boards) - by_runtime.evaluate(subject.boards))
            check_answer(float(differences.max()) < TOLERANCE, f"net {entry.name} differs from onnxruntime")
            evaluators.append((f"net {entry.name} by onnxruntime", by_runtime))
    over = STANDARD_RULES.starting_position.board.copy()
    over[1] = 0
    over[1, OFF] = CHECKERS
    lost = subject.evaluator.evaluate(over[None])
    check_answer(
        bool((lost == evaluate_finished(over[None])).all()), f"a lost game is evaluated as {lost[0]}"
    )
    for what, evaluator in evaluators:
        yield from _bench_batch_sizes(what, evaluator, subject.boards)
    yield bench_gnubg_nets(subject)


def _list_evaluators(subject: BenchmarkSubject) -> list[tuple[str, Evaluator]]:
    """Load the evaluator to measure, then all others of the manifest, the default first, with titles."""
    manifest = read_manifest()
    parts = {"default": manifest.default, "finder": manifest.pruner}
    names = [each.name for each in manifest.evaluators if each.name != subject.evaluator.name]
    names.sort(key=lambda name: name != manifest.default)
    titled = []
    for evaluator in (subject.evaluator, *map(load_evaluator, names)):
        part = ", ".join(part for part, taken in parts.items() if taken == evaluator.name)
        titled.append((f"evaluator {evaluator.name}{f' ({part})' if part else ''}", evaluator))
    return titled


def _bench_batch_sizes(what: str, evaluator: Evaluator, boards: Board) -> Iterator[Measurement]:
    together = evaluator.evaluate(boards[:1024])
    alone = np.concatenate([evaluator.evaluate(boards[i : i + 1]) for i in range(32)])
    check_answer(bool((alone == together[:32]).all()), f"{what} depends on the batch")
    for size in BATCH_SIZES:
        each_s = measure_seconds_per_call(partial(evaluator.evaluate, boards[:size])) / size
        yield Measurement(f"{what}, batch {size}", 1 / each_s, "positions/s")


def bench_decisions(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure the choice of a play: one position at a time, and many games in lockstep."""
    evaluator = subject.evaluator
    boards = subject.boards[:256]
    dice = _make_all_dice(len(boards))
    together, _ = choose_best_children(evaluator, boards, dice)
    for i in range(32):
        alone, _ = choose_best_children(evaluator, boards[i : i + 1], dice[i : i + 1])
        check_answer(bool((alone[0] == together[i]).all()), f"decision {i} depends on the batch")

    def choose_one_by_one() -> None:
        for i in range(len(boards)):
            choose_best_children(evaluator, boards[i : i + 1], dice[i : i + 1])

    each_s = measure_seconds_per_call(choose_one_by_one) / len(boards)
    what = f"one position at a time, {evaluator.plies}-ply"
    yield Measurement(what, 1 / each_s, "decisions/s")
    games = SelfPlayGames(evaluator)
    for _ in range(20):
        games.step()
    each_s = measure_seconds_per_call(games.step, budget_s=1.0) / GAMES_AT_ONCE
    what = f"{GAMES_AT_ONCE} games in lockstep, {evaluator.plies}-ply"
    yield Measurement(what, 1 / each_s, "decisions/s")


def bench_batch(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure `gammond batch --cubeless` on lines in memory, without and with reading them."""
    ids = encode_position_ids(subject.boards)
    content = ("\n".join((ids * (BATCH_LINES // len(ids) + 1))[:BATCH_LINES]) + "\n").encode()
    written: list[bytes] = []
    evaluator = BatchEvaluator(Engine(subject.evaluator), EvalSettings(is_cubeful=False))
    counts, _ = _run_batch(evaluator, content, written)
    first = read_lines(io.BytesIO("\n".join(ids[:100]).encode()))
    columns = BlockAnalysis(evaluator).make_rows(list(first)).columns
    expected = CsvRows(tuple(columns)).format_rows(columns)
    check_answer(
        counts.rows == BATCH_LINES and not counts.errors,
        f"batch wrote {counts.rows} rows, {counts.errors} errors",
    )
    check_answer(written[0].decode().startswith(expected), "batch wrote other rows than the evaluator gives")
    inside: list[float] = []

    def once() -> None:
        inside.append(_run_batch(evaluator, content, [])[1])

    all_s = measure_seconds_per_call(once)
    yield Measurement("decode, evaluate, write rows", BATCH_LINES / min(inside), "positions/s")
    yield Measurement("with reading lines", BATCH_LINES / all_s, "positions/s")


def _run_batch(evaluator: BatchEvaluator, content: bytes, written: list[bytes]) -> tuple[BatchCounts, float]:
    """Return the counts of a run, and its seconds without reading and writing."""
    blocks = BlockAnalysis(evaluator)
    rows = CsvRows(blocks.columns)
    took_s: list[float] = []

    def make_rows(lines: list[PositionLine]) -> BlockRows:
        began_s = time.perf_counter()
        made = blocks.make_rows(lines)
        took_s.append(time.perf_counter() - began_s)
        return made

    counts = run_batch(
        map(make_rows, split_blocks(read_lines(io.BytesIO(content)), BLOCK_LINES[0])),
        write=lambda columns: written.append(rows.format_rows(columns).encode()),
        report=lambda line, error: None,
        advance=lambda number, counts: None,
    )
    return counts, sum(took_s)


def bench_bearoff(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure look-ups in the bearoff databases."""
    home = _draw_bearoff_boards()
    two_sided, one_sided = defer_bearoff()
    for name, database in (("two-sided", two_sided), ("one-sided", one_sided)):
        covered = np.ascontiguousarray(home[database.covers(home)][:1024])
        check_answer(len(covered) > 0, f"{name} covers no bearoff position")
        last = np.zeros((1, 2, 26), np.int8)
        last[0, :, 1], last[0, :, OFF] = 1, CHECKERS - 1
        win = float(database.evaluate(last)[0, WIN])
        check_answer(win == 1.0, f"{name} gives the last checker on roll a {win} chance")
        each_s = measure_seconds_per_call(partial(database.evaluate, covered)) / len(covered)
        yield Measurement(name, 1 / each_s, "positions/s", f"batch {len(covered)}")


def _draw_bearoff_boards() -> Board:
    """Draw random positions with 1 to 15 checkers of each side in its home board."""
    generator = np.random.Generator(np.random.PCG64(6))
    boards = np.zeros((4096, 2, 26), np.int8)
    for board in boards.reshape(-1, 26):
        points = generator.integers(1, 7, size=int(generator.integers(1, CHECKERS + 1)))
        board[:7] = np.bincount(points, minlength=7)
        board[OFF] = CHECKERS - len(points)
    return boards
