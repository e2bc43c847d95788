"""No message costs the thread that serves the clients more than a turn, whatever face it comes by.

Each is tried with all that it may hold; times are of the processor, in multiples of what a loop takes.
"""

from __future__ import annotations

import json
from functools import cache
from typing import get_args

import msgspec
import pytest

from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.dialects.gnubg_external import _LIMITS as GNUBG_LIMITS
from gammond.protocol.dialects.gnubg_external import COMMANDS as GNUBG_COMMANDS
from gammond.protocol.dialects.json_fields import Want
from gammond.protocol.games import GAMES
from gammond.protocol.state.session import Session
from gammond.protocol.tables.actions import ACTS
from gammond.protocol.tables.requests import MAX_FRAME_CHARS, AnyRequest
from gammond.protocol.tables.table import Table
from gammond.protocol.transports.web.limits import WebLimits
from gammond.protocol.web.answers import WebAnswer, WebRequest
from gammond.protocol.web.endpoints import ENDPOINTS
from tests.attacks.positions import WIDE_POSITION
from tests.protocol.accounts.quick_accounts import open_accounts
from tests.protocol.dialects.test_gnubg_external import SEAT_0_PLAY, played_by
from tests.protocol.largest_messages import (
    COMMAND_CHARS,
    FILLERS,
    check_cost,
    fill,
    fill_json,
    list_forms,
    list_objects,
    list_strange_objects,
    serve_line,
    settle,
    warm_up,
)
from tests.protocol.tables.visiting import ENGINE, PERSON, Site
from tests.protocol.talking import make_connection, make_service
from tests.protocol.web_asking import finish_plan
from tests.support.evaluators import RacingEvaluator

pytestmark = pytest.mark.slow

BOB = {"kind": "person", "name": "Bob"}
PARTS = {name: entry.load_commands() for name, entry in GAMES.items()}
EXAMPLES = {
    name: [line for row in part.commands.values() for line in row.example if line != "quit"]
    for name, part in PARTS.items()
}


def list_setup(game: SessionGame) -> list[str]:
    """List lines after which the commands of a game have much to do."""
    lines = [f"set game.variant {next(iter(GAMES[game.name].variants))}", "newgame"]
    return [*lines, f"position gnubgid {WIDE_POSITION}", "dice 1 1"] if game.name == "backgammon" else lines


@pytest.fixture(scope="module")
def connections():
    """A connection for each game, on which everything was asked once."""
    made = {}
    for name, part in PARTS.items():
        made[name] = make_connection()
        warm_up(made[name], *list_setup(part), *EXAMPLES[name], *list_setup(part))
    return made


def check_line(connection, line, setup=()):
    for each in setup:
        serve_line(connection, each)
    settle(connection)
    served = connection.request_count
    check_cost(lambda: serve_line(connection, line), line)
    assert connection.request_count > served
    settle(connection)


COMMANDS = [(name, word) for name, part in PARTS.items() for word in part.commands if word != "quit"]


@pytest.mark.parametrize(("game", "word"), COMMANDS)
def test_a_command_with_arguments_as_long_as_they_may_be(connections, game, word):
    part = PARTS[game]
    for line in list_forms(part.commands[word]):
        check_line(connections[game], line, list_setup(part))


SETTINGS = [(name, key) for name, part in PARTS.items() for key in part.settings]


@pytest.mark.parametrize(("game", "key"), SETTINGS)
def test_a_setting_with_a_value_as_long_as_it_may_be(connections, game, key):
    for filler in FILLERS.values():
        check_line(connections[game], f"set {key} {fill(filler, COMMAND_CHARS - len(key) - 5)}")


@pytest.fixture(scope="module")
def long_match():
    """A session with a record and steps to undo as long as they may be."""
    connection = make_connection()
    warm_up(connection, "set game.keep true", *EXAMPLES["backgammon"], "set game.keep true", "newgame")
    game = ("newgame", "dice 3 1", "play 8/5 6/5", "play resign single", "play accept")
    for _ in range(1000):
        for line in game:
            serve_line(connection, line)
        connection.data_to_send()
    warm_up(connection, "save")
    return connection


@pytest.mark.parametrize("word", [word for game, word in COMMANDS if game == "backgammon"])
def test_a_command_after_a_thousand_games(long_match, word):
    for line in PARTS["backgammon"].commands[word].example:
        check_line(long_match, line)


QUERY_FIELDS = [(game, name) for game, entry in GAMES.items() for name in entry.load_queries().fields]


@pytest.mark.parametrize(("game", "name"), QUERY_FIELDS)
def test_a_query_with_a_field_as_long_as_a_line_may_be(connections, game, name):
    variant = next(iter(GAMES[game].variants))
    others = {"id": 1, "variant": variant, "position": WIDE_POSITION} if name != "position" else {"id": 1}
    others.pop(name, None)
    head = json.dumps(others)[:-1].replace(": ", ":") + ("," if others else "")
    for line in list_objects((name,), head):
        check_line(connections[game], line)


@pytest.mark.parametrize("game", GAMES)
def test_a_query_with_as_many_fields_as_a_line_may_have(connections, game):
    head = json.dumps({"id": 1, "variant": next(iter(GAMES[game].variants)), "position": WIDE_POSITION})[:-1]
    for line in list_strange_objects(f"{head},"):
        check_line(connections[game], line)


@pytest.mark.parametrize("want", get_args(Want))
def test_a_query_for_each_part_of_as_many_positions_as_there_may_be(connections, want):
    for count in (1, 128, 10_000):
        query = {"id": 1, "want": [want], "dice": [1, 1], "positions": [WIDE_POSITION] * count}
        check_line(connections["backgammon"], json.dumps(query))
    check_line(connections["backgammon"], fill_json(f'{{"id":1,"want":["{want}"],"positions":[', '"x"', "]}"))
    long = json.dumps({"id": 1, "want": [want], "positions": ["x" * 4000] * 128})
    check_line(connections["backgammon"], long)


GNUBG_WORDS = [*GNUBG_COMMANDS, "board:", "evaluation fibsboard board:", "nonsense"]


@pytest.mark.parametrize("word", GNUBG_WORDS)
def test_a_line_of_gnubgs_dialect_as_long_as_it_may_be(word):
    connection = played_by(RacingEvaluator())
    warm_up(connection, SEAT_0_PLAY, f"evaluation fibsboard {SEAT_0_PLAY}", "set debug on", "set debug off")
    if word == "exit":
        return
    lines = [f"{word} {fill(filler, GNUBG_LIMITS.line_bytes - len(word) - 2)}" for filler in FILLERS.values()]
    for line in (*lines, SEAT_0_PLAY, f"evaluation fibsboard {SEAT_0_PLAY} {fill('cube on ', 1500)}"):
        check_line(connection, line)


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory):
    """All endpoints of a server with kept games and accounts."""
    folder = tmp_path_factory.mktemp("kept")
    archive = GameArchive(ArchiveOptions(file=str(folder / "games.sqlite")))
    accounts = open_accounts(folder)
    yield [*ENDPOINTS, *make_endpoints(archive, accounts)]
    accounts.close()
    archive.close()


BODY_FIELDS = (
    "position",
    "positions",
    "want",
    "match_text",
    "name",
    "password",
    "tokens",
    "board",
    "unknown",
)
HEAD_BYTES = WebLimits.header_bytes


def list_queries():
    """List what may stand behind the question mark of a request, whose head has a cap."""
    yield [("a", "x" * HEAD_BYTES)]
    yield [(f"a{number}", "1") for number in range(HEAD_BYTES // 7)]
    for name in ("position", "dice", "player", "variant", "before", "name"):
        yield [(name, "x" * HEAD_BYTES)]
        yield [(name, "1") for _ in range(HEAD_BYTES // 10)]
        yield [(name, "\ufdfa" * (HEAD_BYTES // 9))]


@cache
def list_bodies(size):
    """List bodies of so many bytes with each field that an endpoint may take, and another one."""
    bodies = *list_objects(BODY_FIELDS, "{", size), *list_strange_objects("{", size)
    return [body.encode() for body in bodies]


def test_every_endpoint_with_bodies_and_parameters_as_long_as_they_may_be(endpoints):
    service = make_service()
    for endpoint in endpoints:
        media_type = endpoint.media_types[0] if endpoint.media_types else ""
        parts = {name.strip("{}"): "x" * 10_000 for name in endpoint.path.split("/") if "{" in name}
        requests = [WebRequest(b"", media_type, tuple(query), parts) for query in list_queries()]
        short = min(endpoint.max_bytes, 64 * 1024)
        bodies = [*list_bodies(short)] if short else []
        if endpoint.max_bytes > short:
            size = endpoint.max_bytes
            long = *list_objects(("match_text",), "{", size), *list_strange_objects("{", size)
            bodies += (body.encode() for body in long)
        requests += [WebRequest(body, media_type, (), parts) for body in bodies]
        for request in requests:
            what = f"{endpoint.path} {request.body[:40]!r} {str(request.query)[:40]}"
            check_cost(lambda: endpoint.plan(Session(service, 1), request), what)  # noqa: B023


def test_the_work_of_a_long_body_is_to_read_it(endpoints):
    convert = next(each for each in endpoints if each.path.endswith("/convert"))
    body = json.dumps({"match_text": "x" * 100_000, "to": "mat"}).encode()
    session = Session(make_service(), 1)
    task = convert.plan(session, WebRequest(body, "application/json"))
    assert not isinstance(task, WebAnswer)
    assert task.is_long
    answer = finish_plan(convert, session, task)
    assert (answer.status, json.loads(answer.body)["error"]["field"]) == (422, "match_text")


REQUESTS = {kind.__struct_config__.tag: kind for kind in get_args(AnyRequest)}


@pytest.fixture(scope="module")
def site():
    """A hub where everything was done before and after a roll, with a visitor at a table of its own."""
    made = Site()
    guest = made.visit()
    table = guest.create(PERSON, BOB, dice="typed")[
        "table"
    ]  # where a double has few plays, and runs the same
    for act in ACTS:
        for each in ("go_back", act, "go_back", "dice", act):
            guest.ask("act", table=table, act=each, **ACT_FIELDS)
    guest.table = guest.create(PERSON, BOB, position=WIDE_POSITION, dice="typed")["table"]
    guest.ask("act", table=guest.table, act="dice", **ACT_FIELDS)
    return guest


ACT_FIELDS = {"dice": [1, 1], "to": 1, "ms": 5, "play": "24/23 22/21", "points": 3}


@pytest.mark.parametrize("tag", REQUESTS)
def test_a_request_at_the_tables_with_fields_as_long_as_a_frame_may_be(site, tag):
    fields = [each.encode_name for each in msgspec.structs.fields(REQUESTS[tag])]
    others = {"do": tag, "table": site.table, "act": "play", "seats": [PERSON, BOB]}
    for name in (*fields, "unknown"):
        given = {key: value for key, value in others.items() if key in ("do", *fields) and key != name}
        head = f"{json.dumps(given)[:-1]},"
        frames = [*list_objects((name,), head, MAX_FRAME_CHARS)]
        if name == "unknown":
            frames += list_strange_objects(head, MAX_FRAME_CHARS)
        for frame in frames:
            check_cost(lambda: site.send(frame), frame)  # noqa: B023
            site.hear()
            site.site.settle()
    long = fill_json(f'{{"do":"{tag}","table":[', "1.1234567890123456789e-300", "]}", 64 * 1024)
    check_cost(lambda: site.send(long), long)
    site.hear()


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("phase", ["before a wide double", "a wide double"])
def test_an_act_where_a_double_has_thousands_of_plays(site, act, phase):
    site.ask("act", table=site.table, act="go_back", to=1)
    if phase == "a wide double":
        site.ask("act", table=site.table, act="dice", dice=[1, 1])
    frame = json.dumps({"id": 1, "do": "act", "table": site.table, "act": act, **ACT_FIELDS})
    check_cost(lambda: site.send(frame), frame)
    site.hear()
    site.site.settle()


def test_who_comes_to_a_game_of_twenty_thousand_actions(site):
    guest = site.site.visit()
    made = guest.create(PERSON, BOB, public=True)
    table = site.site.hub.tables[made["table"]]
    while not table.game.history.entries:
        guest.ask("act", table=made["table"], act="roll")
    table.game.history.entries *= 20_000 // len(table.game.history.entries)
    frame = json.dumps({"id": 1, "do": "join", "table": made["table"]})
    watcher = site.site.visit()
    check_cost(lambda: watcher.send(frame), frame)
    watcher.hear()
    assert len(watcher.state["history"]) == 1000


def test_what_is_due_at_many_tables_at_once_is_done_in_several_ticks(monkeypatch):
    site, ticked = Site(), []
    guest = site.visit()
    for _ in range(20):
        guest.create(ENGINE, ENGINE, pace_ms=0)
    site.pool.run()

    def tick(table):
        ticked.append(table.table_id)
        table.engines.cancel()
        site.now += 0.001

    monkeypatch.setattr(Table, "tick", tick)
    site.now += 10.0
    most = 0
    while site.hub.next_due_s is not None and site.hub.next_due_s <= site.now:
        before = len(ticked)
        site.hub.tick()
        most = max(most, len(ticked) - before)
    assert len(ticked) == len(set(ticked)) == 20
    assert most <= 4
