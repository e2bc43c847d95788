"""The settings of Barca."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.barca.evaluation import DEFAULT_WEIGHTS, WEIGHTS, load_weights
from engine.barca.levels import DEFAULT_LEVEL, LEVELS
from engine.barca.player import PLAYER_KINDS, make_player
from engine.errors import ValueRangeError
from engine.options import MAX_QUOTED_CHARS, Bounds, Field
from engine.rules.dice import MAX_SEED
from protocol.barca.table import ENGINE_PLAYER, HUMAN_PLAYER, BarcaTable
from protocol.commands.session_game import ListedPlayer
from protocol.state.session import Session
from protocol.state.settings import FORMAT_SETTING, STORE_SETTING, Setting, make_variant_setting

VARIANT = "barca"

PLAYERS = (
    ListedPlayer(ENGINE_PLAYER, "the engine at the session's level; only in sessions"),
    ListedPlayer(HUMAN_PLAYER, "people at the table: their client decides; only in sessions"),
    *(ListedPlayer(kind.name, kind.summary, kind.fields) for kind in PLAYER_KINDS.values()),
)
"""The values of ``engine.player``."""


def _make_setting(
    attribute: str,
    field: Field,
    *,
    parse: Callable[[str], Any] | None = None,
    is_unrated: bool = False,
) -> Setting:
    """Return the setting of an attribute of the settings of Barca."""

    def put(session: Session, value: Any) -> None:  # noqa: ANN401  (a value of the attribute's type)
        table = session.get_table(BarcaTable)
        table.settings = replace(table.settings, **{attribute: value})

    def read(session: Session) -> object:
        return getattr(session.get_table(BarcaTable).settings, attribute)

    return Setting(field, read, put, parse, is_unrated=is_unrated)


def parse_player(text: str) -> str:
    """Return the name of a player, with its options if it has any.

    Raises:
        GammondError: There is no such player.
    """
    if text not in (ENGINE_PLAYER, HUMAN_PLAYER):
        if (kind := text.partition(":")[0]) not in PLAYER_KINDS:
            expected = "|".join(each.name for each in PLAYERS)
            raise ValueRangeError(
                f"expected one of {expected}, got {kind[:MAX_QUOTED_CHARS]!r}", field="value"
            )
        make_player(text)
    return text


def _parse_weights(text: str) -> str:
    name: str = _WEIGHTS.parse(text)
    load_weights(name)
    return name


_WEIGHTS = Field(
    "engine.weights",
    str,
    choices=WEIGHTS,
    default=DEFAULT_WEIGHTS,
    meaning="the board evaluation vector: weights by hand, or learned in games against itself",
)

_SETTINGS = (
    make_variant_setting(lambda session: VARIANT),
    _make_setting(
        "player",
        Field(
            "engine.player",
            str,
            default=ENGINE_PLAYER,
            meaning="who chooses the moves of 'go': engine, at its level; human; or a player such as random "
            "or search:depth=4",
        ),
        parse=parse_player,
    ),
    _make_setting(
        "level",
        Field(
            "engine.level",
            str,
            choices=tuple(LEVELS),
            default=DEFAULT_LEVEL,
            meaning="strength of play: the depth of 'go', and among how many of the best moves it chooses",
        ),
    ),
    _make_setting("weights", _WEIGHTS, parse=_parse_weights),
    _make_setting(
        "seed",
        Field(
            "engine.seed",
            int,
            Bounds(0, MAX_SEED),
            meaning="seed of the choice among the best moves",
        ),
        is_unrated=True,
    ),
    FORMAT_SETTING,
    STORE_SETTING,
)

BARCA_SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _SETTINGS}
"""The table: name to row, in the order of ``keys``."""
