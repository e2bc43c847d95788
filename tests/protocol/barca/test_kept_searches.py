"""Kept searches of Barca: found again to the word, deepened by how often they are asked, never another's."""

import json
import re
import time

import pytest

from gammond.engine.barca.evaluation import HAND_WEIGHTS, EvaluationVector
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move, parse_move
from gammond.engine.barca.search import SearchLimits, search
from gammond.engine.errors import CancelledWork, DataFileError
from gammond.engine.store.database import DepthTiers
from gammond.engine.store.options import StoreOptions
from gammond.protocol.barca import kept_searches
from gammond.protocol.barca.kept_searches import KeptLines, KeptSearches
from gammond.protocol.commands.dispatch import answer_command
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.requests import SeatSpec, TableSpec
from gammond.protocol.transports.idle_deepening import Deepened, IdleDeepening
from tests.protocol.talking import SEED, talk

START = BarcaGame.start()
WAIT_S = 30.0


@pytest.fixture
def service(tmp_path):
    return Service(make_shipped_catalogue(StoreOptions(file=str(tmp_path / "store.sqlite"), book=False)))


@pytest.fixture
def kept(service):
    return service.share(KeptSearches)


def open_session(service, *lines):
    connection = connect(Session(service, SEED))
    for line in ("set game.variant barca", "newgame", *lines):
        assert not talk(line, connection)[-1].startswith("error")
    return connection


def find(kept, depth, game=START, weights="hand", count=1, **options):
    return kept.find(game, weights, count, depth, **{"allow_deeper": False, **options})


def search_and_keep(kept, depth, game=START, count=1):
    found = search(game, SearchLimits(depth, multipv=count))
    kept.keep(game, "hand", count, depth, found)
    return found


@pytest.mark.parametrize("command", ["eval depth=4", "moves 3 depth=4"])
def test_an_answer_is_given_again_to_the_word_and_says_so(service, command):
    first, again = (
        [line for line in talk(command, open_session(service)) if not line.startswith("info")]
        for _ in range(2)
    )
    assert first[:-1] == again[:-1]
    assert again[-1].endswith(" stored=true")
    nodes = re.search(r"nodes=\d+", first[-1])[0]
    assert again[-1].replace(" stored=true", "").replace("nodes=0", nodes) == first[-1]


def test_a_move_is_chosen_at_once(service):
    first = talk("go depth 5", open_session(service))
    again = talk("go depth 5", open_session(service))
    assert again[-1] == first[-1]
    assert again[-1].startswith("bestmove")
    assert [line.split()[4] for line in again[:-1]] == ["0"]


def ask(service, *lines, **query):
    """Send a query about the starting position to a session of its own; return its result."""
    fields = {"id": 1, "variant": "barca", "position": "startpos", **query}
    (line,) = talk(json.dumps(fields), open_session(service, *lines))
    return json.loads(line)["results"][0]


def test_queries_are_answered_from_what_commands_kept_and_the_other_way_round(service):
    assert "stored=true" not in talk("moves 3 depth=4", open_session(service))[-1]
    want = {"want": ["moves", "eval"], "depth": 4, "max_moves": 3}
    stored = ask(service, **want)
    assert (stored["moves_stored"], stored["eval"]["stored"], stored["eval"]["nodes"]) == (True, True, 0)
    fresh = ask(service, **want, store="off")
    assert "moves_stored" not in fresh
    assert fresh["moves"] == stored["moves"]
    assert fresh["eval"]["score"] == stored["eval"]["score"]
    assert "stored" not in ask(service, "set engine.store off", **want)["eval"]
    assert "stored" not in ask(service, depth=5)["eval"]
    assert talk("eval depth=5", open_session(service))[-1].endswith(" stored=true")


def test_a_query_takes_deeper_answers_where_it_asks_for_them(service):
    ask(service, depth=5)
    assert "stored" not in ask(service, depth=4)["eval"]
    answer = ask(service, depth=4, store="deeper")
    assert (answer["eval"]["depth"], answer["eval"]["stored"]) == (5, True)


def test_tables_in_the_browser_take_deeper_answers(service, kept):
    found = search_and_keep(kept, 6)
    game = TableGame(service, TableSpec((SeatSpec("open"),) * 2, variant="barca"), SEED)
    game.run("newgame")
    infos = []
    (*_, best) = answer_command(game.session, "go").run(WorkControl(infos.append))
    assert best.text == format_move(found.lines[0].move)
    assert format_reply(infos[0]).startswith("info depth 6 nodes 0 ")


def test_with_a_time_beside_the_depth_a_finished_search_is_kept_and_found(service):
    session = open_session(service)
    assert "stored=true" not in talk("eval depth=4 movetime=60000", session)[-1]
    assert talk("eval depth=4 movetime=60000", session)[-1].endswith(" stored=true")
    assert talk("eval depth=4", session)[-1].endswith(" stored=true")


def test_with_a_number_of_positions_there_is_one_answer_whatever_is_kept(service):
    session = open_session(service)
    first = talk("eval depth=4 nodes=2000", session)
    assert talk("eval depth=4", session)[-1].endswith("weights=hand")
    again = talk("eval depth=4 nodes=2000", session)
    assert again[-1] == first[-1]
    assert first[-1].endswith(" stopped=true")


def test_without_a_depth_nothing_is_kept(service):
    session = open_session(service)
    for _ in range(2):
        assert "stored=true" not in talk("eval nodes=20000", session)[-1]
    assert all(find(service.share(KeptSearches), depth) is None for depth in range(4, 9))


def test_without_the_store_nothing_is_kept(service):
    off = open_session(service, "set engine.store off")
    for _ in range(2):
        assert "stored=true" not in talk("eval depth=4", off)[-1]
    assert find(service.share(KeptSearches), 4) is None


def test_shallow_searches_are_not_kept(kept):
    search_and_keep(kept, 3)
    assert find(kept, 3) is None


def test_other_numbers_of_lines_and_other_weights_have_answers_of_their_own(kept, monkeypatch):
    search_and_keep(kept, 4, count=2)
    assert find(kept, 4) is None
    assert find(kept, 4, count=2) is not None
    vectors = {"hand": HAND_WEIGHTS, "learned": EvaluationVector.from_list([1] * 12)}
    monkeypatch.setattr(kept_searches, "load_weights", vectors.get)
    assert find(kept, 4, count=2, weights="learned") is None


def test_a_game_with_a_repeated_position_is_searched_for_itself(kept):
    game = START
    for text in ("e2-e3", "e9-e8", "e3-e2", "e8-e9"):
        game = game.play(parse_move(text))
    search_and_keep(kept, 4)
    assert game.position == START.position
    assert find(kept, 4, game) is None
    search_and_keep(kept, 4, game)
    assert find(kept, 4).lines == search(START, SearchLimits(4)).lines


def test_what_is_asked_often_is_deepened_to_the_values_of_a_fresh_search(kept, monkeypatch):
    assert isinstance(kept, Deepened)
    assert kept.list_deepenings() == []
    search_and_keep(kept, 4)
    for _ in range(3):
        find(kept, 4)
    [loop] = kept.list_deepenings()
    depths = []
    while due := loop.step():
        depths.append(due.plies)
    assert depths == [5, 6]
    assert kept.list_deepenings() == [loop]
    assert find(kept, 4, allow_deeper=True).lines == search(START, SearchLimits(6)).lines


def test_an_idle_server_deepens_it(service, kept, monkeypatch):
    monkeypatch.setattr(
        "gammond.protocol.transports.idle_deepening.yield_to_other_work", lambda niceness: None
    )
    talk("eval depth=4", open_session(service))
    said = []
    deepening = IdleDeepening(service, 0.01, DepthTiers(((1, 2),)), said.append)
    with deepening.beside(lambda: False):
        service.request_count += 1
        ends_s = time.monotonic() + WAIT_S
        while find(kept, 5) is None:
            assert time.monotonic() < ends_s
            time.sleep(0.02)
    assert find(kept, 6) is None
    assert "first at 5-ply" in said[0]


def test_deepening_stops_when_a_client_asks(kept):
    search_and_keep(kept, 4)
    kept.store.flush()
    [loop] = kept.list_deepenings()
    with pytest.raises(CancelledWork):
        loop.step(lambda: True)
    assert find(kept, 5) is None


def test_entries_are_read_as_they_were_written():
    entry = KeptLines(4, search(START, SearchLimits(2, multipv=3)).lines)
    assert KeptLines.decode(4, entry.encode()) == entry


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff", b"{}", b"[]", b"[[1,[]]]", b"[[1,[[0,100]]]]", b"[[2000000,[[0,1]]]]", b"[[1,[[0]]]]"],
)
def test_bytes_that_are_no_entry_are_refused(payload):
    with pytest.raises(DataFileError, match="expected the best moves of a position of Barca"):
        KeptLines.decode(4, payload)


def test_the_store_of_backgammon_has_a_file_of_its_own(kept, tmp_path):
    search_and_keep(kept, 4)
    kept.store.flush()
    assert (tmp_path / "store.barca.sqlite").exists()
    assert not (tmp_path / "store.sqlite").exists()
