"""The row of Barca in the table of games."""

from __future__ import annotations

from typing import get_args

from gammond.protocol.game_entry import GameEntry


def _load_commands() -> object:
    from gammond.protocol.barca.commands import BARCA

    return BARCA


def _load_queries() -> object:
    from gammond.protocol.barca.queries import QUERIES, Want, answer_query
    from gammond.protocol.dialects.json_query import GameQueries

    return GameQueries(answer_query, QUERIES.names, get_args(Want))


def _load_talk() -> object:
    from gammond.protocol.barca.talk import BarcaTalk

    return BarcaTalk


def _load_view() -> object:
    from gammond.protocol.barca.table_view import BarcaView

    return BarcaView


def _load_store() -> object:
    from gammond.protocol.barca.kept_searches import STORE

    return STORE


ENTRY = GameEntry("barca", ("barca",), _load_commands, _load_queries, _load_talk, _load_view, _load_store)
