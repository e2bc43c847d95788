"""The players of one process by name: those that may play in place of a session's own evaluator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.analysis.engine import Engine
from engine.errors import UnsupportedError, ValueRangeError
from engine.options import MAX_QUOTED_CHARS, parse_options
from engine.play.player import Player
from engine.store.opening import StoreOpener
from nets.player_kinds import list_kind_names
from nets.player_specs import (
    FILE_WORDS,
    EvaluatorSpec,
    KindSpec,
    PlayerSpec,
    parse_player,
    split_file_options,
)

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


def _load_no_player(name: str) -> Player:
    raise UnsupportedError(f"nothing here plays {name[:MAX_QUOTED_CHARS]!r}", field="player")


def _load_no_engine(name: str, open_store: StoreOpener | None = None) -> Engine:
    raise UnsupportedError(f"nothing here evaluates as {name[:MAX_QUOTED_CHARS]!r}", field="engine.net")


@dataclass(frozen=True)
class FilePlayers:
    """Players that name files of this machine or other programs, such as ``run:FOLDER``.

    A client must not make a server read any file, so it may name only what whoever runs the server offers.
    Where the client is who runs it, it may name all of some words.

    Attributes:
        free: Those of `nets.player_specs.FILE_WORDS` of which clients may name any player.
        offered: Names, without options, that clients may name besides.
        load_player: Makes a player, given its name with options; may take seconds. Raises GammondError.
        load_engine: Likewise the engine of one that gives values of positions.
        read_weights: Reads the weights of a run of Barca, as its settings take them.
        check: Refuses a name of which no player can be made, as far as a look at the file's name tells.
    """

    free: frozenset[str] = frozenset()
    offered: tuple[str, ...] = ()
    load_player: Callable[[str], Player] = _load_no_player
    load_engine: Callable[[str, StoreOpener | None], Engine] = _load_no_engine
    read_weights: Callable[[str], str] = lambda name: name
    check: Callable[[str], None] = lambda name: None

    def claims(self, name: str) -> bool:
        """Return whether a name is that of such a player, which may be named here or not."""
        return name.partition(":")[0] in FILE_WORDS

    def check_name(self, name: str, field: str) -> None:
        """Refuse a player that may not be named here.

        Args:
            name: One that `claims` is true of, with or without options.
            field: The field of the error.

        Raises:
            ValueRangeError: Neither is it offered, nor may all of its word be named.
            GammondError: It cannot be made.
        """
        word = name.partition(":")[0]
        if word not in self.free and split_file_options(name)[0] not in self.offered:
            offered = f" ({', '.join(self.offered)})" if self.offered else ""
            raise ValueRangeError(
                f"expected a player that this server offers{offered}, got {name[:MAX_QUOTED_CHARS]!r}: "
                f"{word} names files of its machine, which 'gammond serve --offer' lets clients use",
                field=field,
            )
        self.check(name)


NO_FILE_PLAYERS = FilePlayers()
"""Where none can be named."""


class PlayerRegistry:
    """Players by name. Evaluators play with the engines of the service; other players are made and kept.

    Args:
        list_evaluators: Lists the names of the evaluators.
        get_engine: Returns the engine of a name and a number of threads; may block.
        check_fault: As in `protocol.state.service.EngineCatalogue`.
        file_players: Players that name files.
    """

    def __init__(
        self,
        list_evaluators: Callable[[], Sequence[str]],
        get_engine: Callable[[str, int], Engine],
        check_fault: Callable[[str], None] = lambda name: None,
        file_players: FilePlayers = NO_FILE_PLAYERS,
    ) -> None:
        self._list_evaluators = list_evaluators
        self._check_fault = check_fault
        self._get_engine = get_engine
        self._file_players = file_players
        self._make_player = lru_cache(MAX_CACHED_PLAYERS)(self._make_kept)
        self._lock = threading.Lock()

    def list_names(self) -> list[str]:
        """List all players.

        Raises:
            DataFileError: The evaluators cannot be listed.
        """
        from nets.own_nets import load_own_kinds

        own = [kind.name for kind in load_own_kinds()]
        known = [*SESSION_PLAYERS, *self._list_evaluators(), *list_kind_names()]
        return list(dict.fromkeys([*known, *own, *self._file_players.offered]))

    def check_player(self, text: str) -> str:
        """Return a player's name and options, which `find` then takes.

        Args:
            text: ``net``, ``human``, or as `nets.catalogue.load_player` takes it; of those that name files
                what `FilePlayers` lets through.

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
        if self._file_players.claims(text):
            self._file_players.check_name(text, "player")
        else:
            self._parse(text)
        return text

    def uses_look_ahead(self, text: str) -> bool:
        """Return whether a player takes its time over a play, or may: what files hold is not known yet.

        Args:
            text: What `check_player` returns, other than `SESSION_PLAYERS`.
        """
        return self._file_players.claims(text) or self._parse(text).is_deep

    def find(self, text: str, threads: int = 1) -> Player:
        """Return a player, made at the first call; may block.

        Args:
            text: As for `uses_look_ahead`.
            threads: How many threads search.

        Raises:
            DataFileError: A file of the player is missing or damaged.
        """
        spec = text if self._file_players.claims(text) else self._parse(text)
        if not isinstance(spec, EvaluatorSpec):
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

    def _make_kept(self, spec: KindSpec | str) -> Player:
        """Make a player of a kind, or one that names files."""
        from nets.manifest import MANIFEST_FILE

        if isinstance(spec, str):
            return self._file_players.load_player(spec)
        return spec.kind.make(spec.options, MANIFEST_FILE)
