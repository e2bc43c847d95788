"""The players of one process by name: who chooses plays in place of a session's own evaluator."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from engine.analysis.engine import Engine
from engine.options import parse_options
from engine.play.player import Player
from nets.player_kinds import PlayerKind, find_kind, list_kind_names, make_unknown_player_error
from nets.player_specs import make_player, parse_player_spec

ENGINE_PLAYER = "net"
"""What stands for the session's own evaluator, at its level."""

HUMAN_PLAYER = "human"
"""What stands for people: they decide through the session, and nobody decides for them."""

SESSION_PLAYERS = {
    ENGINE_PLAYER: "the evaluator of engine.net, at the session's level",
    HUMAN_PLAYER: "people at the table: their client decides",
}
"""Players that only a session has, with what they are."""

MAX_CACHED_PLAYERS = 16
"""Players kept for all clients together; the one that was not asked for the longest goes first."""


class PlayerRegistry:
    """Players by name. Evaluators are played by the analysts that there are; others are made and kept.

    Args:
        list_evaluators: Lists the names of the evaluators.
        get_engine: Fetches the analyst of a name and a number of threads; may block.
    """

    def __init__(
        self, list_evaluators: Callable[[], Sequence[str]], get_engine: Callable[[str, int], Engine]
    ) -> None:
        self._list_evaluators = list_evaluators
        self._get_engine = get_engine
        self._cache: OrderedDict[tuple[str, object], Player] = OrderedDict()
        self._lock = threading.Lock()

    def list_names(self) -> list[str]:
        """List all players.

        Raises:
            DataFileError: What the evaluators are cannot be said.
        """
        return list(dict.fromkeys([*SESSION_PLAYERS, *self._list_evaluators(), *list_kind_names()]))

    def check_player(self, text: str) -> str:
        """Return a player's name and options that `find` can do with.

        Args:
            text: ``net``, ``human``, or as `nets.catalogue.load_player` takes it, without files and folders.

        Raises:
            ValueRangeError: No player has this name, or an option is out of range.
            FormatError: An option cannot be read.
        """
        name, colon, rest = text.partition(":")
        if name in SESSION_PLAYERS:
            if colon:
                parse_options(rest, (), name, error_field="player")
            return name
        kind = self._find_kind(text)
        if kind is None:
            parse_player_spec(text)
        else:
            kind.parse_options(text)
        return text

    def uses_look_ahead(self, text: str) -> bool:
        """Say whether a player takes its time over a play.

        Args:
            text: What `check` lets through, but for `SESSION_PLAYERS`.
        """
        kind = self._find_kind(text)
        return (
            parse_player_spec(text).settings.plies > 0
            if kind is None
            else kind.is_deep(kind.parse_options(text))
        )

    def find(self, text: str, threads: int = 1) -> Player:
        """Return a player; makes it unless it is kept. May block.

        Args:
            text: As for `uses_look_ahead`.
            threads: How many threads look ahead.

        Raises:
            DataFileError: A file of it is missing or damaged.
        """
        kind = self._find_kind(text)
        if kind is not None:
            return self._make_or_reuse(kind, kind.parse_options(text))

        def analyst(name: str) -> Engine:
            return self._get_engine(name, threads)

        return make_player(text, lambda name: analyst(name).evaluator, analyst)

    def _find_kind(self, text: str) -> PlayerKind[Any] | None:
        """Find the kind of a player; None for an evaluator.

        Raises:
            ValueRangeError: No player has this name.
        """
        name = text.partition(":")[0]
        if name in self._list_evaluators():
            return None
        kind = find_kind(name)
        if kind is None:
            raise make_unknown_player_error(name, self.list_names())
        return kind

    def _make_or_reuse(self, kind: PlayerKind[Any], options: object) -> Player:
        from nets.manifest import MANIFEST_FILE

        with self._lock:
            key = (kind.name, options)
            if key not in self._cache:
                self._cache[key] = kind.make(options, MANIFEST_FILE)
            self._cache.move_to_end(key)
            if len(self._cache) > MAX_CACHED_PLAYERS:
                self._cache.popitem(last=False)
            return self._cache[key]
