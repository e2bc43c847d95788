"""Kept analyses on the wire: what was searched is answered at once, says so, and is the same."""

from __future__ import annotations

import json
import sqlite3
import time

import filelock
import pytest

from gammond.engine.analysis.engine_store import make_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.store.options import StoreOptions
from gammond.protocol.core.jobs import run_batch
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from tests.protocol.talking import SEED, hear, talk
from tests.support.data_folders import link_databases
from tests.support.machine_speed import measure_stretch

START = ("newgame", "dice 3 1", "set engine.filter tiny")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    return make_service(tmp_path_factory.mktemp("kept"))


def make_service(folder):
    return Service(make_shipped_catalogue(StoreOptions(file=str(folder / "store.sqlite"), book=False)))


def open_session(service, *lines):
    connection = connect(Session(service, SEED))
    for line in (*START, *lines):
        talk(line, connection)
    return connection


def without_mark(line):
    return line.replace(" stored=true", "")


@pytest.mark.parametrize(
    "command",
    [
        "eval plies=2",
        "eval plies=2 cubeful=false",
        "moves plies=2",
        'rank plies=2 "8/5 6/5"',
        "cube plies=2",
        "take plies=2",
        "resign plies=2",
        "resign gammon plies=2",
    ],
)
@pytest.mark.parametrize(
    "score", [(), ("set game.length 7", "set game.score_p0 4", "dice 3 1")], ids=["money", "match"]
)
def test_the_second_answer_is_kept_and_the_same(service, command, score):
    lines = talk(command, open_session(service, *score))
    again = talk(command, open_session(service, *score))
    assert again[-1].endswith(" stored=true")
    assert [line for line in again if line.startswith("info")] == [again[0]]
    assert again[0].startswith("info depth 3 nodes 0 time_ms ")
    assert " stored true" in again[0]
    known = [without_mark(line) for line in lines if not line.startswith("info")]
    assert [without_mark(line) for line in again if not line.startswith("info")] == known


@pytest.mark.parametrize("what", ["chequer", "cube", "turn"])
def test_decisions_say_in_their_info_lines_that_they_are_kept(service, what):
    command = f"go {what} plies 2 filter huge"
    first, again = (talk(command, open_session(service)) for _ in range(2))
    assert again[-1] == first[-1]
    info = [line for line in again if line.startswith("info")]
    assert len(info) == (2 if what == "turn" else 1)
    assert all(" stored true" in line for line in info)


def take_work(service, line, *settings):
    """The work of a request of a fresh client; None if it is answered at once."""
    connection = open_session(service, *settings)
    hear(connection, f"{line}\n".encode())
    job = connection.next_job()
    return job and job.work


def ask_until_quick(service, line):
    """Ask until an answer takes so little time that the next needs no thread; busy machines delay that."""
    for _ in range(200):
        talk(line, open_session(service))
        if take_work(service, line).is_quick:
            return
    raise AssertionError(f"{line} stays slow")


def test_a_play_that_the_kept_ranking_did_not_search_is_compared_in_a_thread(service):
    ask_until_quick(service, 'rank plies=2 "8/5 6/5"')
    work = take_work(service, 'rank plies=2 "8/4"')
    assert (work.is_quick, work.is_long) == (False, True)
    assert work.sources == ()
    for play in ("8/7", "nonsense"):
        assert take_work(service, f'rank plies=2 "{play}"') is None


@pytest.mark.parametrize(("use", "dice", "play"), [("on", "6 4", "24/14"), ("deeper", "5 3", "8/3 6/3")])
def test_a_matrix_goes_on_from_what_is_kept_score_by_score(service, use, dice, play):
    line, position = "matrix away=3 plies=1 equities=true", (f"dice {dice}", f"play {play}")
    settings = *position, f"set engine.store {use}"
    fresh = talk(line, open_session(service, *position, "set engine.store off"))
    for _ in range(2):  # answers of 1-ply are kept when they are asked for again
        assert [each for each in talk(line, open_session(service, *settings)) if "info" not in each] == fresh
    *again, last = talk(line, open_session(service, *settings))
    assert [*again, last.removesuffix(" stored=true")] == fresh
    assert last.endswith(" stored=true")
    larger = talk(line.replace("away=3", "away=4"), open_session(service, *settings))
    assert "stored" not in larger[-1]
    match = ("set game.length 3", "set game.score_p1 1", "set game.crawford false")
    cube = talk("cube plies=1", open_session(service, *settings, *match))[-1]
    assert cube.endswith(" stored=true")


def answer_here(service, line, *settings):
    """Answer in the thread that serves the clients; return the lines, and whether they came at once."""
    connection = open_session(service, *settings)
    hear(connection, f"{line}\n".encode())
    job = connection.next_job()
    if job is not None:
        [result] = run_batch([job])
        connection.receive_result(job, result)
    return connection.data_to_send().decode().splitlines(), job is None


def ask_until_at_once(service, line, *settings):
    """Ask until the answer is kept as it is written, which one that takes long is not; return it."""
    for _ in range(200):
        lines, is_at_once = answer_here(service, line, *settings)
        if is_at_once:
            return lines
    raise AssertionError(f"{line} is not kept as it is written")


def read_stored(service):
    """The store of the default engine."""
    return service.get_engine("default").store.store


FIRST_ANSWERS = [
    "eval plies=2",
    "moves plies=2",
    "moves 1 plies=2",
    "cube plies=2",
    "take plies=2",
    "resign plies=2",
    'rank plies=2 "8/4 6/4"',
    "@tag moves 3 plies=2",
    '{"id":1,"position":"startpos","plies":2}',
    '@tag {"id":"x","position":"startpos","dice":[3,1],"want":["eval","moves"],"plies":2,"colour":1}',
]


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("line", FIRST_ANSWERS)
def test_a_kept_answer_is_given_again_as_it_was_written(service, line, form):
    settings = f"set engine.format {form}", "set game.length 5", "dice 4 2"
    if form == "json" and "{" in line:
        pytest.skip("queries in objects of their own are written afresh")
    talk(line, open_session(service, *settings))
    again = talk(line, open_session(service, *settings))
    at_once = ask_until_at_once(service, line, *settings)
    info = "info" if form == "text" else '"info"'
    assert [each for each in at_once if info not in each] == [each for each in again if info not in each]
    assert len(at_once) == len(again)
    assert all("time_ms 0" in each or '"time_ms":0' in each for each in at_once if info in each)
    if line.startswith("@"):
        assert all("@tag" in each for each in at_once)
        other = answer_here(service, line.replace("@tag", "@other"), *settings)
        assert other == ([each.replace("@tag", "@other") for each in at_once], True)


def test_a_query_is_answered_at_once_under_another_id(service):
    query = '{"id":%s,"position":"startpos","dice":[2,1],"plies":2,"want":["moves"],"colour":1}'
    talk(query % 1, open_session(service))
    [line] = ask_until_at_once(service, query % 1)
    assert answer_here(service, query % '"seven"') == ([line.replace('"id":1', '"id":"seven"')], True)
    other = answer_here(service, query.replace("startpos", "4HPwATDgc/ABMA") % 1)
    assert other == ([line], False)


def test_no_answer_is_given_again_where_another_would_come(service):
    line = "moves 2 plies=2"
    talk(line, open_session(service))
    lines = ask_until_at_once(service, line)
    for change in (
        "set engine.filter narrow",
        "set engine.xgid true",
        "set engine.cubeful false",
        "set engine.net fast",
        "set engine.store off",
        "set engine.store deeper",
        "set game.jacoby true",
        "dice 3 2",
        "set game.variant nackgammon",
    ):
        assert take_work(service, line, change) is not None, change
    assert answer_here(service, line) == (lines, True)


@pytest.mark.parametrize("stop", ["stop", '{"id":2,"action":"terminate","terminate_id":1}'])
def test_an_answer_that_was_stopped_is_not_given_again(service, stop):
    dice = [6, 3] if stop == "stop" else [6, 5]
    query = json.dumps({"id": 1, "position": "startpos", "dice": dice, "plies": 2, "want": ["moves"]})
    ask_until_quick(service, query)
    connection = open_session(service)
    hear(connection, f"{query}\n{stop}\n".encode())
    job = connection.next_job()
    assert job.work.take_answer is not None
    [result] = run_batch([job])
    assert json.loads(result)["stopped"]
    [line], _ = answer_here(service, query)
    assert len(json.loads(line)["results"]) == 1


def test_fields_that_mean_nothing_in_a_query_are_not_kept_with_its_answer(service):
    query = {"position": "startpos", "dice": [4, 1], "plies": 2, "want": ["moves"]}
    for fields in ({"rollout": {"trials": 36}}, {"terminate_id": "x" * 10_000}):
        for _ in range(3):
            assert "results" in ask(open_session(service), **query, **fields)
        assert take_work(service, json.dumps({"id": 1, **query, **fields})).take_answer is None


def test_an_answer_given_again_counts_as_a_request_and_as_a_visit(service):
    line = "cube plies=2"
    talk(line, open_session(service, "dice 6 1"))
    ask_until_at_once(service, line, "dice 6 1")
    store = read_stored(service)
    store.flush()
    requests, visits = service.request_count, count_visits(store)
    for _ in range(5):
        answer_here(service, line, "dice 6 1")
    store.flush()
    assert count_visits(store) == visits + 5
    assert service.request_count == requests + 5 * (len(START) + 2)


def count_visits(store):
    """The visits of the starting position in money play, with the cube, by the default net."""
    question = make_question(Position.start(), MatchState(), EvalSettings())
    with sqlite3.connect(store.file) as database:
        [[visits]] = database.execute(
            "SELECT visits FROM questions JOIN engines ON engine = digest WHERE xgid = ? AND net = 'strong' "
            "AND settings = 'cubeful'",
            [question.xgid],
        )
    return visits


def test_a_deeper_answer_takes_the_place_of_one_that_was_given_again(service):
    deeper = "set engine.store deeper"
    talk("eval plies=2 cubeful=false", open_session(service))
    assert ask_until_at_once(service, "eval plies=2 cubeful=false", deeper)[-1].endswith(
        " plies=2 net=strong stored=true"
    )
    talk("eval plies=3 cubeful=false", open_session(service))
    lines, is_at_once = answer_here(service, "eval plies=2 cubeful=false", deeper)
    assert (is_at_once, lines[-1].endswith(" plies=3 net=strong stored=true")) == (False, True)


@pytest.mark.parametrize(
    "command",
    [
        "eval plies=2",
        "moves plies=2",
        'rank plies=2 "8/5 6/5"',
        "cube plies=2",
        "go chequer plies 2 filter huge",
        "go cube plies 2",
    ],
)
def test_a_kept_answer_needs_no_thread_once_one_was_quick(service, command):
    ask_until_quick(service, command)
    assert not take_work(service, command).is_long
    off = take_work(service, command, "set engine.store off")
    assert (off.is_quick, off.is_long) == (False, True)
    other = take_work(service, command, "set game.length 3", "set game.crawford true", "dice 3 1")
    assert (other.is_quick, other.is_long) == (False, True)


def test_a_session_may_do_without_and_take_deeper_answers(service):
    connection = open_session(service)
    talk("eval plies=2", connection)
    assert "stored" not in talk("eval plies=1 cubeful=true", connection)[-1]
    talk("set engine.store deeper", connection)
    assert talk("eval plies=1", connection)[-1].endswith(" plies=2 net=strong stored=true")
    talk("set engine.store off", connection)
    assert "stored" not in talk("eval plies=2", connection)[-1]
    assert talk("get engine.store", connection) == ["value engine.store off"]


def ask(connection, **fields):
    [line] = talk(json.dumps({"id": 1, "position": "startpos", "filter": "tiny", **fields}), connection)
    return json.loads(line)


def test_queries_are_answered_from_the_store_part_by_part(service):
    fields = {"plies": 2, "dice": [6, 2], "want": ["eval", "cube", "moves", "resign"]}
    first, again = (ask(open_session(service), **fields)["results"][0] for _ in range(2))
    assert again["moves_stored"]
    assert all(again[part].pop("stored") for part in ("eval", "cube", "resign"))
    del again["moves_stored"]
    for part in ("eval", "cube", "resign"):
        first[part].pop("stored", None)  # an earlier test has asked for the position
    assert again == first


def test_a_query_says_itself_whether_it_takes_kept_answers(service):
    connection = open_session(service, "set engine.store off")
    for _ in range(2):
        assert "stored" not in ask(connection, plies=2)["results"][0]["eval"]
    ask(connection, plies=2, store="on")
    assert ask(connection, plies=2, store="on")["results"][0]["eval"]["stored"]
    found = ask(connection, plies=1, store="deeper")["results"][0]["eval"]
    assert (found["stored"], found["plies"]) == (True, 2)
    error = ask(connection, plies=1, store="maybe")["error"]
    assert error["message"] == "expected one of off|on|deeper for store, got 'maybe'"


def test_a_query_for_one_kept_position_needs_no_thread(service):
    query = {"id": 1, "position": "startpos", "dice": [5, 2], "plies": 2, "want": ["eval", "moves"]}
    ask_until_quick(service, json.dumps(query))
    for other in ({"plies": 3}, {"dice": None}, {"position": "nonsense"}, {"store": "off"}, {"net": "fast"}):
        work = take_work(service, json.dumps(query | other))
        assert work is None or not work.is_quick, other


def test_the_next_process_answers_from_what_this_one_kept(tmp_path, monkeypatch):
    first = make_service(tmp_path)
    lines = talk("eval plies=2", open_session(first))
    first.get_engine("default").store.store.close()
    monkeypatch.setattr("gammond.engine.store.options._opened", {})
    again = talk("eval plies=2", open_session(make_service(tmp_path)))
    assert again[-1] == f"{lines[-1]} stored=true"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.mkdir(),
        lambda file: file.write_bytes(b"no database " * 100),
        lambda file: sqlite3.connect(file).execute("CREATE TABLE mine (x)").connection.close(),
    ],
    ids=["folder", "damaged", "foreign"],
)
def test_a_store_that_cannot_be_used_fails_no_answer_and_memory_serves(tmp_path, spoil, caplog, monkeypatch):
    link_databases(tmp_path)
    spoil(tmp_path / "analyses.sqlite")
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    monkeypatch.setattr("gammond.engine.store.options._opened", {})
    service = Service(make_shipped_catalogue(StoreOptions(book=False)))
    first, again = (talk("eval plies=2", open_session(service))[-1] for _ in range(2))
    assert again == f"{first} stored=true"
    service.get_engine("default").store.store.close()
    assert caplog.records


def check_prompt_while_held(service):
    """Ask for what is kept and what is not; on a busy machine one of several tries is quick."""
    talk("eval plies=1", open_session(service))
    took_s = []
    for rolls in (("1 2", "6 5", "4 1"), ("1 3", "6 4", "4 2"), ("1 5", "6 3", "5 2"), ("1 6", "6 2", "5 4")):
        began_s = time.monotonic()
        for dice in rolls:
            assert "stored" not in talk("moves plies=1", open_session(service, f"dice {dice}"))[-1]
            assert talk("eval plies=2", open_session(service))[-1].endswith("stored=true")
        took_s.append(time.monotonic() - began_s)
        if took_s[-1] < 3.0 * measure_stretch():
            return
    raise AssertionError(f"the answers took {took_s} s")


def test_a_store_into_which_another_process_writes_delays_no_answer(tmp_path):
    service = make_service(tmp_path)
    talk("eval plies=2", open_session(service))
    service.get_engine("default").store.store.flush()
    holder = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    check_prompt_while_held(service)
    holder.close()


def test_a_store_that_cannot_be_opened_yet_delays_no_answer(tmp_path):
    service = make_service(tmp_path)
    with filelock.FileLock(tmp_path / ".store.sqlite.lock"):
        talk("eval plies=2", open_session(service))
        check_prompt_while_held(service)
    store = service.get_engine("default").store.store
    store.flush()
    assert not store._shared.left_out


def test_an_answer_of_one_game_is_not_given_in_another(service):
    connection = open_session(service)
    for _ in range(3):
        kept = talk("moves plies=2", connection)
    assert kept[-1].endswith(" stored=true")
    talk("set game.variant barca", connection)
    assert talk("moves plies=2", connection)[-1].startswith("error bad_command")
    talk("set game.variant backgammon", connection)
    assert talk("moves plies=2", connection)[-1] == kept[-1]
