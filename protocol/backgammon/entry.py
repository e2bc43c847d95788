"""The row of backgammon in the table of games."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, get_args

from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.game_entry import GameEntry

if TYPE_CHECKING:
    from gammond.protocol.backgammon.table_view import BackgammonView
    from gammond.protocol.commands.session_game import SessionGame
    from gammond.protocol.dialects.json_query import GameQueries
    from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk


@cache
def _load_commands() -> SessionGame:
    from gammond.protocol.commands.table import BACKGAMMON

    return BACKGAMMON


@cache
def _load_queries() -> GameQueries:
    from gammond.protocol.dialects.json_backgammon import answer_positions
    from gammond.protocol.dialects.json_fields import QUERIES, Want
    from gammond.protocol.dialects.json_query import GameQueries

    return GameQueries(answer_positions, QUERIES.names, get_args(Want))


@cache
def _load_talk() -> type[BackgammonTalk]:
    from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk

    return BackgammonTalk


@cache
def _load_view() -> type[BackgammonView]:
    from gammond.protocol.backgammon.table_view import BackgammonView

    return BackgammonView


ENTRY = GameEntry("backgammon", VARIANTS, _load_commands, _load_queries, _load_talk, _load_view)
