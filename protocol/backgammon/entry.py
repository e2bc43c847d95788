"""The row of backgammon in the table of games."""

from __future__ import annotations

from typing import get_args

from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.game_entry import GameEntry


def _load_commands() -> object:
    from gammond.protocol.commands.table import BACKGAMMON

    return BACKGAMMON


def _load_queries() -> object:
    from gammond.protocol.dialects.json_backgammon import answer_positions
    from gammond.protocol.dialects.json_fields import QUERIES, Want
    from gammond.protocol.dialects.json_query import GameQueries

    return GameQueries(answer_positions, QUERIES.names, get_args(Want))


def _load_talk() -> object:
    from gammond.protocol.repl.dialogue.backgammon import BackgammonTalk

    return BackgammonTalk


def _load_view() -> object:
    from gammond.protocol.backgammon.table_view import BackgammonView

    return BackgammonView


ENTRY = GameEntry("backgammon", VARIANTS, _load_commands, _load_queries, _load_talk, _load_view)
