from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError
from gammond.protocol.transports.web.guard import ForeignPages
from gammond.protocol.web.endpoints import ENDPOINTS
from gammond.protocol.web.plans import API
from tests.protocol.transports.web.serving import request, running

FOREIGN = "https://board.example"
PATH = f"{API}/getmoves"
LAYOUT = {"6": 5, "8": 3, "13": 5, "24": 2}
QUESTION = {"board": {"x": LAYOUT, "o": LAYOUT}, "dice": [3, 1], "player": "x", "score-moves": False}


async def ask(method, path, document=None, *, origins=(FOREIGN,), **headers):
    """Ask a server that lets pages of some origins use it."""
    async with running(origins=origins) as server:
        return await request(server, method, path, document, headers=headers)


async def test_a_page_whose_origin_is_given_may_ask_for_plays():
    answer = await ask("POST", PATH, QUESTION, origin=FOREIGN)
    assert answer.status == 200
    assert len(answer.document) == 16
    assert answer.headers["access-control-allow-origin"] == FOREIGN
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["vary"] == "Origin"


async def test_a_browser_that_asks_first_is_told_what_the_page_may_send():
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    answer = await ask("OPTIONS", PATH, origin=FOREIGN, **asked)
    assert answer.status == 204
    assert answer.headers["access-control-allow-origin"] == FOREIGN
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-allow-headers"] == "content-type"
    assert "access-control-allow-credentials" not in answer.headers


async def test_no_page_is_let_in_that_the_server_is_not_told_of():
    for origins, origin in (((), FOREIGN), ((FOREIGN,), "https://evil.example"), ((FOREIGN,), "null")):
        answer = await ask("POST", PATH, QUESTION, origins=origins, origin=origin)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
        preflight = await ask(
            "OPTIONS", PATH, origins=origins, origin=origin, **{"access-control-request-method": "POST"}
        )
        assert "access-control-allow-origin" not in preflight.headers


async def test_a_page_that_is_let_in_can_use_no_other_path():
    posted = [each for each in ENDPOINTS if each.method == "POST"]
    questions = [each.path for each in posted if each.operation.tag == "positions" or each.path == PATH]
    assert [each.path for each in ENDPOINTS if each.allows_pages] == questions
    for path in (f"{API}/convert", f"{API}/analyse", f"{API}/logout", f"{PATH}/"):
        answer = await ask("POST", path, {}, origin=FOREIGN)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
    answer = await ask("GET", f"{API}/kept?position=startpos", origin=FOREIGN)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "text", ["*", "null", "board.example", "https://board.example/", "ftp://a", "https://"]
)
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(FormatError, match="expected an origin"):
        ForeignPages([text])
