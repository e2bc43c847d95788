"""Positions of games other than backgammon: what tools ask about them is asked of a session of the game."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_query import answer_query
from gammond.protocol.state.session import Session

QUERY_ID = "gammond"
"""The id of queries of tools."""


def refuse_options(args: argparse.Namespace, usual: Mapping[str, object]) -> None:
    """Check that options of backgammon have their usual values.

    Args:
        args: The arguments.
        usual: Option -> its value where it is not given.

    Raises:
        UnsupportedError: One has another.
    """
    for name, value in usual.items():
        if getattr(args, name, value) != value:
            option = f"--{name.replace('_', '-')}"
            raise UnsupportedError(
                f"{option} is for backgammon: remove it, or --variant {args.variant}", field=name
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
