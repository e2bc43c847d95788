"""Commands about the talk itself."""

from __future__ import annotations

import pytest

from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.session import Session
from tests.protocol.talking import make_service, talk


def test_stats_count_this_client_and_all_those_before_it():
    service = make_service()
    talk("nonsense\nubgi", connect(Session(service, 1)))
    said = talk('{"id":1}\nstats', connect(Session(service, 1)))[-1]
    assert said.endswith("requests=2 errors=1 all_requests=4 all_errors=2")


@pytest.mark.parametrize("word", ["jacoby", "Jacoby", "game.jacobi", "engine.jacoby"])
def test_a_key_by_its_last_word_is_told_its_whole_name(word):
    (answer,) = talk(f"set {word} on")
    assert (
        answer == f"error unsupported key: no key {word!r} (did you mean 'game.jacoby'?): 'keys' lists them"
    )
    assert talk("get raccoons") == ["error unsupported key: no key 'raccoons': 'keys' lists them"]
