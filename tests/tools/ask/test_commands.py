"""`gammond eval`, `hint`, `cube`, `matrix` and `board`: the terminal's text, and JSON as on the wire."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import HYPERGAMMON
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.dialects.json_query import answer_query
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.game.preferences import change_preference
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools.ask import matrix
from gammond.tools.ask.question import query_position
from tests.support.commands import make_runner, type_in
from tests.support.machine_speed import measure_stretch

ROOT = Path(__file__).resolve().parents[3]

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
NACKGAMMON_XGID = "XGID=-bb---D-C---dD---c-d---BB-:0:0:1:65:0:0:0:0:10"
BEFORE_ROLL = XGID.replace(":31:", ":00:")
DOUBLED = XGID.replace(":31:", ":D:")


@pytest.fixture(autouse=True)
def _own_preferences(tmp_path, monkeypatch):
    """Begin with no preferences of the person who runs the tests."""
    monkeypatch.setattr(
        "gammond.protocol.repl.game.preferences.get_config_file", lambda: tmp_path / "config.toml"
    )
    monkeypatch.setattr("gammond.tools.ask.question.get_config_file", lambda: tmp_path / "config.toml")


run = make_runner()


@pytest.mark.parametrize("tool", ["eval", "board", "hint", "rollout --trials 2 --truncate 1"])
def test_what_was_assumed_of_the_position_is_said_and_in_the_json(tool, capsys):
    said = run(capsys, *tool.split(), "OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:W:R:2:1:5:0", "--json")
    assumed = json.loads(said.out)["assumed"]
    assert assumed.startswith("the colour W of this OGID is read as that of the player who reached")
    assert f"{assumed}\n" in said.err
    assert "assumed" not in json.loads(run(capsys, *tool.split(), XGID, "--json").out)


def test_a_missing_file_is_told_in_one_line_and_not_logged_before(capsys, caplog, tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    start = Position.start(HYPERGAMMON.start_points)
    for words in (["eval"], ["cube"], ["matrix"], ["hint", "--dice", "3", "1"], ["eval", "--json"]):
        said = run(capsys, *words, encode_position_id(start), "--variant", "hypergammon", status=2)
        (line,) = said.err.splitlines()
        assert line.startswith(f"gammond: {tmp_path / 'hypergammon-3.solution'} is missing")
        assert caplog.records == []


def test_a_drawn_board_without_its_id_is_one_short_error(capsys, monkeypatch):
    board = "+13-14-15-16-17-18------19-20-21-22-23-24-+  O: gnubg\n| X   O    |BAR|  O      X |  0 points\n"
    type_in(monkeypatch, board)
    said = run(capsys, "hint", "-", status=2)
    assert said.err.splitlines()[-1] == (
        "gammond: expected a position, got 2 lines without one: a drawn board is read with its ID or XGID "
        "beside it"
    )


def say_at_the_prompt(*lines):
    talk = LineInterpreter(Session(Service(make_shipped_catalogue()), 1))
    return [talk.answer(line) for line in lines][-1]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["eval", XGID], [XGID, "eval"]),
        (["eval", XGID, "--cubeless", "--plies", "1"], [XGID, "eval plies=1 cubeful=false"]),
        (["hint", XGID], [XGID, "hint"]),
        (["hint", NACKGAMMON_XGID, "--variant", "nackgammon"], [NACKGAMMON_XGID, "hint"]),
        (["hint", XGID, "--plays", "2", "--plies", "1"], [XGID, "hint 2 plies=1"]),
        (["eval", BEFORE_ROLL, "--player", "phase-net"], [BEFORE_ROLL, "opinion player=phase-net"]),
        (["eval", XGID, "--player", "phase-net"], [BEFORE_ROLL, "opinion player=phase-net"]),
        (["hint", XGID, "--player", "classic"], [XGID, "opinion player=classic"]),
        (["hint", BEFORE_ROLL], [BEFORE_ROLL, "hint"]),
        (["hint", DOUBLED], [DOUBLED, "hint"]),
        (["cube", XGID], [XGID, "cube"]),
        (["matrix", XGID, "--away", "3", "--letters"], [XGID, "matrix away=3"]),
        (["matrix", XGID, "--away", "3"], [XGID, "matrix away=3 equities=true"]),
    ],
)
def test_the_text_is_that_of_the_terminal(words, lines, capsys):
    heading, *text = run(capsys, *words).out.splitlines()
    assert heading.startswith(("X is to ", "O is to answer the double"))
    assert text == say_at_the_prompt(*lines)


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (["eval", XGID], {"want": ["eval"]}),
        (["eval", XGID, "--cubeless", "--plies", "1"], {"want": ["eval"], "plies": 1, "cubeful": False}),
        (["hint", XGID, "--plays", "2"], {"want": ["moves"], "max_moves": 2}),
        (["eval", BEFORE_ROLL, "--player", "phase-net"], {"want": ["opinion"], "player": "phase-net"}),
        (["hint", BEFORE_ROLL], {"want": ["eval", "cube"]}),
        (["cube", XGID], {"want": ["eval", "cube"]}),
        (["matrix", XGID, "--away", "3"], {"want": ["matrix"], "away": 3, "equities": True}),
        (["matrix", XGID, "--letters"], {"want": ["matrix"]}),
    ],
)
def test_json_is_what_the_wire_answers_to_a_query(words, query, capsys):
    position = words[1]
    work = answer_query(
        Session(Service(make_shipped_catalogue()), 1),
        json.dumps({"id": "gammond", "position": position, **query}),
    )
    said = json.loads(run(capsys, *words, "--json").out)
    expected = json.loads(format_reply(work.run(WorkControl())[-1]))
    assert {name: said[name] for name in expected} == expected
    assert list(said)[-1] == "results"


@pytest.mark.parametrize("tool", ["eval", "hint", "cube", "matrix", "rollout"])
def test_json_names_the_position_asked_about_with_score_cube_and_dice(tool, capsys):
    options = ["--trials", "2", "--truncate", "1"] if tool == "rollout" else []
    asked = json.loads(run(capsys, tool, XGID, *options, "--json").out)
    board = json.loads(run(capsys, "board", XGID, "--json").out)
    names = (
        "xgid",
        "gnubgid",
        "matchid",
        "turn",
        "dice",
        "length",
        "score",
        "crawford",
        "cube",
        "cube_owner",
    )
    assert [asked[name] for name in names] == [board[name] for name in names]
    assert (asked["xgid"], asked["dice"], asked["score"]) == (XGID, [3, 1], [1, 2])
    assert (board["turn"], board["pips"], len(board["board"])) == ("p1", [167, 167], 15)


def test_the_board_can_be_drawn_before_an_answer(capsys):
    alone, drawn = (run(capsys, "eval", XGID, *more).out for more in ([], ["--board"]))
    assert drawn.endswith(alone)
    assert drawn.splitlines()[1].startswith(" +13-14")


def test_the_level_of_the_preferences_counts_unless_plies_are_given(capsys):
    from gammond.tools.ask.question import get_config_file as file

    change_preference(file(), "level", "world-class")
    deep = re.search(r"at ([0-9])-ply", run(capsys, "hint", XGID, "--plays", "1").out)
    assert deep is not None
    assert int(deep[1]) > 0
    assert "at 0-ply" in run(capsys, "hint", XGID, "--plays", "1", "--plies", "0").out


def test_a_net_is_chosen_by_name(capsys):
    assert "net fast" in run(capsys, "eval", XGID, "--net", "fast").out


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_search_with_the_best_answer_so_far(kind, capsys, monkeypatch):
    def ask(session, control):
        assert not control.is_stopped
        signal.raise_signal(kind)
        return ["stopped"] if control.is_stopped else ["not stopped"]

    monkeypatch.setattr("gammond.tools.ask.eval.show_evaluation", ask)
    said = run(capsys, "eval", XGID, status=130)
    assert said.out.splitlines()[1:] == ["stopped"]
    assert said.err.splitlines() == [
        "gammond: stopping; Ctrl-C again leaves at once",
        "gammond: interrupted, the answer is of the work so far",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("words", [["hint", XGID], ["matrix", XGID], ["rollout", XGID, "--quick"]])
def test_a_signal_at_first_use_does_not_wait_for_the_compiler(words, tmp_path):
    command = [sys.executable, "-m", "gammond", *words]
    environment = os.environ | {"GAMMOND_CACHE": str(tmp_path)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=environment, **streams) as process:
        try:
            while "compiling kernels" not in process.stderr.readline():
                assert process.poll() is None
            began_s = time.monotonic()
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert time.monotonic() - began_s < 5 * measure_stretch()
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "gammond: interrupted"
    assert "stopping" not in err


def test_a_matrix_that_is_stopped_has_no_answer(capsys, monkeypatch):
    ask = matrix.show_matrix

    def stop_first(session, control, *values, **named):
        control.stop()
        return ask(session, control, *values, **named)

    monkeypatch.setattr("gammond.tools.ask.matrix.show_matrix", stop_first)
    said = run(capsys, "matrix", XGID, "--plies", "1", status=130)
    assert (said.out, said.err) == ("", "gammond: interrupted\n")

    def query_stopped(session, control, fields):
        control.stop()
        return query_position(session, control, fields)

    monkeypatch.setattr("gammond.tools.ask.question.query_position", query_stopped)
    stopped = json.loads(run(capsys, "matrix", XGID, "--plies", "1", "--json", status=130).out)
    assert (stopped["results"], stopped["stopped"]) == ([], True)


@pytest.mark.parametrize("kind", [CancelledWork("stopped"), KeyboardInterrupt()])
def test_what_is_stopped_before_any_answer_is_interrupted(kind, capsys, monkeypatch):
    def stop(session, control, fields):
        raise kind

    monkeypatch.setattr("gammond.tools.ask.question.query_position", stop)
    said = run(capsys, "eval", XGID, "--json", status=130)
    assert (said.out, said.err) == ("", "gammond: interrupted\n")


def read_from_terminal(words, **environment):
    """Return what a command writes to a terminal of 80 columns."""
    pty = pytest.importorskip("pty")
    main_end, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "gammond", *words],
        cwd=ROOT,
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **environment},
    )
    os.close(terminal)
    written = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
        while block := os.read(main_end, 65536):
            written += block
    os.close(main_end)
    assert child.wait(60) == 0
    return written.decode()


@pytest.mark.slow
def test_a_terminal_gets_colours_unless_it_wants_none(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = read_from_terminal(["board", "startpos"])
    plain = read_from_terminal(["board", "startpos"], NO_COLOR="1")
    assert ";92;" in coloured
    assert ";92;" not in plain
    for text in (coloured, plain):
        assert " +13-14-15-16-17-18-" in re.sub(r"\x1b\[[?0-9;]*[a-z]", "", text)


def test_the_board_of_a_variant_has_its_number_of_checkers(capsys):
    written = run(capsys, "board", "startpos", "--variant", "hypergammon").out
    assert written.count("69 pips") == 2
    assert "off" not in written


SCARED_MOUSE = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["eval"], "eval"),
        (["eval", "--plies", "2"], "eval depth=2"),
        (["hint", "--plies", "2", "--plays", "2"], "hint 2 depth=2"),
        (["board"], "board"),
    ],
)
def test_a_position_of_barca_is_answered_as_at_the_terminal(words, line, capsys):
    conversation = LineInterpreter(Session(Service(make_shipped_catalogue()), 0))
    conversation.answer("set game.variant barca")
    conversation.answer(f"position {SCARED_MOUSE}")
    said = run(capsys, *words, *SCARED_MOUSE.split(), "--variant", "barca").out
    assert said.splitlines() == [str(each) for each in conversation.answer(line)]


def test_json_about_a_position_of_barca_is_that_of_the_wire(capsys):
    asked = ["hint", "startpos moves e2-e5", "--variant", "barca", "--plies", "2", "--plays", "1", "--json"]
    found = json.loads(run(capsys, *asked, "--weights", "learned").out)
    query = {"id": 1, "variant": "barca", "position": "startpos moves e2-e5", "weights": "learned"}
    query |= {"want": ["eval", "moves"], "depth": 2, "max_moves": 1}
    work = answer_query(Session(Service(make_shipped_catalogue()), 0), json.dumps(query))
    (reply,) = work.run(WorkControl())
    assert found["results"] == json.loads(format_reply(reply))["results"]
