"""The players of one process by name: who chooses plays in place of a session's own evaluator."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from engine.analyst import Analyst
from engine.players import Player
from nets.options import read_options
from nets.player_kinds import PlayerKind, find_kind, kind_names, unknown_player
from nets.player_specs import parse_player, player_of

OWN = "net"
"""What stands for the session's own evaluator, at its level."""

HUMAN = "human"
"""What stands for people: they decide through the session, and nobody decides for them."""

AT_THE_TABLE = {
    OWN: "the evaluator of engine.net, at the session's level",
    HUMAN: "people at the table: their client decides",
}
"""Players that only a session has, with what they are."""

MAX_KEPT = 16
"""Players kept for all clients together; the one that was not asked for the longest goes first."""


class Players:
    """Players by name. Evaluators are played by the analysts that there are; others are made and kept.

    Args:
        evaluators: Lists the names of the evaluators.
        find_analyst: Fetches the analyst of a name and a number of threads; may block.
    """

    def __init__(
        self, evaluators: Callable[[], Sequence[str]], find_analyst: Callable[[str, int], Analyst]
    ) -> None:
        self._evaluators = evaluators
        self._find_analyst = find_analyst
        self._kept: OrderedDict[tuple[str, object], Player] = OrderedDict()
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """List all players.

        Raises:
            DataFileError: What the evaluators are cannot be said.
        """
        return list(dict.fromkeys([*AT_THE_TABLE, *self._evaluators(), *kind_names()]))

    def check(self, text: str) -> str:
        """Return a player's name and options that `find` can do with.

        Args:
            text: ``net``, ``human``, or as `nets.loading.load_player` takes it, without files and folders.

        Raises:
            ValueRangeError: No player has this name, or an option is out of range.
            FormatError: An option cannot be read.
        """
        name, colon, rest = text.partition(":")
        if name in AT_THE_TABLE:
            if colon:
                read_options(rest, (), name)
            return name
        kind = self._kind(text)
        if kind is None:
            parse_player(text)
        else:
            kind.read(text)
        return text

    def looks_ahead(self, text: str) -> bool:
        """Say whether a player takes its time over a play.

        Args:
            text: What `check` lets through, but for `AT_THE_TABLE`.
        """
        kind = self._kind(text)
        return parse_player(text).depth.plies > 0 if kind is None else kind.is_deep(kind.read(text))

    def find(self, text: str, threads: int = 1) -> Player:
        """Return a player; makes it unless it is kept. May block.

        Args:
            text: As for `looks_ahead`.
            threads: How many threads look ahead.

        Raises:
            DataFileError: A file of it is missing or damaged.
        """
        kind = self._kind(text)
        if kind is not None:
            return self._made(kind, kind.read(text))

        def analyst(name: str) -> Analyst:
            return self._find_analyst(name, threads)

        return player_of(text, lambda name: analyst(name).evaluator, analyst)

    def _kind(self, text: str) -> PlayerKind[Any] | None:
        """Find the kind of a player; None for an evaluator.

        Raises:
            ValueRangeError: No player has this name.
        """
        name = text.partition(":")[0]
        if name in self._evaluators():
            return None
        kind = find_kind(name)
        if kind is None:
            raise unknown_player(name, self.names())
        return kind

    def _made(self, kind: PlayerKind[Any], options: object) -> Player:
        from nets.manifest import MANIFEST_FILE

        with self._lock:
            key = (kind.name, options)
            if key not in self._kept:
                self._kept[key] = kind.make(options, MANIFEST_FILE)
            self._kept.move_to_end(key)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]
