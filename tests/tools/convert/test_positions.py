"""`gammond convert`: every form to every form, what is lost, and lines that hold no position."""

import csv
import io
import json
import random

import pytest

from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.tools import cli
from gammond.tools.common.position_texts import parse_text
from gammond.tools.convert.positions import FORMS, convert_position
from tests.engine.match_files.generated_matches import Draw
from tests.engine.match_files.sgf.test_positions import SAVED_WITH_DICE
from tests.engine.match_files.test_position_report import OPENING, XG_PLAYS
from tests.engine.match_files.xg import xg_files
from tests.support import boards
from tests.support.commands import make_runner, type_in
from tests.support.match_states import random_match_state

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
MONEY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10"
READABLE = [name for name in FORMS if name != "matchid"]

LINES = f"""# positions of all kinds

4HPwATDgc/ABMA
{XGID}  # an opening
nonsense
Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAAA
X 24:2 13:5 8:3 6:5 O bar:1 13:5 8:3 6:5
"""


run = make_runner("convert")


def test_one_position_is_written_in_all_forms_with_what_each_leaves_out(capsys):
    said = run(capsys, XGID)
    written = dict(line.split(maxsplit=1) for line in said.out.splitlines())
    assert list(written) == list(FORMS)
    assert written["xgid"] == XGID
    assert said.err.splitlines() == [
        "gammond convert: positionid leaves out: length of the match, score, turn, dice",
        "gammond convert: checkers leaves out: length of the match, score, dice",
    ]


def test_whatever_is_not_named_as_lost_is_kept():
    generator = random.Random(5)
    lost = set()
    for board in boards.random_boards(400, seed=5):
        position, match = boards.Position(board), random_match_state(generator, resignations=True)
        converted = convert_position(position, match, READABLE)
        for name, text in converted.forms.items():
            read, kept = parse_text(text)
            assert read == position
            if name not in converted.lost:
                assert (kept or MatchState()) == match
        assert set(converted.forms) | set(converted.lost) == set(READABLE)
        lost |= {part for parts in converted.lost.values() for part in parts}
    assert {"score", "turn", "dice"} <= lost


def test_a_form_that_cannot_hold_a_position_says_why(capsys):
    match = MatchState(resigned=1)
    converted = convert_position(decode_xgid(XGID)[0], match, ["xgid", "gnubgid"])
    assert list(converted.forms) == ["gnubgid"]
    assert converted.lost == {"xgid": ["no XGID can be written while a resignation is pending"]}


def test_lines_become_lines_and_bad_ones_are_named_and_skipped(monkeypatch, capsys):
    type_in(monkeypatch, LINES)
    said = run(capsys, status=1)
    assert said.out.splitlines()[1] == XGID
    assert len(said.out.splitlines()) == 4
    assert said.err.startswith("gammond convert: line 5: expected a position (a GNUbg ID, a position ID")


def test_several_forms_of_lines_are_csv_and_losses_are_counted(monkeypatch, capsys, tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text(f"{MONEY}\n{XGID}\n{MONEY}\n")
    said = run(capsys, str(file), "--to", "ogid,xgid")
    rows = list(csv.reader(io.StringIO(said.out)))
    assert rows[0] == ["ogid", "xgid"]
    assert [row[1] for row in rows[1:]] == [MONEY, XGID, MONEY]
    assert "gammond convert: ogid leaves out: Jacoby rule (2 of 3 lines)\n" in said.err


def test_several_files_are_read_one_after_the_other(capsys, tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text(f"{XGID}\n")
    second.write_text("\nx\n")
    said = run(capsys, str(first), str(second), status=1)
    assert said.out == f"{XGID}\n"
    assert said.err.startswith(f"gammond convert: {second} line 2: ")


def test_a_table_keeps_its_columns_and_gets_one_for_each_form(capsys, tmp_path):
    file = tmp_path / "games.csv"
    file.write_text(f"No,Where,Dice,xgid\n1,4HPwATDgc/ABMA,31,old\n2,x,,old\n3,{MONEY},,old\n")
    said = run(capsys, str(file), "--column", "where", status=1)
    assert list(csv.reader(io.StringIO(said.out))) == [
        ["No", "Where", "Dice", "xgid"],
        ["1", "4HPwATDgc/ABMA", "31", "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:2:0:10"],
        ["3", MONEY, "", MONEY],
    ]
    assert said.err.startswith("gammond convert: line 3: expected a position")
    rows = run(capsys, str(file), "--column", "Where", "--to", "gnubgid", "--json", status=1).out.splitlines()
    document = json.loads(rows[2])
    assert (document["No"], document["line"], document["gnubgid"]) == ("3", 4, "4HPwATDgc/ABMA:cAkAAAAAAAAA")
    said = run(capsys, str(file), str(file), "--column", "Where", status=2)
    assert said.err == f"gammond: {file} is a table: convert it by itself\n"


def test_a_table_whose_column_cannot_be_told_is_refused(capsys, tmp_path):
    file = tmp_path / "games.csv"
    file.write_text("No,Where\n1,4HPwATDgc/ABMA\n")
    said = run(capsys, file, status=2)
    assert said.err.endswith("the input has No, Where: --column Where\n")


def test_a_position_text_as_gammond_writes_it_is_read_back(capsys, tmp_path):
    """`gammond board` draws the board and writes the IDs below it, as eXtreme Gammon and BGBlitz do."""
    boards_text, xgids = "", []
    for game in Draw(7, sets=True).make_match(3).games:
        for situation, _, _ in game.replayed:
            written = convert_position(situation.position, situation.match, ["xgid"]).forms
            if "xgid" in written and len(xgids) < 40:
                xgids.append(written["xgid"])
                assert cli.main(["board", written["xgid"]]) == 0
                boards_text += capsys.readouterr().out + "\n"
    file = tmp_path / "boards.txt"
    file.write_text(boards_text)
    assert len(set(xgids)) > 20
    assert run(capsys, str(file), "--to", "xgid").out.splitlines() == xgids


def test_json_has_an_object_for_each_line_bad_ones_too(monkeypatch, capsys):
    type_in(monkeypatch, LINES)
    rows = [
        json.loads(row) for row in run(capsys, "--to", "xgid,checkers", "--json", status=1).out.splitlines()
    ]
    assert [row["line"] for row in rows] == [3, 4, 5, 6, 7]
    assert rows[1]["xgid"] == XGID
    assert rows[1]["lost"] == {"checkers": ["length of the match", "score", "dice"]}
    assert rows[2]["error"].startswith("expected a position")
    one = json.loads(run(capsys, MONEY, "--json").out)
    assert set(one) == {*FORMS, "lost"}


def test_what_was_assumed_is_in_the_json_and_on_stderr(monkeypatch, capsys):
    ogid = "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:W:R:2:1:5:0"
    assumed = json.loads(run(capsys, ogid, "--json").out)["assumed"]
    assert assumed.startswith("the colour W of this OGID is read as that of the player who reached")
    said = run(capsys, ogid, "--to", "xgid")
    assert said.err == f"gammond convert: {assumed}\n"
    type_in(monkeypatch, f"{ogid}\n{MONEY}\n{ogid}\n")
    said = run(capsys, "--to", "xgid", "--json")
    assert ["assumed" in json.loads(row) for row in said.out.splitlines()] == [True, False, True]
    type_in(monkeypatch, f"{ogid}\n{MONEY}\n{ogid}\n")
    assert f"gammond convert: {assumed} (2 of 3 lines)\n" in run(capsys, "--to", "xgid").err


def test_a_position_of_hypergammon_is_converted_with_its_number_of_checkers(capsys):
    words = ["convert", "AACgAgAAKgAAAA", "--to", "ogid,fibs", "--variant", "hypergammon"]
    assert cli.main(words) == 0
    ogid, fibs = (line.split()[-1] for line in capsys.readouterr().out.splitlines())
    assert ogid == "OGID=123:mno:N0N::B:C:0:0:0:0:3"
    assert fibs.split(":")[46:48] == ["0", "0"]  # nothing borne off
    assert cli.main(["convert", ogid, "--to", "positionid", "--variant", "hypergammon"]) == 0
    assert capsys.readouterr().out == "AACgAgAAKgAAAA\n"
    assert cli.main(["convert", "x.mat", "--to", "mat", "--variant", "hypergammon"]) != 0
    assert "--variant is for positions" in capsys.readouterr().err


def test_a_highest_cube_is_named_as_lost_by_every_form(monkeypatch, capsys):
    text = XGID.replace(":10", ":3")
    lost = json.loads(run(capsys, f"<{text}>", "--json").out)["lost"]
    assert set(lost) == set(FORMS)
    assert all(parts[-1] == "highest cube" for parts in lost.values())
    type_in(monkeypatch, f"{text}\n{XGID}\n")
    assert "xgid leaves out: highest cube (1 of 2 lines)" in run(capsys, "--to", "xgid").err


def test_positions_of_files_become_lines_and_their_comments_are_named_as_lost(capsys, tmp_path):
    report, saved = tmp_path / "report.txt", tmp_path / "position.sgf"
    report.write_text(XG_PLAYS.replace("eXtreme", "\nRace!\n\neXtreme").replace(":10\n", ":3\n"))
    saved.write_text(SAVED_WITH_DICE)
    said = run(capsys, str(report), str(saved))
    assert said.out.splitlines() == [OPENING, XGID]
    assert "xgid leaves out: comment (1 of 2 lines)" in said.err
    assert "xgid leaves out: highest cube (1 of 2 lines)" in said.err
    row = json.loads(run(capsys, str(report), "--json").out)
    assert row["comment"] == "Race!"
    assert row["lost"] == {"xgid": ["highest cube", "names", "analysis", "comment"]}


@pytest.mark.parametrize(
    ("header", "lost"),
    [
        ({}, []),
        ({"CubeLimit": 3}, ["highest cube"]),
        ({"CubeLimit": 11}, ["highest cube"]),
        ({"CubeLimit": 0}, []),
        ({"Crawford": False}, ["Crawford rule"]),
        ({"AutoDouble": True}, ["automatic doubles"]),
        ({"Event": xg_files.wide("Open")}, ["header Event"]),
    ],
)
def test_what_a_file_of_extreme_gammon_says_and_a_form_does_not_is_named(capsys, tmp_path, header, lost):
    board, match = Position.start().board, MatchState(length=7)
    play = PlayAction(0, (3, 1), legal_plays(Position.start(), (3, 1))[0])
    file = tmp_path / "position.xgp"
    records = [
        xg_files.make_header(("", ""), 7, **header),
        xg_files.make_game_header(1, match, board),
        xg_files.write_play(Position.start(), match, play, analysed=False, Played=False),
    ]
    file.write_bytes(xg_files.make_file(records))
    row = json.loads(run(capsys, str(file), "--json").out)
    assert row["lost"] == ({"xgid": lost} if lost else {})
    said = run(capsys, str(file)).err
    assert [line for line in said.splitlines() if "leaves out" in line] == [
        f"gammond convert: xgid leaves out: {each} (1 of 1 lines)" for each in lost
    ]
