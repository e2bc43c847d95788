"""The row of Barca in the table of games."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, get_args

from gammond.protocol.game_entry import GameEntry

if TYPE_CHECKING:
    from gammond.protocol.barca.table_view import BarcaView
    from gammond.protocol.barca.talk import BarcaTalk
    from gammond.protocol.commands.session_game import SessionGame
    from gammond.protocol.dialects.json_query import GameQueries
    from gammond.protocol.game_entry import GameStore


@cache
def _load_commands() -> SessionGame:
    from gammond.protocol.barca.commands import BARCA

    return BARCA


@cache
def _load_queries() -> GameQueries:
    from gammond.protocol.barca.queries import QUERIES, Want, answer_query
    from gammond.protocol.dialects.json_query import GameQueries

    return GameQueries(answer_query, QUERIES.names, get_args(Want))


@cache
def _load_talk() -> type[BarcaTalk]:
    from gammond.protocol.barca.talk import BarcaTalk

    return BarcaTalk


@cache
def _load_view() -> type[BarcaView]:
    from gammond.protocol.barca.table_view import BarcaView

    return BarcaView


@cache
def _load_store() -> GameStore:
    from gammond.protocol.barca.kept_searches import STORE

    return STORE


ENTRY = GameEntry("barca", ("barca",), _load_commands, _load_queries, _load_talk, _load_view, _load_store)
