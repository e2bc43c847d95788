"""`gammond batch`: rows, bad lines, order, resuming, interruption."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import decode_position_id, encode_position_id, encode_position_ids
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.tools import cli
from gammond.tools.batch import command as batch
from gammond.tools.batch import evaluation as batch_evaluation
from gammond.tools.batch import lines as batch_lines
from gammond.tools.batch import messages as batch_messages
from gammond.tools.batch import resume as batch_resume
from gammond.tools.batch import rows as batch_rows
from gammond.tools.batch import run as batch_run
from gammond.tools.batch.evaluation import BatchEvaluator
from gammond.tools.common import interrupts
from gammond.tools.common.locks import hold_lock
from tests.support import boards as test_boards

OPENING = "4HPwATDgc/ABMA"
CUBELESS_HEADER = "id,plies,win,win_g,win_bg,lose_g,lose_bg,equity,error\n"
HEADER = CUBELESS_HEADER.replace(",error", ",cubeful,mwc,error")


class PipEvaluator:
    """Outcomes from pip counts: enough to distinguish positions."""

    name = "pips"
    plies = 0

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift
        self.asked = 0

    def evaluate(self, boards):
        assert len(boards) > 0
        assert boards.flags.c_contiguous
        self.asked += len(boards)
        pips = boards.astype(np.int64) @ np.arange(26)
        win = 0.5 + (pips[:, 1] - pips[:, 0]) / 1000 + self.shift
        gammons = pips[:, 0] / 4000
        columns = [win, gammons, gammons / 10, gammons / 2, gammons / 20]
        return np.stack(columns, axis=1).astype(np.float32)


def expected_row(text, position, match=None, plies=0, evaluator=None):
    """The row of a position in csv, from an engine's evaluation of it alone."""
    match = match or MatchState()
    evaluated = Engine(evaluator or PipEvaluator()).evaluate(position, match, EvalSettings(plies))
    values = [
        *evaluated.outcome,
        evaluated.cubeless_equity,
        evaluated.cubeful,
        *([] if match.is_money else [evaluated.mwc]),
    ]
    shown = [f"{0.0 if abs(value) < 5e-7 else value:.6f}" for value in values]
    return ",".join([text, str(plies), *shown[:6], shown[6], *(shown[7:] or [""]), ""]) + "\n"


def cubeless_row(text, position, plies=0):
    evaluated = Engine(PipEvaluator()).evaluate(position, MatchState(), EvalSettings(plies, is_cubeful=False))
    shown = [
        f"{0.0 if abs(value) < 5e-7 else value:.6f}"
        for value in (*evaluated.outcome, evaluated.cubeless_equity)
    ]
    return ",".join([text, str(plies), *shown, ""]) + "\n"


def some_ids(count, seed=3):
    generator = np.random.default_rng(seed)
    boards = np.repeat(Position.start().board[None], 64, axis=0)
    ids = []
    while len(ids) < count:
        boards, _ = choose_best_children(
            PipEvaluator(), boards, generator.integers(1, 7, (64, 2)).astype(np.int8)
        )
        boards[(boards[:, :, 0] == 15).any(axis=1)] = Position.start().board
        ids += encode_position_ids(boards)
    return ids[:count]


@pytest.fixture(autouse=True)
def evaluator(monkeypatch):
    evaluator = PipEvaluator()
    use_evaluator(monkeypatch, evaluator)
    return evaluator


def use_evaluator(monkeypatch, evaluator):
    """Make the tool load an evaluator in place of the shipped ones."""
    monkeypatch.setattr(
        batch_run, "load_net_engine", lambda name, threads: Engine(evaluator, threads=threads)
    )


@pytest.fixture
def run(tmp_path, capfdbinary):
    """Run the tool on a text; give exit status, stdout and stderr."""

    def run(content, *options):
        file = tmp_path / "positions.txt"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        status = cli.main(["batch", str(file), *map(str, options)])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


def test_each_position_gets_a_row_in_input_order_with_six_decimals(run):
    texts = some_ids(300)
    status, out, _ = run("\n".join(texts) + "\n")
    assert status == 0
    assert out == HEADER + "".join(expected_row(text, decode_position_id(text)) for text in texts)


def test_position_ids_and_xgids_may_be_mixed(run):
    position = decode_position_id(some_ids(200)[-1])
    xgid = encode_xgid(position, MatchState())
    assert xgid.startswith("XGID=")
    status, out, _ = run(f"{OPENING}\n{xgid}\n{OPENING}\n")
    assert status == 0
    opening = expected_row(OPENING, Position.start())
    assert out == HEADER + opening + expected_row(xgid, position) + opening


def test_comments_blank_lines_and_the_byte_order_mark_are_not_positions(run):
    content = f"\ufeff# from a file\r\n\r\n  {OPENING}  # the opening\r\n\t\r\n{OPENING}"
    status, out, _ = run(content)
    assert status == 0
    assert out == HEADER + 2 * expected_row(OPENING, Position.start())


def test_a_bad_line_gets_an_error_row_at_its_place_and_a_typed_message_with_its_number(run):
    status, out, err = run(f'# head\n{OPENING}\nrubbish, "quoted"\n{OPENING}\n')
    assert status == 1
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == [OPENING, 'rubbish, "quoted"', OPENING]
    assert rows[1]["error"].startswith("format: a position ID has 14 characters")
    assert rows[1]["win"] == rows[1]["equity"] == rows[1]["plies"] == ""
    assert rows[0]["error"] == rows[2]["error"] == ""
    assert "line 3: format: a position ID has 14 characters" in err
    assert "2 positions by pips" in err
    assert ", 1 bad line\n" in err


@pytest.mark.parametrize(
    "line",
    [
        b"4HPwATDgc/ABM",
        b"4HPwATDgc/ABMAA",
        b"//////////////",
        b"\xff\xfe\x00 not text",
        b"XGID=-b----E-C---eE---c-e----B-:0:0",
        b"x" * 5000,
        b"4HPwATDgc/ABMA\x0b\x0cjunk",
        "\uff14HPwATDgc/ABMA".encode(),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_no_bad_line_stops_the_run(run, line, form):
    status, out, err = run(
        OPENING.encode() + b"\n" + line + b"\n" + OPENING.encode() + b"\n", "--format", form
    )
    assert status == 1
    rows = out.splitlines()[form == "csv" :] if form == "csv" else out.split("\n")[:-1]
    assert rows[0] == rows[-1]
    assert sum(f"{code}: " in out for code in ("format", "position", "range", "unsupported", "limit")) == 1
    assert "Error" not in out + err
    assert "line 2: " in err
    assert "Traceback" not in err


def test_a_file_of_bad_lines_only_evaluates_nothing(run, evaluator):
    status, out, _ = run("one\ntwo\n")
    assert status == 1
    assert out.count("\n") == 3
    assert evaluator.asked == 0


def test_an_empty_file_gives_the_header_alone(run):
    status, out, _ = run("# nothing\n\n")
    assert (status, out) == (0, HEADER)


def test_a_line_without_end_is_refused_and_the_next_one_read():
    stream = io.BytesIO(b"y" * 3_000_000 + b"\n" + OPENING.encode())
    first, second = batch_lines.read_lines(stream)
    assert first.number == 1
    assert first.error is not None
    assert len(first.text) <= batch_lines.MAX_LINE_BYTES + 1
    assert second[:5] == (2, OPENING, (OPENING,), "", None)


def test_json_lines_hold_the_same_values_and_an_error_field(run):
    status, out, _ = run(f'{OPENING}\nné,"x"\n', "--format", "jsonl")
    assert status == 1
    good, bad = map(json.loads, out.splitlines())
    cells = expected_row(OPENING, Position.start()).rstrip("\n").split(",")
    assert list(good) == [*HEADER.split(",")[:8], "cubeful"]
    assert [f"{good[name]:.6f}" for name in HEADER.split(",")[2:8]] == cells[2:8]
    assert (good["id"], good["plies"]) == (OPENING, 0)
    assert set(bad) == {"id", "error"}
    assert bad["id"] == 'né,"x"'


def test_blocks_do_not_change_the_rows(run, monkeypatch):
    content = "\n".join([*some_ids(50), "bad", *some_ids(100)[50:], "worse"])
    whole = run(content)[1]
    monkeypatch.setattr(batch, "BLOCK_LINES", (7,) * 5)
    assert run(content)[1] == whole


def test_a_minus_reads_stdin_as_it_comes(monkeypatch, capfdbinary):
    content = f"{OPENING}\n{OPENING}\n".encode()
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))
    assert cli.main(["batch", "-"]) == 0
    expected = HEADER + 2 * expected_row(OPENING, Position.start())
    assert capfdbinary.readouterr().out.decode() == expected


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_a_pipe_with_a_name_is_read_once_and_every_line_gets_its_row(tmp_path, options):
    texts = some_ids(200)
    output = tmp_path / "rows.csv"
    reading, writing = os.pipe()
    os.write(writing, "\n".join(texts).encode())
    os.close(writing)
    try:
        assert cli.main(["batch", f"/dev/fd/{reading}", "--output", str(output), *options]) == 0
    finally:
        os.close(reading)
    expected = "".join(expected_row(text, decode_position_id(text)) for text in texts)
    assert output.read_text() == HEADER + expected


def test_no_more_than_two_blocks_are_read_ahead_of_what_is_written(evaluator):
    written, ahead = [], []

    def lines():
        for number in range(1000):
            ahead.append(number - 10 * len(written))
            yield batch_lines.PositionLine(number, OPENING, (OPENING,))

    maker = batch_run.BlockAnalysis(BatchEvaluator(Engine(evaluator), EvalSettings()))
    batch_run.run_batch(
        map(maker.make_rows, batch_run.split_blocks(lines(), 10)),
        written.append,
        lambda line, error: None,
        lambda number, counts: None,
    )
    assert len(written) == 100
    assert max(ahead) <= 10


def test_negative_zeros_are_written_without_sign():
    class EvenEvaluator(PipEvaluator):
        def evaluate(self, boards):
            return np.tile(np.array([0.5, 1e-9, 0, 3e-8, 0], np.float32), (len(boards), 1))

    for is_cubeful in (True, False):
        settings = EvalSettings(is_cubeful=is_cubeful)
        maker = batch_run.BlockAnalysis(BatchEvaluator(Engine(EvenEvaluator()), settings))
        columns = maker.make_rows(list(batch_lines.read_lines(io.BytesIO(OPENING.encode())))).columns
        row = batch_rows.CsvRows(maker.columns).format_rows(columns)
        assert "0.000000" in row
        assert "-0.000000" not in row


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_equities_have_the_decimals_that_every_other_command_writes(form):
    generator = np.random.default_rng(12)
    outcomes = np.sort(generator.random((20_000, 5), np.float32))[:, [4, 3, 0, 2, 1]]
    row_format = batch_rows.ROW_FORMATS[form](["equity"])
    cells = {"equity": batch_evaluation.list_numbers(cubeless_equity(outcomes))}
    rows = row_format.format_rows(cells).splitlines()[: len(outcomes)]
    equities = [float(row_format.parse_row(row)["equity"]) for row in rows]
    assert equities == [float(f"{float(equity):.6f}") for equity in cubeless_equity(outcomes)]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cut", [0, 5, 71, 72, 73, 130, 200, 777, 1500, -1, -30])
def test_a_run_cut_anywhere_is_resumed_to_the_same_file(run, tmp_path, cut, form):
    texts = some_ids(20)
    content = "\n".join([*texts[:7], "bad", "# comment", *texts[7:]]) + "\n"
    output = tmp_path / "rows"
    assert run(content, "--format", form, "--output", output)[0] == 1
    whole = output.read_bytes()
    output.write_bytes(whole[:cut] if cut >= 0 else whole[: len(whole) + cut])
    status, out, err = run(content, "--format", form, "--output", output, "--resume")
    assert status == 1
    assert out == ""
    assert output.read_bytes() == whole
    assert re.search(r" has (1 row|\d+ rows) of this input", err)


def test_resuming_evaluates_only_what_is_missing_and_says_what_it_found(run, tmp_path, evaluator):
    content = "\n".join(some_ids(2000))
    output = tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    output.write_bytes(whole[:-1])
    evaluator.asked = 0
    status, _, err = run(content, "--output", output, "--resume")
    assert status == 0
    assert output.read_bytes() == whole
    assert (
        1 < evaluator.asked <= 1 + 3 * batch_resume.COMPARED_ROWS_PER_PHASE[0]
    )  # the missing one, and a sample to compare the net
    assert "1,999 rows of this input, a half-written row was removed; continuing after line 1,999" in err


def test_resuming_a_whole_file_changes_nothing(run, tmp_path):
    content = "\n".join(some_ids(5))
    output = tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    assert run(content, "--output", output, "--resume")[0] == 0
    assert output.read_bytes() == whole


def test_resuming_without_a_file_begins_one(run, tmp_path):
    output = tmp_path / "rows.csv"
    assert run(OPENING, "--output", output, "--resume")[0] == 0
    assert output.read_text() == HEADER + expected_row(OPENING, Position.start())


def refused(run, output, content, *options):
    before = output.read_bytes()
    status, _, err = run(content, "--output", output, "--resume", *options)
    assert status == 2
    assert output.read_bytes() == before
    return err


def test_resuming_another_input_is_refused_with_the_row_and_line(run, tmp_path):
    texts = some_ids(200)[::20]
    output = tmp_path / "rows.csv"
    run("\n".join(texts), "--output", output)
    err = refused(run, output, "\n".join([*texts[:3], OPENING, *texts[4:]]))
    assert "row 4 of the output" in err
    assert "line 4" in err
    assert "shorter" in refused(run, output, "\n".join(texts[:3]))


def test_resuming_with_another_net_is_refused(run, tmp_path, monkeypatch):
    output = tmp_path / "rows.csv"
    run(OPENING, "--output", output)
    use_evaluator(monkeypatch, PipEvaluator(shift=0.01))
    assert "another net" in refused(run, output, OPENING)


RACE = test_boards.position({9: 2, 6: 5}, {21: 3, 19: 2})
OVER = test_boards.position({}, {21: 3, 19: 2})


class AgreesOn(PipEvaluator):
    """Another net than `PipEvaluator`, with the same evaluations of some phases."""

    def __init__(self, *agreed):
        super().__init__()
        self.agreed = agreed

    def evaluate(self, boards):
        outcomes = super().evaluate(boards)
        outcomes[~np.isin(classify_phases(boards), self.agreed), 1] += 0.001
        return outcomes


@pytest.mark.parametrize(
    ("agreed", "where"),
    [((Phase.OVER, Phase.RACE), "contact"), ((Phase.OVER, Phase.CONTACT, Phase.CRASHED), "race")],
)
@pytest.mark.parametrize("place", [0, 40, 79])
def test_another_net_is_found_out_though_it_agrees_on_most_rows(
    run, tmp_path, monkeypatch, agreed, where, place
):
    reported = Position.start() if where == "contact" else RACE
    same = [OVER] if where == "race" else [OVER, RACE]
    texts = [encode_position_id(same[i % len(same)]) for i in range(80)]
    texts[place] = encode_position_id(reported)
    output = tmp_path / "rows.csv"
    run("\n".join(texts), "--output", output)
    assert run("\n".join(texts), "--output", output, "--resume")[0] == 0
    use_evaluator(monkeypatch, AgreesOn(*agreed))
    err = refused(run, output, "\n".join(texts))
    assert "another net" in err
    assert f"{encode_position_id(reported)!r} the win_g" in err


def test_rows_that_any_net_writes_the_same_can_be_followed_by_any_net(run, tmp_path, monkeypatch):
    output = tmp_path / "rows.csv"
    run(encode_position_id(OVER), "--output", output)
    use_evaluator(monkeypatch, AgreesOn(Phase.OVER))
    assert run(encode_position_id(OVER), "--output", output, "--resume")[0] == 0


def test_a_value_that_is_no_number_is_found_out(run, tmp_path):
    output = tmp_path / "rows.csv"
    run(OPENING, "--output", output)
    output.write_text(output.read_text().replace("0.500000", "nan", 1))
    assert "another net" in refused(run, output, OPENING)


@pytest.mark.parametrize("rows", [0, 1, 511, 512, 513, 1024, 1025, 5000, 100_000])
def test_a_sample_is_spread_over_all_rows(rows):
    sample = batch_resume.RowSample()
    for number in range(rows):
        sample.add(number)
    numbers = sample.rows
    assert min(rows, 256) <= len(numbers) <= 512
    gaps = np.diff(numbers)
    assert (gaps == gaps[:1]).all()
    assert rows == 0 or (numbers[0] == 0 and rows - numbers[-1] <= max(gaps, default=1))


def test_resuming_in_another_format_is_refused(run, tmp_path):
    output = tmp_path / "rows"
    run(OPENING, "--output", output)
    err = refused(run, output, OPENING, "--format", "jsonl")
    assert "cannot resume: the output is csv, this run is jsonl; use --format csv\n" in err
    run(OPENING, "--output", output, "--format", "jsonl", "--force")
    err = refused(run, output, OPENING)
    assert "cannot resume: the output is jsonl, this run is csv; use --format jsonl\n" in err


def test_resuming_a_damaged_file_is_refused(run, tmp_path):
    output = tmp_path / "rows.csv"
    run("\n".join([OPENING] * 3), "--output", output)
    rows = output.read_text().splitlines(keepends=True)
    output.write_text("".join([*rows[:2], "4HPwATDgc/ABMA,0\n", *rows[3:]]))
    err = refused(run, output, "\n".join([OPENING] * 3))
    assert "row 2 of the output cannot be read: expected id,plies," in err
    assert "found '4HPwATDgc/ABMA,0'" in err
    output.write_text("".join([*rows[:2], rows[2].replace(",0,", ",1,"), *rows[3:]]))
    assert "row 2 of the output is 1-ply, this run is 0-ply" in refused(run, output, "\n".join([OPENING] * 3))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_with_quotes_are_read_and_resumed_all_the_same(run, tmp_path, form):
    content = "\n".join([*some_ids(50), 'a "quoted", one', "a\\b", *some_ids(2000)])
    output = tmp_path / "rows"
    run(content, "--format", form, "--output", output)
    whole = output.read_bytes()
    output.write_bytes(whole[:-300])
    assert run(content, "--format", form, "--output", output, "--resume")[0] == 1
    assert output.read_bytes() == whole


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cut", [None, -40])
def test_rows_of_corrected_lines_are_done_again_by_resuming(run, tmp_path, form, cut):
    texts = some_ids(40)
    bad = [*texts[:7], "bad", *texts[7:20], "worse", "worst", *texts[20:]]
    better = [OPENING if text in ("bad", "worst") else text for text in bad]
    output, options = tmp_path / "rows", ("--format", form, "--line-numbers")
    run("\n".join(better), "--output", output, *options)
    expected = output.read_bytes()
    run("\n".join(bad), "--output", output, *options, "--force")
    output.write_bytes(output.read_bytes()[:cut])
    status, _, err = run("\n".join(better), "--output", output, *options, "--resume")
    assert status == 1
    assert output.read_bytes() == expected
    assert "rows of this input (1 with errors)" in err
    assert "2 rows of corrected lines done again (line 8, 23); continuing" in err
    assert "line 22: format: " in err
    assert err.rstrip().endswith("1 bad line")
    assert [file.name for file in tmp_path.iterdir() if "resumed" in file.name] == []


def test_a_corrected_line_that_is_still_bad_stays_an_error(run, tmp_path):
    output = tmp_path / "rows.csv"
    run(f"bad\n{OPENING}", "--output", output)
    status, _, err = run(f"worse\n{OPENING}", "--output", output, "--resume")
    assert status == 1
    assert output.read_text().splitlines()[1].startswith("worse,")
    assert "line 1: format: a position ID has 14 characters, 'worse' has 5" in err


def test_bad_lines_of_an_earlier_run_are_named_again(run, tmp_path):
    content, output = "\n".join([OPENING, *["bad"] * 120]), tmp_path / "rows.csv"
    run(content, "--output", output)
    _, _, err = run(content, "--output", output, "--resume")
    assert "gammond batch: line 2: format: " in err
    assert err.count(": line ") == batch_messages.MAX_REPORTED_LINES
    assert "20 more bad lines" in err
    assert "120 bad lines" in err


@pytest.mark.parametrize(
    ("form", "before", "after", "message"),
    [
        (
            "csv",
            "eval",
            "eval,cube",
            "the output has no action, no_double, double_take, double_pass: give",
        ),
        ("csv", "eval,cube", "eval", "this run has no action, no_double, double_take, double_pass: give the"),
        ("csv", "cube", "eval", "the output has no win, "),
        ("jsonl", "eval", "eval,cube", "no action: give the same --want"),
        ("jsonl", "eval,cube", "eval", "this run has no action, no_double, double_take, double_pass: give"),
    ],
)
def test_resuming_with_other_wants_says_which_columns_differ(run, tmp_path, form, before, after, message):
    content, output = "\n".join(some_ids(20)), tmp_path / "rows"
    run(content, "--want", before, "--format", form, "--output", output)
    assert message in refused(run, output, content, "--want", after, "--format", form)


def test_rows_can_begin_with_the_number_of_their_line(run, tmp_path):
    _, out, _ = run(f"# comment\n{OPENING}\n\nbad\n", "--line-numbers")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["line"], row["id"]) for row in rows] == [("2", OPENING), ("4", "bad")]
    assert out.startswith("line,id,")
    _, out, _ = run(out, "--line-numbers")
    assert out.startswith("line,id,plies,")
    assert [row["line"] for row in csv.DictReader(io.StringIO(out))] == ["2", "3"]


@pytest.mark.parametrize("options", [["--plies", 1], ["--want", "moves"], ["--want", "moves", "--rollout"]])
def test_a_filter_that_would_filter_nothing_is_refused(run, options):
    status, _, err = run(OPENING, "--filter", "large", *options)
    assert status == 2
    assert "--filter is for plays that are searched: add --want moves and --plies 1 or more" in err


def test_resuming_shows_how_far_the_check_is(run, tmp_path, monkeypatch):
    content = "\n".join(some_ids(2500))
    output = tmp_path / "rows.csv"
    run(content, "--output", output)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, _, err = run(content, "--output", output, "--resume")
    assert "\rcheck " in err
    assert "2,500 of 2,500" in err


def test_an_output_with_rows_is_overwritten_only_by_force(run, tmp_path):
    output = tmp_path / "rows.csv"
    output.write_text("precious\n")
    status, _, err = run(OPENING, "--output", output)
    assert status == 2
    assert "--resume" in err
    assert "--force" in err
    assert output.read_text() == "precious\n"
    assert run(OPENING, "--output", output, "--force")[0] == 0
    assert output.read_text() == HEADER + expected_row(OPENING, Position.start())
    assert run(OPENING, "--output", output, "--force", "--resume")[0] == 2
    output.write_text("")
    assert run(OPENING, "--output", output)[0] == 0


def test_gzip_is_refused_once_before_the_output_is_touched(run, tmp_path, monkeypatch, capfdbinary):
    output = tmp_path / "rows.csv"
    output.write_text("precious\n")
    packed = gzip.compress(f"{OPENING}\n".encode())
    status, out, err = run(packed, "--output", output, "--force")
    assert (status, out) == (2, "")
    file = tmp_path / "positions.txt"
    assert err == f"gammond: {file} is gzip: zcat {file} | gammond batch -\n"
    assert output.read_text() == "precious\n"
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(packed))))
    assert cli.main(["batch", "-"]) == 2
    assert b"the input is gzip: zcat FILE" in capfdbinary.readouterr().err


def test_rows_into_a_gz_name_are_announced_as_plain_text(run, tmp_path):
    status, _, err = run(OPENING, "--output", tmp_path / "rows.csv.gz")
    assert status == 0
    assert "rows.csv.gz will be plain text" in err
    assert (tmp_path / "rows.csv.gz").read_text().startswith(HEADER)


@pytest.mark.parametrize(
    ("bad", "said"), [(100, ""), (101, "1 more bad line;"), (250, "150 more bad lines;")]
)
def test_bad_lines_are_named_up_to_a_hundred_and_then_counted(run, bad, said):
    status, out, err = run("rubbish\n" * bad + OPENING)
    assert status == 1
    assert out.count("rubbish,,,,,,,,,,") == bad
    assert err.count(": line ") == min(bad, 100)
    assert said in err
    assert (" more bad line" in err) == bool(said)
    assert "1 position by pips" in err


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["{input}", "--resume"], StateError),
        (["{input}", "--output", "{input}"], ValueRangeError),
        (["{missing}"], DataFileError),
        (["{folder}"], DataFileError),
        (["{input}", "--output", "{missing}/rows.csv"], DataFileError),
        (["{input}", "--plies", "5"], ValueRangeError),
        (["{input}", "--plies", "-1"], ValueRangeError),
        (["{input}", "--plies", "1", "--threads", "0"], ValueRangeError),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_written(tmp_path, capsys, options, error):
    names = {"input": tmp_path / "in.txt", "missing": tmp_path / "none", "folder": tmp_path}
    names["input"].write_text(OPENING)
    arguments = [option.format(**names) for option in options]
    import argparse

    parser = argparse.ArgumentParser()
    batch.add_arguments(parser)
    with pytest.raises(error):
        batch.main(parser.parse_args(arguments))
    assert names["input"].read_text() == OPENING
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("content", ['{"my": "settings"}', "notes of mine", "id", '{"id": "mine"}'])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_of_something_else_is_never_cut_to_be_resumed(run, tmp_path, form, content):
    """Not one without a line end either, of which nothing but the end of a row could be left."""
    output = tmp_path / "mine"
    output.write_text(content)
    status, _, err = run(OPENING, "--format", form, "--output", output, "--resume")
    if form == "csv" and content == "id":  # as a kill may have left the header
        assert status == 0
        return
    assert status == 2
    assert "cannot resume: the output" in err
    assert output.read_text() == content


def test_ctrl_c_while_a_block_is_written_leaves_whole_rows(tmp_path):
    class Slow(io.BytesIO):
        def write(self, data):
            first = super().write(data[:10])
            os.kill(os.getpid(), signal.SIGINT)
            return first + super().write(data[10:])

    output = Slow()
    with pytest.raises(KeyboardInterrupt):
        batch._write_uninterrupted(output, b"a whole row of text\n")
    assert output.getvalue() == b"a whole row of text\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_job_that_ignores_ctrl_c_goes_on_ignoring_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with batch.hold_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_pressed_again_much_later_breaks_into_a_stuck_write(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE_PERIOD_S", 0.0)
    reached = []

    def stuck():
        with batch.hold_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("after the first")
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("after the second")

    with pytest.raises(KeyboardInterrupt):
        stuck()
    assert reached == ["after the first"]


def test_ctrl_c_between_blocks_exits_130_and_the_run_can_be_resumed(run, tmp_path, monkeypatch):
    texts = some_ids(40)
    content = "\n".join(texts)
    output = tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    monkeypatch.setattr(batch, "BLOCK_LINES", (10,) * 5)

    class Interrupted(PipEvaluator):
        blocks = 0

        def evaluate(self, boards):
            self.blocks += 1
            if self.blocks > 2:
                raise KeyboardInterrupt
            return super().evaluate(boards)

    use_evaluator(monkeypatch, Interrupted())
    status, _, err = run(content, "--output", output, "--force")
    assert status == 130
    assert "--resume in place of --force continues" in err
    assert output.read_bytes() == b"".join(whole.splitlines(keepends=True)[:21])
    use_evaluator(monkeypatch, PipEvaluator())
    assert run(content, "--output", output, "--resume")[0] == 0
    assert output.read_bytes() == whole


def test_ids_are_those_of_the_input_not_rewritten(run):
    padded = encode_position_id(Position.start()) + "=="
    status, out, _ = run(padded)
    assert status == 0
    assert out == HEADER + expected_row(padded, Position.start())


CONTACT = test_boards.position({24: 2, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 17: 4, 19: 5})
LAST_ROLLS = test_boards.position({2: 1, 1: 2}, {24: 2, 21: 1})


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_rows_of_a_depth_are_the_evaluations_of_each_position_by_the_engine(run, plies):
    texts = [encode_position_id(position) for position in (RACE, LAST_ROLLS, OVER)]
    positions = [RACE, LAST_ROLLS, OVER]
    status, out, err = run("\n".join(texts), "--plies", plies)
    assert status == 0
    assert out == HEADER + "".join(
        expected_row(text, position, plies=plies) for text, position in zip(texts, positions, strict=True)
    )
    assert f"by pips at {plies}-ply" in err


def test_score_and_cube_of_a_line_count_and_its_dice_do_not(run):
    matches = [
        MatchState(length=7, score=(2, 5), cube=2, cube_owner=1, on_roll=0, roll=(3, 1)),
        MatchState(length=7, score=(2, 6), crawford=True, on_roll=1),
        MatchState(jacoby=True, beavers=False, on_roll=1, doubled=True),
        MatchState(cube=4, cube_owner=0, jacoby=True, on_roll=0),
    ]
    lines = [encode_xgid(CONTACT, match) for match in matches]
    lines.append(f"{encode_position_id(CONTACT)}:{encode_match_id(matches[0])}")
    status, out, _ = run("\n".join([*lines, OPENING]), "--plies", 1)
    assert status == 0
    matches.append(matches[0])
    rows = [expected_row(line, CONTACT, match, 1) for line, match in zip(lines, matches, strict=True)]
    assert out == HEADER + "".join(rows) + expected_row(OPENING, Position.start(), plies=1)
    assert len({row.partition(",")[2] for row in rows}) == len(set(matches))


def test_the_chance_to_win_a_match_is_a_json_field_in_matches_only(run):
    match = MatchState(length=5)
    status, out, _ = run(f"{encode_xgid(CONTACT, match)}\n{OPENING}\n", "--format", "jsonl")
    assert status == 0
    first, second = map(json.loads, out.splitlines())
    assert first["mwc"] == pytest.approx(Engine(PipEvaluator()).evaluate(CONTACT, match).mwc, abs=1e-6)
    assert list(second) == [*CUBELESS_HEADER.split(",")[:8], "cubeful"]


@pytest.mark.parametrize("plies", [0, 1])
def test_cubeless_rows_leave_score_and_cube_out_of_account(run, plies):
    xgid = encode_xgid(CONTACT, MatchState(length=3, score=(2, 0), crawford=True))
    status, out, _ = run(f"{xgid}\n{OPENING}\nbad\n", "--cubeless", "--plies", plies)
    assert status == 1
    rows = cubeless_row(xgid, CONTACT, plies) + cubeless_row(OPENING, Position.start(), plies)
    assert out.startswith(CUBELESS_HEADER + rows + 'bad,,,,,,,,"format: ')


def test_a_cube_without_owner_is_a_bad_line_only_where_the_cube_counts(run):
    xgid = encode_xgid(CONTACT, MatchState(length=5)).replace(":0:0:", ":2:0:", 1)
    status, out, _ = run(f"{xgid}\n{OPENING}")
    assert status == 1
    assert "position: a cube at 4 has an owner" in out
    assert expected_row(OPENING, Position.start()) in out
    status, out, _ = run(f"{xgid}\n{OPENING}", "--cubeless")
    assert status == 0


@pytest.mark.parametrize("options", [[], ["--cubeless"]])
def test_threads_and_blocks_change_no_byte_of_a_deep_run(run, monkeypatch, options):
    content = "\n".join([*some_ids(600)[::20], "bad", encode_xgid(CONTACT, MatchState(length=5))])
    whole = run(content, "--plies", 1, "--threads", 1, *options)[1]
    assert whole.count("\n") == 33
    monkeypatch.setattr(batch, "BLOCK_LINES", (5,) * 5)
    assert run(content, "--plies", 1, "--threads", 3, *options)[1] == whole


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("cut", [1, 300, 900, -5])
def test_a_deep_run_cut_anywhere_is_resumed_to_the_same_file(run, tmp_path, form, cut):
    xgids = [encode_xgid(CONTACT, MatchState(length=length)) for length in (1, 3, 5)]
    content = "\n".join([encode_position_id(RACE), *xgids, "bad", encode_position_id(LAST_ROLLS)])
    options = ["--format", form, "--output", tmp_path / "rows", "--plies", 1]
    assert run(content, *options)[0] == 1
    whole = options[3].read_bytes()
    options[3].write_bytes(whole[:cut])
    assert run(content, *options, "--resume")[0] == 1
    assert options[3].read_bytes() == whole


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_with_the_cube_are_not_followed_by_rows_without(run, tmp_path, form):
    output = tmp_path / "rows"
    for first, second in (([], ["--cubeless"]), (["--cubeless"], [])):
        run(OPENING, "--output", output, "--format", form, "--force", *first)
        err = refused(run, output, OPENING, "--format", form, *second)
        assert "cannot resume" in err


def test_resuming_compares_the_value_with_the_cube_too(run, tmp_path):
    output = tmp_path / "rows.csv"
    run(OPENING, "--output", output)
    cubeful = output.read_text().splitlines()[1].split(",")[-3]
    output.write_text(output.read_text().replace(cubeful, "0.123456"))
    assert f"{OPENING!r} the cubeful 0.123456" in refused(run, output, OPENING)


def test_sigterm_ends_a_run_like_ctrl_c_and_what_is_written_can_be_resumed(run, tmp_path, monkeypatch):
    content = "\n".join(some_ids(40))
    output = tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    monkeypatch.setattr(batch, "BLOCK_LINES", (10,) * 5)

    class Terminated(PipEvaluator):
        blocks = 0

        def evaluate(self, boards):
            self.blocks += 1
            if self.blocks == 3:
                os.kill(os.getpid(), signal.SIGTERM)
            return super().evaluate(boards)

    use_evaluator(monkeypatch, Terminated())
    status, _, err = run(content, "--output", output, "--force")
    assert status == 130
    assert "--resume in place of --force continues" in err
    assert output.read_bytes() == b"".join(whole.splitlines(keepends=True)[:21])
    use_evaluator(monkeypatch, PipEvaluator())
    assert run(content, "--output", output, "--resume")[0] == 0
    assert output.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (b"4HPwATDgc/AB\xfc", "\ufffd stands for bytes that are not UTF-8"),
    ],
)
def test_the_error_of_a_line_quotes_its_text(run, line, hint):
    status, out, err = run(line)
    assert status == 1
    assert f"; {hint}" in out
    assert f"; {hint}" in err
    assert out.splitlines()[1].count("format: ") == 1


def test_cubeless_rows_need_a_match_state_that_can_be_all_the_same(run):
    xgid = encode_xgid(CONTACT, MatchState(length=5))
    impossible = xgid.replace(":0:0:0:5:", ":7:0:0:5:")
    assert impossible != xgid
    status, out, _ = run(f"{impossible}\n{xgid}", "--cubeless")
    assert status == 1
    assert ",,,,,,,," in out.splitlines()[1]
    assert out.splitlines()[2] + "\n" == cubeless_row(xgid, CONTACT)


@pytest.mark.parametrize("want", ["eval", "moves", "cube"])
def test_ctrl_c_ends_a_search_on_other_threads_too(want):
    class Interrupted(PipEvaluator):
        def evaluate(self, boards):
            raise KeyboardInterrupt

    evaluator = BatchEvaluator(Engine(Interrupted()), EvalSettings(1), wants=[want])
    text = encode_xgid(CONTACT, MatchState(roll=(3, 1)))
    with pytest.raises(KeyboardInterrupt):
        evaluator.answer(parse_positions([text]))
    assert evaluator._stopped.is_set()


def test_an_output_that_another_run_writes_is_refused_and_left_alone(tmp_path, capsys):
    out = tmp_path / "out.csv"
    (tmp_path / "in.txt").write_text(OPENING + "\n")
    with hold_lock(out):
        assert cli.main(["batch", str(tmp_path / "in.txt"), "--output", str(out)]) == 2
    assert "another process writes" in capsys.readouterr().err
    assert not out.exists()


def test_standard_input_is_not_overwritten(tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text(OPENING + "\n")
    command = [sys.executable, "-m", "gammond", "batch", "-", "--output", str(file), "--force"]
    with file.open("rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"the output would overwrite the input {file}" in done.stderr
    assert file.read_text() == OPENING + "\n"


@pytest.mark.parametrize("options", [(), ("--rollout", "--trials", 4, "--truncate", 2)])
def test_where_points_have_no_scale_cells_of_equities_are_empty(run, options):
    board = "XGID=-b----E-C---eE---c-e----B-"
    lines = f"{board}:0:0:1:31:97:0:0:99:10\n{board}:0:0:1:31:2:1:0:5:10\n"
    status, out, _ = run(lines, "--plies", 0, "--want", "eval,moves,cube", *options)
    unscaled, scaled = csv.DictReader(io.StringIO(out))
    equities = ("cubeful", "best_equity", "second_equity", "no_double", "double_take", "double_pass")
    assert status == 0
    assert [unscaled[name] for name in equities] == [""] * len(equities)
    assert all(scaled[name] for name in equities)
    assert all(row[name] for row in (unscaled, scaled) for name in ("equity", "mwc", "best_mwc", "action"))
