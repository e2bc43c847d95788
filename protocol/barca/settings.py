"""The settings of Barca."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.barca.evaluation import DEFAULT_WEIGHTS, WEIGHTS, WEIGHTS_FORM, load_weights
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
    check: Callable[[Session, str], str] | None = None,
    is_unrated: bool = False,
) -> Setting:
    """Return the setting of an attribute of the settings of Barca.

    Args:
        attribute: The attribute.
        field: Its value.
        check: Checks a text, and returns what is set.
        is_unrated: As in `Setting`.
    """

    def put(session: Session, value: Any) -> None:  # noqa: ANN401  (a value of the attribute's type)
        value = value if check is None else check(session, value)
        table = session.get_table(BarcaTable)
        table.settings = replace(table.settings, **{attribute: value})

    def read(session: Session) -> object:
        return getattr(session.get_table(BarcaTable).settings, attribute)

    return Setting(field, read, put, is_unrated=is_unrated)


def _write_out_run(session: Session, text: str) -> str:
    """Return a text with the numbers of a run's weights in place of the run.

    Raises:
        GammondError: The client may not name it, or it has no weights of Barca.
    """
    run, file_players = _RUN.search(text), session.service.catalogue.file_players
    if run is None or not file_players.claims(run[0]):
        return text
    file_players.check_name(run[0], "value")
    return text[: run.start()] + file_players.read_weights(run[0]) + text[run.end() :]


def find_player(session: Session, text: str) -> str:
    """Return the name of a player that a client may name, with its options if it has any.

    Raises:
        GammondError: There is no such player.
    """
    text = _write_out_run(session, text)
    if text not in (ENGINE_PLAYER, HUMAN_PLAYER):
        if (kind := text.partition(":")[0]) not in PLAYER_KINDS:
            expected = "|".join(each.name for each in PLAYERS)
            raise ValueRangeError(
                f"expected one of {expected}, got {kind[:MAX_QUOTED_CHARS]!r}", field="value"
            )
        make_player(text)
    return text


def _check_weights(session: Session, text: str) -> str:
    text = _write_out_run(session, text)
    load_weights(text)
    return text


_RUN = re.compile(r"(?<![^=])run:[^,]+")
"""The weights of a run: the whole text, or the value of an option."""

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
        check=find_player,
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
    _make_setting(
        "weights",
        Field(
            "engine.weights",
            str,
            choices=WEIGHTS,
            form=WEIGHTS_FORM,
            default=DEFAULT_WEIGHTS,
            meaning="the board evaluation vector: weights by hand, learned in games against itself, or "
            "twelve numbers",
        ),
        check=_check_weights,
    ),
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
