from __future__ import annotations

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import EngineStore
from gammond.engine.store.entries import EngineIdentity
from gammond.engine.store.store import AnalysisStore
from gammond.protocol.state.service import EngineCatalogue, Service
from tests.protocol.web_asking import get_error, get_json
from tests.support.evaluators import RacingEvaluator

START = "4HPwATDgc/ABMA"
IDENTITY = EngineIdentity("racing", "0" * 64, "1" * 64, "test")


def ask_kept(service, **query):
    return get_json("kept", query=tuple(query.items()), service=service)


@pytest.fixture
def service(tmp_path):
    with AnalysisStore(tmp_path / "kept.sqlite") as store:
        engine = Engine(RacingEvaluator(), store=EngineStore(lambda: store, lambda: IDENTITY))
        yield Service(EngineCatalogue("default", lambda: ["racing"], lambda name: engine, list))


def test_the_deepest_answer_is_shown_as_it_was_found_with_all_depths(service):
    found = {}
    for plies in (2, 3):
        query = {"position": START, "dice": [3, 1], "plies": plies, "filter": "tiny"}
        found[plies] = get_json("plays", query, service=service)[1]
    status, document = ask_kept(service, position=START, dice="31", filter="tiny")
    assert (status, document["depths"], document["plies"]) == (200, [2, 3], 3)
    assert document["results"][0]["moves"] == found[3]["results"][0]["moves"]
    _, fewer = ask_kept(service, position=START, dice="13", filter="tiny", max_moves="2")
    assert fewer["results"][0]["moves"] == found[3]["results"][0]["moves"][:2]


def test_a_position_without_dice_has_its_evaluation_and_its_cube(service):
    get_json("cube", {"position": START, "plies": 2}, service=service)
    _, document = ask_kept(service, position=START)
    assert document["depths"] == [2]
    assert set(document["results"][0]) == {"position", "eval", "cube"}
    assert ask_kept(service, position=START, cubeful="false")[1]["depths"] == []


def test_nothing_is_searched(service):
    status, document = ask_kept(service, position=START)
    assert (status, document) == (200, {"depths": [], "net": "racing", "results": []})
    assert ask_kept(service, position=START, dice="31")[1]["results"] == []


def test_without_a_store_nothing_is_kept():
    assert get_json("kept", query=(("position", START),))[1]["depths"] == []


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ({}, (422, "bad_value", "position")),
        ({"position": "x"}, (422, "bad_value", "position")),
        ({"position": "AAAAhgAAAAAAAA"}, (422, "bad_value", "position")),
        ({"position": START, "dice": "3"}, (422, "bad_value", "dice")),
        ({"position": START, "dice": "37"}, (422, "bad_value", "dice")),
        ({"position": START, "dice": "\u0663\u0661"}, (422, "bad_value", "dice")),
        ({"position": START, "plies": "2"}, (422, "bad_value", "plies")),
        ({"position": START, "cubeful": "maybe"}, (422, "bad_value", "cubeful")),
        ({"position": START, "net": "none"}, (422, "bad_value", "net")),
        ({"position": START, "variant": "chess"}, (422, "unsupported", "variant")),
        ({"position": START, "variant": "barca"}, (422, "bad_value", "variant")),
        ({"position": START, "file": "/etc/passwd"}, (422, "bad_value", "file")),
    ],
)
def test_a_request_that_is_wrong_is_told_what(query, error):
    assert get_error("kept", query=tuple(query.items())) == error
