"""The settings of Barca."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from gammond.engine.barca.evaluation import DEFAULT_WEIGHTS, WEIGHTS, WEIGHTS_FORM, load_weights
from gammond.engine.barca.player import DEFAULT_LEVEL, LEVELS, PLAYER_KINDS, make_player
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, Bounds, Field
from gammond.engine.rules.dice import MAX_SEED
from gammond.protocol.commands.session_game import ListedPlayer
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session, SettingField, SettingFields

VARIANT = "barca"

ENGINE_PLAYER = "engine"
"""The name of the engine at the session's level."""

HUMAN_PLAYER = "human"
"""The name of people, who decide through the session."""

_RUN = re.compile(r"(?<![^=])run:[^,]+")
"""The weights of a run: the whole text, or the value of an option."""

PLAYERS = (
    ListedPlayer(ENGINE_PLAYER, "the engine at the session's level; only in sessions"),
    ListedPlayer(HUMAN_PLAYER, "people at the table: their client decides; only in sessions"),
    *(ListedPlayer(kind.name, kind.summary, kind.fields) for kind in PLAYER_KINDS.values()),
)
"""The values of ``engine.player``."""


def _write_out_run(service: Service, text: str) -> str:
    """Return a text with the numbers of a run's weights in place of the run.

    Raises:
        GammondError: The client may not name it, or it has no weights of Barca.
    """
    run, file_players = _RUN.search(text), service.catalogue.file_players
    if run is None or not file_players.claims(run[0]):
        return text
    file_players.check_name(run[0], "value")
    return text[: run.start()] + file_players.read_weights(run[0]) + text[run.end() :]


def find_player(service: Service, text: str) -> str:
    """Return the name of a player that a client may name, with its options if it has any.

    Raises:
        GammondError: There is no such player.
    """
    text = _write_out_run(service, text)
    if text not in (ENGINE_PLAYER, HUMAN_PLAYER):
        if (kind := text.partition(":")[0]) not in PLAYER_KINDS:
            expected = "|".join(each.name for each in PLAYERS)
            raise ValueRangeError(
                f"expected one of {expected}, got {kind[:MAX_QUOTED_CHARS]!r}", field="value"
            )
        make_player(text)
    return text


def _check_weights(service: Service, text: str) -> str:
    text = _write_out_run(service, text)
    load_weights(text)
    return text


@dataclass(frozen=True, kw_only=True)
class BarcaSettings(SettingFields):
    """How a client wants its answers."""

    player: str = SettingField(
        Field(
            "engine.player",
            str,
            default=ENGINE_PLAYER,
            meaning="who chooses the moves of 'go': engine, at its level; human; or a player such as random "
            "or search:depth=4",
        ),
        check=find_player,
    ).attribute
    level: str = SettingField(
        Field(
            "engine.level",
            str,
            choices=tuple(LEVELS),
            default=DEFAULT_LEVEL,
            meaning="strength of play: the depth of 'go', and among how many of the best moves it chooses",
        )
    ).attribute
    weights: str = SettingField(
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
    ).attribute
    seed: int = SettingField(
        Field("engine.seed", int, Bounds(0, MAX_SEED), meaning="seed of the choice among the best moves"),
        is_unrated=True,
    ).attribute

    @classmethod
    def start(cls, session: Session) -> Self:
        """Return those with which a session begins."""
        return cls(seed=session.initial_seed)
