"""The players of one process by name: those that may play in place of a session's own evaluator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache

from engine.analysis.engine import Engine
from engine.options import parse_options
from engine.play.player import Player
from nets.player_kinds import list_kind_names
from nets.player_specs import KindSpec, PlayerSpec, parse_player

ENGINE_PLAYER = "net"
"""The name of the session's own evaluator, at its level."""

HUMAN_PLAYER = "human"
"""The name of people, who decide through the session."""

SESSION_PLAYERS = {
    ENGINE_PLAYER: "the evaluator of engine.net, at the session's level",
    HUMAN_PLAYER: "people at the table: their client decides",
}
"""Players that only a session has, with their summaries."""

MAX_CACHED_PLAYERS = 16
"""Players kept for all clients together; the least recently used one goes first."""


class PlayerRegistry:
    """Players by name. Evaluators play with the engines of the service; other players are made and kept.

    Args:
        list_evaluators: Lists the names of the evaluators.
        get_engine: Returns the engine of a name and a number of threads; may block.
        check_fault: As in `protocol.state.service.EngineCatalogue`.
    """

    def __init__(
        self,
        list_evaluators: Callable[[], Sequence[str]],
        get_engine: Callable[[str, int], Engine],
        check_fault: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._list_evaluators = list_evaluators
        self._check_fault = check_fault
        self._get_engine = get_engine
        self._make_player = lru_cache(MAX_CACHED_PLAYERS)(_make_player)
        self._lock = threading.Lock()

    def list_names(self) -> list[str]:
        """List all players.

        Raises:
            DataFileError: The evaluators cannot be listed.
        """
        return list(dict.fromkeys([*SESSION_PLAYERS, *self._list_evaluators(), *list_kind_names()]))

    def check_player(self, text: str) -> str:
        """Return a player's name and options, which `find` then takes.

        Args:
            text: ``net``, ``human``, or as `nets.catalogue.load_player` takes it, without files and folders.

        Raises:
            ValueRangeError: No player has this name, or an option is out of range.
            FormatError: An option cannot be read.
            DataFileError: It is an evaluator that cannot be used.
        """
        name, colon, rest = text.partition(":")
        if name in SESSION_PLAYERS:
            if colon:
                parse_options(rest, (), name, error_field="player")
            return name
        self._parse(text)
        return text

    def uses_look_ahead(self, text: str) -> bool:
        """Return whether a player takes its time over a play.

        Args:
            text: What `check_player` returns, other than `SESSION_PLAYERS`.
        """
        return self._parse(text).is_deep

    def find(self, text: str, threads: int = 1) -> Player:
        """Return a player, made at the first call; may block.

        Args:
            text: As for `uses_look_ahead`.
            threads: How many threads search.

        Raises:
            DataFileError: A file of the player is missing or damaged.
        """
        spec = self._parse(text)
        if isinstance(spec, KindSpec):
            with self._lock:
                return self._make_player(spec)

        def get_engine(name: str) -> Engine:
            return self._get_engine(name, threads)

        return spec.make(lambda name: get_engine(name).evaluator, get_engine)

    def _parse(self, text: str) -> PlayerSpec:
        known, name = self._list_evaluators(), text.partition(":")[0]
        if name not in known:
            self._check_fault(name)
        return parse_player(text, known, SESSION_PLAYERS)


def _make_player(spec: KindSpec) -> Player:
    from nets.manifest import MANIFEST_FILE

    return spec.kind.make(spec.options, MANIFEST_FILE)
