"""`gammond batch --resume`: which runs it continues to the same file, and which rows it refuses."""

import re
import signal
import sys

import numpy as np
import pytest

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Phase, classify_phases
from gammond.tools.batch import command as batch
from gammond.tools.batch import command as batch_command
from gammond.tools.batch import resume as batch_resume
from tests.support.boards import position
from tests.tools.batch.pip_evaluator import PipEvaluator, some_ids

OPENING = "4HPwATDgc/ABMA"
CONTACT = position({24: 2, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 17: 4, 19: 5})
RACE = position({9: 2, 6: 5}, {21: 3, 19: 2})
OVER = position({}, {21: 3, 19: 2})
LAST_ROLLS = position({2: 1, 1: 2}, {24: 2, 21: 1})
XGIDS = [encode_xgid(CONTACT, MatchState(length=length)) for length in (1, 3, 5)]


def list_lines(*lines):
    return "\n".join(lines) + "\n"


IDS = some_ids(20)
TABLE = [f"{number},{XGIDS[2]},{number % 6 + 1}3" for number in range(30)]
RUNS = {
    "positions": (list_lines(*IDS[:7], "bad", "# comment", *IDS[7:]), ()),
    "many with quotes": (list_lines(*some_ids(50), 'a "quoted", one', "a\\b", *some_ids(2000)), ()),
    "deep": (
        list_lines(encode_position_id(RACE), *XGIDS, "bad", encode_position_id(LAST_ROLLS)),
        ("--plies", 1),
    ),
    "table": (
        "\n".join(["number,xgid,dice", *TABLE, "x,bad,", *TABLE]),
        ("--want", "eval,moves,cube"),
    ),
    "cells with carriage returns": (f"my\rname,id\na\rb,{OPENING}\nc,{OPENING}\nd,bad\n", ()),
    "rollouts": (list_lines(OPENING, "bad", OPENING), ("--rollout", "--trials", 12, "--truncate", 2)),
}
"""What is given -> the input, of which a line or more are bad, and the options."""


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("kind", RUNS)
def test_a_run_cut_anywhere_is_resumed_to_the_same_file(run, tmp_path, kind, form):
    content, options = RUNS[kind]
    output = tmp_path / "rows"
    options = [*options, "--format", form, "--output", output, "--resume"]
    assert run(content, *options)[0] == 1  # without a file to go on with, it begins one
    whole = output.read_bytes()
    cuts = (0, 20, 71, 72, 73, 200, 777, len(whole) // 2, len(whole) - 40, len(whole) - 1, len(whole))
    for cut in cuts if form == "csv" and kind not in ("rollouts", "many with quotes") else cuts[-4:]:
        output.write_bytes(whole[:cut])
        status, out, err = run(content, *options)
        assert (status, out) == (1, "")
        assert output.read_bytes() == whole
        assert re.search(r" has (1 row|[\d,]+ rows) of this input", err)
        is_half = whole[:cut] != b"" and not whole[:cut].endswith(b"\n")
        assert ("a half-written row was removed" in err) == is_half


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_an_output_cut_anywhere_in_its_first_line_is_of_its_format_and_no_other(run, tmp_path, form):
    content, output = f"my name,id\na,{OPENING}\n", tmp_path / "rows"
    options = ["--plies", 0, "--output", output, "--resume", "--format"]
    assert run(content, *options, form)[0] == 0
    whole = output.read_bytes()
    end = whole.index(b"\n")
    for cut in (*range(0, end, 6), end - 1):
        output.write_bytes(whole[:cut])
        assert run(content, *options, form)[0] == 0, whole[:cut]
        assert output.read_bytes() == whole
    output.write_bytes(whole[:cut])
    for other in {"csv", "tsv", "jsonl"} - {form}:
        assert f"the output is {form}" in refused(run, output, content, "--plies", 0, "--format", other)


def test_resuming_evaluates_only_what_is_missing_and_says_what_it_found(
    run, tmp_path, evaluator, monkeypatch
):
    content, output = "\n".join(some_ids(2000)), tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    output.write_bytes(whole[:-1])
    evaluator.asked = 0
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    status, _, err = run(content, "--output", output, "--resume")
    assert status == 0
    assert output.read_bytes() == whole
    # the missing one, and a sample to compare the net
    assert 1 < evaluator.asked <= 1 + 3 * batch_resume.COMPARED_ROWS_PER_PHASE[0]
    assert "1,999 rows of this input, a half-written row was removed; continuing after line 1,999" in err
    assert "\rcheck " in err
    assert "2,000 of 2,000" in err


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
    assert "row 4 of the output is for " in err
    assert "line 4" in err
    assert "undo the change of the input, or begin anew with --force" in err
    assert "shorter" in refused(run, output, "\n".join(texts[:3]))


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
    run, tmp_path, use_evaluator, agreed, where, place
):
    reported = OPENING if where == "contact" else encode_position_id(RACE)
    same = [OVER] if where == "race" else [OVER, RACE]
    texts = [encode_position_id(same[i % len(same)]) for i in range(80)]
    texts[place] = reported
    output = tmp_path / "rows.csv"
    run("\n".join(texts), "--output", output)
    assert run("\n".join(texts), "--output", output, "--resume")[0] == 0
    use_evaluator(AgreesOn(*agreed))
    err = refused(run, output, "\n".join(texts))
    assert "another net" in err
    assert f"{reported!r} the win_g" in err


def test_rows_that_any_net_writes_the_same_can_be_followed_by_any_net(run, tmp_path, use_evaluator):
    output = tmp_path / "rows.csv"
    run(encode_position_id(OVER), "--output", output)
    use_evaluator(AgreesOn(Phase.OVER))
    assert run(encode_position_id(OVER), "--output", output, "--resume")[0] == 0


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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.500000", "nan", "another net"),
        (r",-?0\.[0-9]+,,\n", ",0.123456,,\n", f"{OPENING!r} the cubeful 0.123456"),
        (f"{OPENING},0,.*", f"{OPENING},0", f"row 2 of the output cannot be read: .* found '{OPENING},0'"),
        (f"{OPENING},0,", f"{OPENING},1,", "row 2 of the output is 1-ply, this run is 0-ply"),
    ],
)
def test_rows_that_were_altered_are_refused(run, tmp_path, old, new, message):
    content, output = list_lines(OPENING, OPENING, OPENING), tmp_path / "rows.csv"
    run(content, "--output", output)
    header, first, second, third = output.read_text().splitlines(keepends=True)
    output.write_text(header + first + re.sub(old, new, second, count=1) + third)
    assert output.read_text() != header + first + second + third
    assert re.search(message, refused(run, output, content))


DECISIONS = "no action, no_double, double_take, double_pass: give"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("--format csv", "--format jsonl", "the output is csv, this run is jsonl; use --format csv\n"),
        ("--format jsonl", "--format csv", "the output is jsonl, this run is csv; use --format jsonl\n"),
        ("--format csv", "--want eval,cube", f"the output has {DECISIONS}"),
        ("--want eval,cube", "--format csv", f"this run has {DECISIONS} the"),
        ("--want cube", "--want eval", "the output has no win, "),
        ("--format jsonl", "--format jsonl --want eval,cube", "no action: give the same --want"),
        ("--format jsonl --want eval,cube", "--format jsonl", f"this run has {DECISIONS}"),
        ("--format csv", "--cubeless", "cannot resume"),
        ("--cubeless", "--format csv", "cannot resume"),
        ("--format jsonl", "--format jsonl --cubeless", "cannot resume"),
        ("--format jsonl --cubeless", "--format jsonl", "cannot resume"),
        ("--rollout --trials 12", "--rollout --trials 13", "another net wrote it"),
        ("--format csv", "--variant hypergammon1", f"the output has values of '{OPENING}'"),
        ("--format csv", "--variant hypergammon1", "expected a position of hypergammon1, with 1 checkers"),
    ],
)
def test_rows_by_other_options_are_refused_with_what_differs(run, tmp_path, before, after, message):
    content, output = f"position,dice\n{OPENING},\n{OPENING},no roll\n", tmp_path / "rows"
    run(content, "--output", output, *before.split())
    assert message in refused(run, output, content, *after.split())


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
    assert err.count(": line ") == batch_command.MAX_REPORTED_LINES
    assert "20 more bad lines" in err
    assert "120 bad lines" in err


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


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_blocks_leaves_whole_rows_and_the_run_can_be_resumed(
    run, tmp_path, monkeypatch, use_evaluator, kind
):
    content, output = "\n".join(some_ids(40)), tmp_path / "rows.csv"
    run(content, "--output", output)
    whole = output.read_bytes()
    monkeypatch.setattr(batch, "BLOCK_LINES", (10,) * 5)

    class Interrupted(PipEvaluator):
        blocks = 0

        def evaluate(self, boards):
            self.blocks += 1
            if self.blocks == 3:
                signal.raise_signal(kind)
            return super().evaluate(boards)

    use_evaluator(Interrupted())
    status, _, err = run(content, "--output", output, "--force")
    assert status == 130
    assert "the same command with --resume in place of --force goes on from here" in err
    assert output.read_bytes() == b"".join(whole.splitlines(keepends=True)[:21])
    use_evaluator(PipEvaluator())
    assert run(content, "--output", output, "--resume")[0] == 0
    assert output.read_bytes() == whole
