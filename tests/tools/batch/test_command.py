"""`gammond batch`: rows, bad lines, order, interruption."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_engine
from gammond.tools import cli
from gammond.tools.batch import command as batch
from gammond.tools.batch import evaluation as batch_evaluation
from gammond.tools.batch import lines as batch_lines
from gammond.tools.batch import rows as batch_rows
from gammond.tools.batch import run as batch_run
from gammond.tools.batch.evaluation import BatchEvaluator
from gammond.tools.common import interrupts
from gammond.tools.common.locks import hold_lock
from tests.support import boards as test_boards
from tests.support.commands import type_in
from tests.tools.batch.pip_evaluator import PipEvaluator, some_ids

OPENING = "4HPwATDgc/ABMA"
CONTACT = test_boards.position({24: 2, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 17: 4, 19: 5})
RACE = test_boards.position({9: 2, 6: 5}, {21: 3, 19: 2})
LAST_ROLLS = test_boards.position({2: 1, 1: 2}, {24: 2, 21: 1})
OVER = test_boards.position({}, {21: 3, 19: 2})
CUBELESS_HEADER = "id,plies,win,win_g,win_bg,lose_g,lose_bg,equity,error\n"
HEADER = CUBELESS_HEADER.replace(",error", ",cubeful,mwc,error")


def expected_row(text, position, match=None, plies=0, is_cubeful=True):
    """The row of a position in csv, from an engine's evaluation of it alone."""
    match = match or MatchState()
    settings = EvalSettings(plies, is_cubeful=is_cubeful)
    evaluated = Engine(PipEvaluator()).evaluate(position, match, settings)
    values = [*evaluated.outcome, evaluated.cubeless_equity]
    if is_cubeful:
        values += [evaluated.cubeful, None if match.is_money else evaluated.mwc]
    shown = ["" if each is None else f"{0.0 if abs(each) < 5e-7 else each:.6f}" for each in values]
    return ",".join([text, str(plies), *shown, ""]) + "\n"


def cubeless_row(text, position, plies=0):
    return expected_row(text, position, plies=plies, is_cubeful=False)


def test_each_position_gets_a_row_in_input_order_with_six_decimals(run):
    texts = some_ids(300)
    status, out, _ = run("\n".join(texts) + "\n")
    assert status == 0
    assert out == HEADER + "".join(expected_row(text, decode_position_id(text)) for text in texts)


def test_comments_blank_lines_and_the_byte_order_mark_are_not_positions(run):
    padded = f"{OPENING}=="
    status, out, _ = run(f"\ufeff# from a file\r\n\r\n  {OPENING}  # the opening\r\n\t\r\n{padded}")
    assert status == 0
    assert out == HEADER + "".join(expected_row(text, Position.start()) for text in (OPENING, padded))


def test_a_comment_begins_behind_a_blank(run):
    status, out, _ = run(f"{OPENING}#1\n")
    assert status == 1
    assert f"{OPENING}#1" in out


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
    xgid = encode_xgid(CONTACT, MatchState(length=5))
    status, out, _ = run(f'{OPENING}\nné,"x"\n{xgid}\n', "--format", "jsonl")
    assert status == 1
    good, bad, match = map(json.loads, out.splitlines())
    cells = expected_row(OPENING, Position.start()).rstrip("\n").split(",")
    assert list(good) == [*HEADER.split(",")[:8], "cubeful"]
    assert [f"{good[name]:.6f}" for name in HEADER.split(",")[2:8]] == cells[2:8]
    assert (good["id"], good["plies"]) == (OPENING, 0)
    assert set(bad) == {"id", "error"}
    assert bad["id"] == 'né,"x"'
    expected = Engine(PipEvaluator()).evaluate(CONTACT, MatchState(length=5))
    assert match["mwc"] == pytest.approx(expected.mwc, abs=1e-6)


def test_a_minus_reads_stdin_as_it_comes(monkeypatch, capfdbinary):
    content = f"{OPENING}\n{OPENING}\n".encode()
    type_in(monkeypatch, content)
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


def test_rows_can_begin_with_the_number_of_their_line(run, tmp_path):
    _, out, _ = run(f"# comment\n{OPENING}\n\nbad\n", "--line-numbers")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["line"], row["id"]) for row in rows] == [("2", OPENING), ("4", "bad")]
    assert out.startswith("line,id,")
    _, out, _ = run(out, "--line-numbers")
    assert out.startswith("line,id,plies,")
    assert [row["line"] for row in csv.DictReader(io.StringIO(out))] == ["2", "3"]


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


def test_ctrl_c_while_a_block_is_written_leaves_whole_rows(tmp_path):
    class Slow(io.BytesIO):
        def write(self, data):
            first = super().write(data[:10])
            signal.raise_signal(signal.SIGINT)
            return first + super().write(data[10:])

    output = Slow()
    with pytest.raises(KeyboardInterrupt):
        batch._write_uninterrupted(output, b"a whole row of text\n")
    assert output.getvalue() == b"a whole row of text\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_pressed_again_much_later_breaks_into_a_stuck_write(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE_PERIOD_S", 0.0)
    reached = []

    def stuck():
        with batch.hold_interrupts():
            signal.raise_signal(signal.SIGINT)
            reached.append("after the first")
            signal.raise_signal(signal.SIGINT)
            reached.append("after the second")

    with pytest.raises(KeyboardInterrupt):
        stuck()
    assert reached == ["after the first"]


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


@pytest.mark.parametrize("options", [["--plies", 0], ["--plies", 1], ["--plies", 1, "--cubeless"]])
def test_threads_and_blocks_change_no_byte(run, monkeypatch, options):
    content = "\n".join([*some_ids(600)[::20], "bad", encode_xgid(CONTACT, MatchState(length=5)), "worse"])
    whole = run(content, "--threads", 1, *options)[1]
    assert whole.count("\n") == 34
    monkeypatch.setattr(batch, "BLOCK_LINES", (5,) * 5)
    assert run(content, "--threads", 3, *options)[1] == whole


def test_the_error_of_a_line_that_is_no_text_says_so(run):
    _, out, err = run(b"4HPwATDgc/AB\xfc")
    for said in (out, err):
        assert said.count("; \ufffd stands for bytes that are not UTF-8") == 1


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


@pytest.mark.parametrize("plies", [0, 1])
def test_the_shipped_evaluator_knows_bearoffs_with_the_cube_at_any_depth(plies):
    bearoff = decode_position_id("AwAAWAAAAAAAAA")
    evaluator = BatchEvaluator(load_engine(), EvalSettings(plies))
    found = evaluator.answer(parse_positions(["AwAAWAAAAAAAAA"]))
    exact = load_engine().evaluate(bearoff, MatchState())
    assert found["cubeful"][0] == pytest.approx(exact.cubeful, abs=1e-6)
    assert exact.cubeful == pytest.approx(-2 / 3, abs=1e-6)
