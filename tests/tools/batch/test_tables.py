"""`gammond batch` with tables in, best plays and cube decisions out, ids, rollouts and parquet."""

import csv
import io
import json
import sys
from dataclasses import replace

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.rollout_requests import PreparedRollout, RolloutRequest
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.ogid import encode_ogid
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS
from gammond.engine.formats.snowie import encode_snowie
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.engine.runtime import compilation
from gammond.tools import cli
from gammond.tools.batch import command as batch
from gammond.tools.batch import evaluation as batch_evaluation
from gammond.tools.batch.evaluation import ID_FORMS
from tests.engine.match_files.sgf.test_positions import MATCH as MATCH_SGF
from tests.engine.match_files.test_position_report import BOARD as REPORTED_BOARD
from tests.engine.match_files.test_position_report import OPENING as REPORTED
from tests.engine.match_files.test_position_report import XG_CUBE, XG_PLAYS_ELSEWHERE
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

START = Position.start()
OPENING = encode_position_id(START)
CONTACT = position({24: 2, 13: 4, 8: 4, 6: 5}, {1: 2, 12: 4, 17: 4, 19: 5})
OVER = position({}, {21: 3, 19: 2})
MATCH = MatchState(length=7, score=(2, 5), cube=2, cube_owner=1)
ENGINE = Engine(RacingEvaluator())


@pytest.fixture(autouse=True)
def evaluator(use_evaluator):
    """Evaluate by an evaluator that plays games to their end."""
    return use_evaluator(RacingEvaluator())


def rows_of(answer):
    status, out, err = answer
    assert status == 0, err
    return list(csv.DictReader(io.StringIO(out)))


def test_best_plays_and_cube_decisions_are_those_of_the_engine(run):
    matches = [MatchState(roll=(3, 1)), MatchState(length=7, score=(2, 5), roll=(6, 5)), MatchState()]
    text = "\n".join(encode_xgid(CONTACT, match) for match in matches)
    rows = rows_of(run(text, "--want", "eval,moves,cube", "--threads", 2))
    for row, match in zip(rows, matches, strict=True):
        evaluation = ENGINE.evaluate(CONTACT, match.before_roll())
        assert float(row["cubeful"]) == pytest.approx(evaluation.cubeful, abs=1e-6)
        assert row["action"] == evaluation.decision.text
        for name in ("no_double", "double_take", "double_pass"):
            value = getattr(evaluation.decision, name)
            assert (
                row[name] == ""
                if value is None
                else float(row[name]) == pytest.approx(value.equity, abs=1e-6)
            )
    for row, match in zip(rows[:2], matches, strict=False):
        plays = ENGINE.rank_plays(CONTACT, match.roll, match.before_roll())
        assert row["dice"] == "".join(map(str, match.roll))
        for name, play in zip(("best", "second"), plays, strict=False):
            assert row[name] == format_play(play.play)
            assert float(row[f"{name}_equity"]) == pytest.approx(play.evaluation.equity, abs=1e-6)
            assert row[f"{name}_mwc"] == ("" if play.evaluation.mwc is None else f"{play.evaluation.mwc:.6f}")
    assert {name: rows[2][name] for name in batch_evaluation.PLAY_COLUMNS} == dict.fromkeys(
        batch_evaluation.PLAY_COLUMNS, ""
    )


def test_columns_are_in_the_order_of_sense_and_only_those_wanted(run):
    header = "id,plies,dice,best,best_equity,best_mwc,second,second_equity,second_mwc,error"
    assert run(OPENING, "--want", "moves")[1].splitlines()[0] == header
    assert run(OPENING, "--want", "cube")[1].splitlines()[0] == (
        "id,plies,action,no_double,double_take,double_pass,error"
    )
    header = header.replace("best_mwc,", "").replace("second_mwc,", "")
    assert run(OPENING, "--want", "moves", "--cubeless")[1].splitlines()[0] == header


@pytest.mark.parametrize(("plies", "move_filter"), [(1, "normal"), (2, "tiny"), (2, "huge")])
def test_plays_at_a_depth_are_those_of_a_search_with_the_filter_of_the_option(run, plies, move_filter):
    xgid = encode_xgid(CONTACT, MatchState(roll=(4, 2)))
    (row,) = rows_of(run(xgid, "--want", "moves", "--plies", plies, "--filter", move_filter))
    settings = EvalSettings(plies, move_filter, candidates=2)
    plays = ENGINE.rank_plays(CONTACT, (4, 2), MatchState(), settings)
    assert row["plies"] == str(plies)
    for name, play in zip(("best", "second"), plays, strict=False):
        assert row[name] == format_play(play.play)
        assert float(row[f"{name}_equity"]) == pytest.approx(play.evaluation.equity, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        (f"{OPENING} 31", "31"),
        (f"{OPENING} 3-1", "31"),
        ("O 24:2 13:5 8:3 6:5 X 24:2 13:5 8:3 6:5", ""),
        (f"{OPENING} (6 5):", "65"),
        (f"{OPENING}:{encode_match_id(MatchState())} 42", "42"),
        (encode_xgid(START, MatchState(roll=(2, 1))), "21"),
        (encode_xgid(START, MatchState(roll=(2, 1))) + " 64", "64"),
        (encode_snowie(START, MatchState(roll=(5, 4))), "54"),
        (OPENING, ""),
        (encode_position_id(OVER) + " 31", ""),
        (f"12. {encode_xgid(START, MATCH)}, 31", "31"),
        (f"see {encode_xgid(START, MATCH)} on page 12", ""),
        (f"https://example.org/?{encode_xgid(START, MATCH).replace(':', '%3A')}&a=b", ""),
    ],
)
def test_dice_of_a_line_are_played(run, text, dice):
    (row,) = rows_of(run(text, "--want", "moves", "--ids", "gnubgid"))
    assert row["dice"] == dice
    assert bool(row["best"]) == bool(dice)
    over = encode_position_id(OVER)
    assert row["gnubgid"] == (over if text.startswith(over) else OPENING)


def test_dice_behind_a_position_are_no_error_where_plays_are_not_wanted(run):
    assert rows_of(run(f"{OPENING} 31"))[0]["win"] == rows_of(run(OPENING))[0]["win"]


@pytest.mark.parametrize(
    "text",
    [
        f"GNUbg ID: {OPENING}:{encode_match_id(MATCH)}",
        f"GNU Backgammon  Position ID: {OPENING}\n                 Match ID   : {encode_match_id(MATCH)}",
        f"Position ID: {OPENING} Match ID: {encode_match_id(MATCH)}",
        f"# a comment\nPosition ID: {OPENING}\nMatch ID: {encode_match_id(MATCH)}",
    ],
)
def test_what_gnubg_prints_is_one_position(run, text):
    rows = rows_of(run(f"{text}\n{OPENING}\n", "--ids", "xgid"))
    assert [row["xgid"] for row in rows] == [encode_xgid(START, MATCH), encode_xgid(START, MatchState())]


BOARD = """ +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
 | X           O    |   | O              X |     0 points
 | X           O    |   | O              X |
v|                  |BAR|                  |     (Cube: 1)
 | O           X    |   | X              O |     On roll

 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: me
"""


def test_boards_that_gnubg_draws_below_their_ids_are_no_positions(run):
    head = (
        f" GNU Backgammon  Position ID: {OPENING}\n                 Match ID   : {encode_match_id(MATCH)}\n"
    )
    reversed_board = (
        " +-1--2--3--4--5--6-------7--8--9-10-11-12-+\n^|      |BAR|      |\n  Pip counts: O 167, X 167\n"
    )
    rows = rows_of(run(f"{head}{BOARD}\n{head}{reversed_board}{OPENING}\n", "--ids", "xgid"))
    expected = [encode_xgid(START, MATCH), encode_xgid(START, MATCH), encode_xgid(START, MatchState())]
    assert [row["xgid"] for row in rows] == expected
    status, out, _ = run(f"{OPENING}\n{BOARD}")
    assert status == 1
    assert len(out.splitlines()) == 1 + 1 + 6


def test_positions_are_written_in_every_form_and_read_again_from_its_column(run):
    match = replace(MATCH, roll=(6, 1))
    (row,) = rows_of(run(encode_xgid(CONTACT, match), "--ids", ",".join(reversed(ID_FORMS))))
    assert list(row)[: len(ID_FORMS) + 1] == ["id", *ID_FORMS]
    assert (row["gnubgid"], row["matchid"]) == (encode_position_id(CONTACT), encode_match_id(match))
    for name, form in FORMATS.items():
        assert form.decode(row[name]) == (CONTACT, match)
        table = f'{name}\n"<{row[name]}>"\n'
        assert rows_of(run(table, "--ids", "xgid"))[0]["xgid"] == encode_xgid(CONTACT, match)


@pytest.mark.parametrize(
    "text",
    [
        f"{OPENING} 37",
        f"{OPENING} (7-1)",
        encode_xgid(START, MatchState(roll=(3, 1))).replace(":31:", ":37:"),
    ],
)
def test_dice_that_no_die_shows_are_out_of_range(run, text):
    status, out, _ = run(text)
    assert status == 1
    assert next(csv.DictReader(io.StringIO(out)))["error"].startswith("range: ")


def test_the_numbers_of_lines_count_those_that_belong_together(run):
    text = f"Position ID: {OPENING}\nMatch ID: {encode_match_id(MATCH)}\nPosition ID: {OPENING}\nbad\n"
    status, _, err = run(text)
    assert status == 1
    assert "line 4: format" in err


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_keeps_its_columns_and_gets_those_of_the_answer(run, delimiter):
    table = [
        ["Game", "Analysis", "Position", "Roll"],
        ["1", "he said 'no'", OPENING, "31"],
        ["2", "", encode_xgid(CONTACT, MATCH), "6-4"],
        ["3", "x", OPENING, ""],
    ]
    text = "\n".join(delimiter.join(row) for row in table)
    rows = rows_of(run(text, "--want", "moves", "--column", "position"))
    assert [list(row.values())[:4] for row in rows] == table[1:]
    assert list(rows[0])[:5] == ["Game", "Analysis", "Position", "Roll", "plies"]
    assert [row["dice"] for row in rows] == ["31", "64", ""]
    expected = ENGINE.rank_plays(CONTACT, (6, 4), MATCH).best
    assert rows[1]["best"] == format_play(expected.play)
    assert rows_of(run(text, "--want", "moves")) == rows


@pytest.mark.parametrize(
    "text",
    ["a\rb\n4HPwATDgc/ABMA\n", "a\rb,c\n4HPwATDgc/ABMA,d\n", "a\tb\r\tc\nd\te\tf\n", "\ra\r\n", "a\rb"],
)
def test_a_carriage_return_alone_is_a_blank(run, text):
    status, out, err = run(text)
    assert status in (1, 2)
    assert "Traceback" not in err
    assert out.count("\n") - 1 == len(text.strip("\r\n").split("\n")) or status == 2


def test_a_cell_that_is_too_large_is_a_bad_line(run):
    lines = "\n".join(["y" * 60_000] * 3)
    status, out, err = run(f'id,note\n{OPENING},"{lines}"\n{OPENING},b\n')
    assert status == 1
    assert "line 2: format: expected a row of a table: field larger than field limit" in err
    assert out.splitlines()[-1].startswith(f"{OPENING},b,0,")


def test_cells_in_quotes_may_have_delimiters_and_line_ends(run):
    text = f'note,xgid\n"a, ""b""\nand c",{encode_xgid(START, MATCH)}\nlast,{OPENING}\n'
    rows = rows_of(run(text))
    assert [row["note"] for row in rows] == ['a, "b" and c', "last"]
    status, _, err = run(text + "bad,bad\n")
    assert status == 1
    assert "line 5: " in err


def test_a_quote_that_is_never_closed_spoils_one_row(run):
    lines = ["note,xgid", '"oops,nothing', *[f"n{number},{OPENING}" for number in range(200)]]
    status, out, err = run("\n".join(lines))
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (status, len(rows)) == (1, 201)
    assert [row["error"] != "" for row in rows] == [True] + [False] * 200
    assert "line 2: " in err


def test_rows_with_too_many_cells_and_bad_dice_are_errors_of_their_line(run):
    text = f"xgid,dice\n{OPENING},31,7\n{OPENING},77\n{OPENING},31\n{OPENING},00\n"
    status, out, err = run(text, "--want", "moves")
    assert status == 1
    errors = [row["error"] for row in csv.DictReader(io.StringIO(out))]
    assert errors[0] == "format: expected 2 columns, got 3"
    assert errors[1] == "range: expected dice of 1 to 6, got 7"
    assert errors[2:] == ["", ""]
    assert "line 2: " in err
    assert "line 3: " in err


def test_an_unknown_column_is_refused_with_those_there_are(run):
    status, out, err = run(f"game,board\n1,{OPENING}\n", "--column", "bord")
    assert (status, out) == (2, "")
    assert "expected a column 'bord', the input has game, board (did you mean 'board'?)" in err


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("text", [encode_xgid(CONTACT, MATCH), f"{OPENING} 31"])
def test_a_table_with_positions_below_an_unknown_name_is_refused_with_the_option(
    run, tmp_path, delimiter, text
):
    rows = [["No", "Event", "The Pos"], ["1", "Cup", text], ["2", "Cup", "bad"]]
    table = "# study\n" + "\n".join(map(delimiter.join, rows))
    output = tmp_path / "rows.csv"
    status, out, err = run(table, "--output", output)
    assert (status, out) == (2, "")
    assert not output.exists()
    assert len(err.splitlines()) == 1
    assert "the input has No, Event, The Pos: --column 'The Pos'" in err
    assert [row["No"] for row in csv.DictReader(io.StringIO(run(table, "--column", "The Pos")[1]))] == [
        "1",
        "2",
    ]


def test_a_first_line_that_is_no_header_is_a_bad_line(run):
    status, out, _ = run(f"one, two\n{OPENING}\nthree, four\n")
    assert status == 1
    assert [row["error"] == "" for row in csv.DictReader(io.StringIO(out))] == [False, True, False]


def test_positions_and_match_ids_in_two_columns_belong_together(run):
    text = f"gnubgid,matchid\n{OPENING},{encode_match_id(MATCH)}\n{OPENING},\n"
    rows = rows_of(run(text, "--ids", "xgid"))
    assert [row["xgid"] for row in rows] == [encode_xgid(START, MATCH), encode_xgid(START, MatchState())]


def test_dice_in_two_columns_are_a_roll(run):
    rows = rows_of(run(f"xgid,die1,die2\n{OPENING},3,1\n{OPENING},,\n", "--want", "moves"))
    assert [row["dice"] for row in rows] == ["31", ""]


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_its_own_output_is_read_again(run, tmp_path, form):
    text = "\n".join([encode_xgid(CONTACT, MatchState(roll=(3, 1))), OPENING, "bad"])
    first = tmp_path / f"first.{form}"
    options = ["--want", "eval,moves,cube", "--ids", "gnubgid,matchid"]
    assert run(text, *options, "--output", first)[0] == 1
    assert first.read_text().count("\n") == 3 + (form != "jsonl")
    again = tmp_path / f"again.{form}"
    assert cli.main(["batch", str(first), *options, "--column", "id", "--output", str(again)]) == 1
    assert again.read_bytes() == first.read_bytes()


def test_what_was_assumed_of_lines_is_said_once_with_their_number(run):
    match = MatchState(length=5, score=(1, 2), roll=(6, 1))
    _, out, err = run(f"{OPENING}\n{encode_ogid(CONTACT, match)}\n{encode_ogid(START, match)}\n")
    assert out.count("\n") == 4
    (said,) = [line for line in err.splitlines() if "OGID" in line]
    assert said.startswith(
        "gammond batch: the colour B of this OGID is read as that of the player who reached"
    )
    assert said.endswith("(2 lines)")


def test_json_lines_keep_the_types_of_their_cells(run):
    lines = [{"game": 7, "xgid": OPENING, "dice": [3, 1], "won": True}, {"xgid": OPENING, "game": None}]
    text = "\n".join(map(json.dumps, lines)) + "\n[1]\n"
    status, out, err = run(text, "--want", "moves", "--format", "jsonl")
    assert status == 1
    first, second, third = map(json.loads, out.splitlines())
    assert (first["game"], first["won"], first["dice"]) == (7, True, "31")
    assert "game" not in second
    assert third["error"] == "format: expected a JSON object, got '[1]'"
    assert "line 3: " in err


def test_rollouts_are_those_of_the_engine(run):
    settings = RolloutSettings(trials=36, truncation=2)
    options = ["--rollout", "--trials", 36, "--truncate", 2, "--min-trials", 324, "--threads", 1]
    match = MatchState(length=5, score=(1, 2), roll=(3, 1))
    text = f"{encode_xgid(CONTACT, match)}\n{OPENING}\n{encode_position_id(OVER)}\n"
    rows = rows_of(run(text, "--want", "eval,moves,cube", *options))
    before = match.before_roll()
    position_rollout = PreparedRollout(
        RolloutRequest("position", CONTACT, before), ENGINE, settings, lambda: False
    ).run()
    plays = PreparedRollout(
        RolloutRequest("moves", CONTACT, before, (3, 1)), ENGINE, settings, lambda: False
    ).run()
    cube = PreparedRollout(RolloutRequest("cube", CONTACT, before), ENGINE, settings, lambda: False).run()
    row = rows[0]
    assert row["trials"] == "36"
    assert float(row["cubeful"]) == pytest.approx(position_rollout.results.equity, abs=1e-6)
    assert float(row["cubeful_se"]) == pytest.approx(position_rollout.results.error, abs=1e-6)
    for name, play in zip(("best", "second"), plays.results, strict=False):
        assert row[name] == format_play(play.play)
        assert float(row[f"{name}_equity"]) == pytest.approx(play.evaluation.equity, abs=1e-6)
        assert float(row[f"{name}_se"]) == pytest.approx(play.evaluation.error, abs=1e-6)
        assert 0.0 < float(row[f"{name}_mwc"]) < 1.0
    assert row["action"] == cube.results.decision.text
    assert float(row["no_double"]) == pytest.approx(cube.results.no_double.equity, abs=1e-6)
    assert (rows[1]["best"], rows[1]["action"] != "") == ("", True)
    assert (float(rows[2]["win"]), rows[2]["action"]) == (1.0, "")


def test_bad_lines_are_named_after_all_rows(run, monkeypatch):
    monkeypatch.setattr(batch, "BLOCK_LINES", (2,) * 5)
    status, _, err = run("\n".join([OPENING, "bad", *[OPENING] * 10, "worse"]))
    assert status == 1
    assert [line.split(":")[1].strip() for line in err.splitlines()[:2]] == ["line 2", "line 13"]
    assert "11 positions by racing" in err.splitlines()[2]


def test_lines_on_stderr_tell_how_far_a_run_is(run, monkeypatch):
    monkeypatch.setattr(compilation, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(compilation, "_SHARE_OF_RUN", 0.0)
    monkeypatch.setattr(batch, "BLOCK_LINES", (2,) * 5)
    lines = run("\n".join([OPENING] * 6))[2].splitlines()
    counts = [line.split("  ")[1] for line in lines if " of " in line]
    assert counts[-3:] == [f"{count} of 6" for count in (2, 4, 6)]


def test_parquet_goes_in_and_out_with_types(run, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"game": [1, 2, 3], "xgid": [encode_xgid(CONTACT, MATCH), "bad", OPENING]})
    parquet.write_table(table.append_column("dice", [["31", None, "64"]]), tmp_path / "in.parquet")
    output = tmp_path / "out.parquet"
    options = ["--want", "eval,moves,cube", "--output", output]
    assert run(None, *options, name="in.parquet")[0] == 1
    found = parquet.read_table(output)
    assert found.column("game").to_pylist() == [1, 2, 3]
    assert found.schema.field("cubeful").type == pyarrow.float64()
    assert found.column("dice").to_pylist() == ["31", None, "64"]
    assert found.column("error").to_pylist()[0] is None
    assert found.column("error").to_pylist()[1].startswith("format: ")
    csv_rows = rows_of((0, *run(None, *options[:2], name="in.parquet")[1:]))
    assert float(csv_rows[2]["cubeful"]) == pytest.approx(found.column("cubeful")[2].as_py(), abs=1e-6)
    again = tmp_path / "again.parquet"
    assert cli.main(["batch", str(output), *options[:2], "--output", str(again)]) == 1
    assert parquet.read_table(again).equals(found)
    assert "--resume continues csv, tsv and jsonl" in run(None, *options, "--resume", name="in.parquet")[2]


def test_without_pyarrow_parquet_is_refused_with_what_to_install(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, err = run(OPENING, "--output", tmp_path / "out.parquet")
    assert status == 2
    assert "parquet needs the package pyarrow: pip install '.[parquet]' in the checkout" in err
    assert not (tmp_path / "out.parquet").exists()


NOTED_REPORT = XG_PLAYS_ELSEWHERE.replace(REPORTED_BOARD, "").replace("eXtreme", "\nWhen,\nrace!\n\neXtreme")


@pytest.mark.parametrize("is_piped", [False, True])
def test_texts_of_extreme_gammon_are_their_positions_with_their_notes(
    run, monkeypatch, capfdbinary, is_piped
):
    text = NOTED_REPORT + XG_CUBE
    if is_piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        rows = rows_of((cli.main(["batch", "-"]), *map(bytes.decode, capfdbinary.readouterr())))
    else:
        rows = rows_of(run(text))
    assert [row["id"] for row in rows] == [REPORTED, REPORTED.replace(":31:", ":00:")]
    assert [row["comment"] for row in rows] == ["When, race!", ""]
    assert not any(row["error"] for row in rows)


def test_a_match_file_is_refused_with_what_to_do(run):
    for content, name in (
        (MATCH_SGF, "sgf"),
        (" 5 point match\n\n Game 1\n a : 0  b : 0\n  1) 31: 8/5 6/5\n", "mat"),
    ):
        status, _, err = run(content)
        assert status == 2
        assert f"expected a position, got a match file ({name}): gammond analyse" in err


def test_a_table_with_a_column_of_games_is_no_match_file(run):
    (row,) = rows_of(run(f"name,xgid\nGame 1,{REPORTED}\n"))
    assert row["name"] == "Game 1"
