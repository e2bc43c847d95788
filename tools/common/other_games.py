"""Positions of games other than backgammon: what tools ask about them is asked of a session of the game."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_query import GameQueries, answer_query
from gammond.protocol.games import find_entry
from gammond.protocol.state.session import Session
from gammond.tools.common.command_options import list_given, spell_option

QUERY_ID = "gammond"
"""The id of queries of tools."""

_FIELDS = {"plies": "depth", "weights": "weights"}
"""Options of other games, and the fields of queries that they are."""


def refuse_options(options: Struct, game: str, names: Collection[str]) -> None:
    """Check that none of the options of backgammon is given, and that the game has what others ask.

    Args:
        options: Of a command.
        game: Which is asked about.
        names: The options of backgammon.

    Raises:
        UnsupportedError: One is given, or the game has none of its kind.
    """
    for name in list_given(options):
        if name in names:
            raise UnsupportedError(
                f"{spell_option(name)} is for backgammon: remove it, or --variant {game}", field=name
            )
    fields = load_queries(game).fields
    for name, field in _FIELDS.items():
        if getattr(options, name, None) is not None and field not in fields:
            raise UnsupportedError(f"{spell_option(name)} is not for {game}: remove it", field=name)


def make_query(variant: str, position: str, asked: Mapping[str, object]) -> dict[str, object]:
    """Return a query about a position, with what its game knows of the fields that a tool asks.

    Args:
        variant: The game.
        position: The position.
        asked: The fields, ``want`` among them; None for a value that was not given.

    Raises:
        UnsupportedError: The game has no part of what is wanted.
    """
    queries, wants = load_queries(variant), cast("Sequence[str]", asked["want"])
    known = {name: value for name, value in asked.items() if value is not None and name in queries.fields}
    known["want"] = [want for want in wants if want in queries.wants]
    if not known["want"]:
        raise UnsupportedError(f"{variant} has no answer to {' or '.join(wants)}", field="want")
    return {"variant": variant, "position": position, **known}


def load_queries(variant: str) -> GameQueries:
    """Return the part of a game that answers queries."""
    queries: GameQueries = find_entry(variant).load_queries()
    return queries


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
