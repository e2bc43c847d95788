from __future__ import annotations

import json
import sys

import pytest

from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf import tree
from gammond.engine.match_files.writing import ANALYSED_FORMATS, MATCH_FORMATS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.web.endpoints import MAX_MATCH_BYTES
from gammond.protocol.web.schemas import ANALYSIS_PLIES
from tests.engine.match_files.faulty_matches import CUT, ILLEGAL
from tests.engine.match_files.sgf.test_positions import SAVED_WITH_DICE
from tests.engine.match_files.test_position_report import XG_CUBE, XG_PLAYS
from tests.protocol.talking import make_service, talk
from tests.protocol.web_asking import ask, get_error, get_json

TEXT = """ 3 point match

 Game 1
 Ann : 0                  Bob : 0
  1) 31: 8/5 6/5          65: 24/18 18/13
  2) Doubles => 2         Takes
  3) 42: 8/4 6/4
      Wins 2 points
"""
TWO = TEXT + TEXT
_ROLLOUT = "rollout.what"

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
SNOWIE = "5;0;0;0;1;X;O;0;1;2;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;3;1;"


def test_an_analysis_is_that_of_the_json_query():
    (line,) = talk(json.dumps({"id": 1, "match_text": TEXT, "want": ["analyse"], "plies": 1, "max_moves": 2}))
    expected = json.loads(line)["results"]
    body = {"match_text": TEXT, "plies": 1, "max_moves": 2}
    assert get_json("analyse", body)[1]["results"] == expected
    as_file = get_json("analyse", TEXT.encode(), query=(("plies", "1"), ("max_moves", "2")))
    assert as_file[1]["results"] == expected
    as_text = get_json(
        "analyse", TEXT.encode(), media_type="text/plain", query=(("plies", "1"), ("max_moves", "2"))
    )
    assert as_text[1]["results"] == expected


def test_an_analysis_looks_as_far_ahead_as_that_of_the_command_unless_told():
    status, document = get_json("analyse", {"match_text": TEXT})
    assert (status, document["plies"]) == (200, ANALYSIS_PLIES.default)


def test_an_analysis_can_be_a_page():
    answer = ask("analyse", TEXT.encode(), query=(("report", "html"), ("plies", "0")))
    assert answer.status == 200
    assert answer.media_type == "text/html; charset=utf-8"
    page = answer.body.decode()
    assert page.startswith("<!DOCTYPE html>")
    assert "Ann" in page
    assert "<script" not in page.replace('<script type="application/json"', "")
    assert ask("analyse", {"match_text": TEXT, "report": "html", "plies": 0}).media_type == answer.media_type
    assert get_error("analyse", {"match_text": TWO, "report": "html"}) == (422, "unsupported", "match_text")


@pytest.mark.parametrize("name", ANALYSED_FORMATS)
def test_an_analysis_can_be_a_file_and_is_read_again_from_it(name):
    if name == "ogxm":
        pytest.importorskip("ogxm")
    answer = ask("analyse", TEXT.encode(), query=(("report", name), ("plies", "0")))
    assert (answer.status, answer.media_type) == (200, MATCH_FORMATS[name].media_type)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="match.{name}"'
    (own,) = get_json("analyse", {"match_text": TEXT, "plies": 0})[1]["results"]
    (match,) = get_json("convert", answer.body, query=(("to", "json"),))[1]["matches"]
    assert match["analysed"]
    kept = match["analysis"]
    assert [each["chosen"] for each in kept["decisions"]] == [each["chosen"] for each in own["decisions"]]
    assert [each["error"] for each in kept["decisions"]] == pytest.approx(
        [each["error"] for each in own["decisions"]], abs=1e-5
    )
    ratings = [[player["performance_rating"] for player in each["players"]] for each in (kept, own)]
    assert ratings[0] == pytest.approx(ratings[1], abs=1e-2)


def test_a_file_that_needs_a_package_is_refused_before_the_analysis(monkeypatch):
    monkeypatch.setitem(sys.modules, "ogxm", None)
    assert get_error("analyse", {"match_text": TEXT, "report": "ogxm"}) == (422, "unsupported", "match")


def test_a_match_without_an_analysis_has_none_as_json():
    (match,) = get_json("convert", {"match_text": TEXT, "to": "json"})[1]["matches"]
    assert not match["analysed"]
    assert "analysis" not in match


def test_a_page_that_time_leaves_unfinished_is_an_error():
    assert ask("analyse", TEXT.encode(), query=(("report", "html"),), stops=True).status == 503


@pytest.mark.parametrize("target", ["mat", "sgf"])
def test_a_match_is_written_as_a_file_to_download(target):
    answer = ask("convert", TEXT.encode(), query=(("to", target),))
    assert answer.status == 200
    assert answer.headers["Content-Disposition"] == f'attachment; filename="match.{target}"'
    (match,) = read_matches(answer.body)
    assert match.names == ("Ann", "Bob")
    assert match.format == target


def test_what_a_format_leaves_out_is_said_in_a_header_that_no_file_can_break(monkeypatch):
    for losses in (["2 analysed decisions"], ["header A\r\nX-Evil: \u00fc", "x" * 5000]):
        monkeypatch.setattr(
            "gammond.engine.match_files.writing.list_losses", lambda one, other, said=losses: said
        )
        said = ask("convert", TEXT.encode(), query=(("to", "mat"),)).headers["X-Left-Out"]
        assert said.startswith(losses[0][:8])
        assert len(said) <= 1000
        assert said.isprintable()
        assert said.isascii()


def test_a_match_as_json_has_every_action_with_the_position_before_it():
    status, document = get_json("convert", {"match_text": TWO, "to": "json"})
    assert status == 200
    assert len(document["matches"]) == 2
    match = document["matches"][0]
    assert (match["names"], match["length"]) == (["Ann", "Bob"], 3)
    actions = match["games"][0]["actions"]
    assert [(each["seat"], each["action"]) for each in actions] == [
        (0, "play"),
        (1, "play"),
        (0, "double"),
        (1, "take"),
        (0, "play"),
        (1, "resign"),
    ]
    assert actions[0] == {
        "move": 1,
        "seat": 0,
        "action": "play",
        "dice": "31",
        "play": "8/5 6/5",
        "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:3:10",
    }
    assert match["games"][0]["result"] == {"winner": 0, "points": 2, "kind": "single"}


def test_faults_of_a_match_are_in_its_json_and_in_its_analysis():
    ruled_otherwise = ILLEGAL.replace("      Wins 1 point", "      Wins 2 points")
    (match,) = get_json("convert", {"match_text": ruled_otherwise, "to": "json"})[1]["matches"]
    assert [action["play"] for action in match["games"][0]["actions"] if "illegal" in action] == ["14/10"]
    assert match["games"][1]["result_by_rules"]["points"] == 1
    (result,) = get_json("analyse", {"match_text": ruled_otherwise, "plies": 0})[1]["results"]
    assert [(each["chosen"], each["error"]) for each in result["decisions"] if "illegal" in each] == [
        ("14/10", 0)
    ]
    (match,) = get_json("convert", {"match_text": CUT, "to": "json"})[1]["matches"]
    assert ["missing" in game for game in match["games"]] == [False, True]
    assert ask("convert", {"match_text": CUT, "to": "mat"}).headers["X-Left-Out"] == "that game 2 is cut"


def test_a_match_as_a_page_needs_no_analysis():
    answer = ask("convert", {"match_text": TEXT, "to": "html"})
    assert answer.media_type == "text/html; charset=utf-8"
    assert b"8/5 6/5" in answer.body


@pytest.mark.parametrize(
    ("path", "body", "query", "error"),
    [
        ("analyse", {}, (), (422, "bad_value", "match_text")),
        ("analyse", {"match_text": 3}, (), (422, "bad_value", "match_text")),
        ("analyse", {"match_text": "5 points"}, (), (422, "bad_value", "match_text")),
        ("analyse", {"match_text": TEXT, "coffee": 1}, (), (422, "bad_value", "coffee")),
        ("analyse", {"match_text": TEXT, "report": "pdf"}, (), (422, "bad_value", "report")),
        ("analyse", {"match_text": TEXT, "plies": 1}, (("plies", "1"),), (422, "bad_value", "plies")),
        ("analyse", {"match_text": TEXT, "net": "none"}, (), (422, "bad_value", "net")),
        ("analyse", {"match_text": TEXT, "cubeful": False}, (), (422, "bad_value", "cubeful")),
        (
            "analyse",
            {"match_text": TEXT, "rollout": {"what": "cube"}},
            (),
            (422, "bad_value", "rollout.what"),
        ),
        ("analyse", b"", (), (422, "bad_value", "match_text")),
        ("analyse", b"\xff\xfe\x00", (), (422, "bad_value", "match_text")),
        ("analyse", TEXT.encode(), (("plies", "9"),), (422, "bad_value", "plies")),
        ("analyse", TEXT.encode(), (("plies", "1"), ("plies", "1")), (422, "bad_value", "plies")),
        ("analyse", TEXT.encode(), (("path", "/etc/passwd"),), (422, "bad_value", "path")),
        ("convert", TEXT.encode(), (), (422, "bad_value", "to")),
        ("convert", TEXT.encode(), (("to", "exe"),), (422, "bad_value", "to")),
        ("convert", {"match_text": TEXT, "to": None}, (), (422, "bad_value", "to")),
        ("convert", {"match_text": TWO, "to": "mat"}, (), (422, "unsupported", "match_text")),
        ("convert", b"rgmh" + bytes(100), (("to", "json"),), (422, "bad_value", "match_text")),
    ],
)
def test_a_request_that_is_wrong_is_told_what(path, body, query, error):
    assert get_error(path, body, query=query) == error


def test_caps_are_those_of_the_line_protocol():
    service = make_service(limits=ClientLimits(query_decisions=3))
    assert get_error("analyse", {"match_text": TEXT}, service=service) == (422, "limit", "match_text")


def test_a_path_or_an_address_is_text_that_is_no_match(tmp_path, monkeypatch):
    file = tmp_path / "match.mat"
    file.write_text(TEXT)
    monkeypatch.setattr("socket.socket.connect", lambda *args: pytest.fail("it connects"))
    for text in (str(file), file.as_uri(), "http://127.0.0.1:9/match.mat"):
        for path, more in (("analyse", {}), ("convert", {"to": "json"})):
            assert get_error(path, {"match_text": text, **more}) == (422, "bad_value", "match_text")
            assert get_error(path, text.encode(), query=tuple(more.items()))[0] == 422
    assert [each.name for each in tmp_path.iterdir()] == ["match.mat"]


def test_the_longest_match_file_is_longer_than_those_that_people_have():
    assert MAX_MATCH_BYTES >= 2_000_000


def test_a_match_that_no_reader_could_take_whole_is_not_written(monkeypatch):
    games = [f" Game {number}\n ann : 0    bob : 0\n  Wins 1 point\n" for number in range(1, 21)]
    match = "".join([" 0 point match\n\n", *games]).encode()
    assert ask("convert", match, query=[("to", "sgf")]).status == 200
    monkeypatch.setattr(tree, "MAX_VALUES", 100)
    assert get_error("convert", match, query=[("to", "sgf")]) == (422, "limit", "games")
    assert ask("convert", match, query=[("to", "mat")]).status == 200


@pytest.mark.parametrize(
    ("content", "rolls"),
    [
        (f"Alice\n+---+\n{XGID}\nbest 8/5", ["31"]),
        (SNOWIE, ["31"]),
        (SAVED_WITH_DICE, ["31"]),
        (XG_PLAYS + XG_CUBE, ["31", "00"]),
        (f"<{XGID}>\n4HPwATDgc/ABMA", ["31", "00"]),
    ],
)
def test_a_file_of_positions_is_told_from_matches_as_json(content, rolls):
    status, document = get_json("convert", content.encode(), query=(("to", "json"),))
    assert (status, document["matches"]) == (200, [])
    assert [each["xgid"].split(":")[4] for each in document["positions"]] == rolls


def test_what_is_neither_a_match_nor_a_position_is_refused_as_no_match():
    for content in ("Dear Bob", "", XGID.replace(":31:", ":99:")):
        status, code, field = get_error("convert", content.encode() or b" ", query=(("to", "json"),))
        assert (status, code, field) == (422, "bad_value", "match_text")
    status, document = get_json("convert", SAVED_WITH_DICE.encode(), query=(("to", "mat"),))
    assert status == 422
    assert "got a position: give it to gammond eval, hint or cube" in document["error"]["message"]
