"""Positions of games other than backgammon: what tools ask about them is asked of a session of the game."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_query import answer_query
from gammond.protocol.state.session import Session
from gammond.tools.common.command_options import list_given, spell_option

QUERY_ID = "gammond"
"""The id of queries of tools."""


def refuse_options(options: Struct, game: str, names: Collection[str]) -> None:
    """Check that none of the options of backgammon is given.

    Args:
        options: Of a command.
        game: Which is asked about.
        names: The options of backgammon.

    Raises:
        UnsupportedError: One is given.
    """
    for name in list_given(options):
        if name in names:
            raise UnsupportedError(
                f"{spell_option(name)} is for backgammon: remove it, or --variant {game}", field=name
            )


def run_query(session: Session, control: WorkControl, fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the object with which the wire answers a JSON query.

    Args:
        session: The client.
        control: Stops and watches work.
        fields: Of the query, without its id.

    Raises:
        GammondError: The query is refused.
    """
    answer = answer_query(session, json.dumps({"id": QUERY_ID, **fields}))
    replies = answer.run(control) if isinstance(answer, Work) else answer
    assert isinstance(replies, Sequence)
    reply = replies[-1]
    assert isinstance(reply, JsonReply)
    refusal = reply.document.get("error")
    if isinstance(refusal, dict):
        raise FormatError(str(refusal["message"]), field=str(refusal["field"]))
    return dict(reply.document)
