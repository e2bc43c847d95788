"""The players of one process by name: those that may play in place of a session's own evaluator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, parse_options
from gammond.engine.play.player import Player
from gammond.nets.catalogue import SHIPPED, Catalogue
from gammond.nets.player_specs import FILE_WORDS, EvaluatorSpec, KindSpec, PlayerSpec, split_file_options

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


@dataclass(frozen=True)
class FilePlayers:
    """Players that name files of this machine or other programs, such as ``run:FOLDER``.

    A client must not make a server read any file, so it may name only what whoever runs the server offers.
    Where the client is who runs it, it may name all of some words.

    Attributes:
        free: Those of `gammond.nets.player_specs.FILE_WORDS` of which clients may name any player.
        offered: Names, without options, that clients may name besides.
        catalogue: Has them, beside all other players.
        read_weights: Reads the weights of a run of Barca, as its settings take them.
    """

    free: frozenset[str] = frozenset()
    offered: tuple[str, ...] = ()
    catalogue: Catalogue = SHIPPED
    read_weights: Callable[[str], str] = lambda name: name

    def claims(self, name: str) -> bool:
        """Return whether a name is that of such a player, which may be named here or not."""
        return name.partition(":")[0] in FILE_WORDS

    def check_name(self, name: str, field: str) -> None:
        """Refuse a player that may not be named here, or whose file is not there.

        Args:
            name: One that `claims` is true of, with or without options.
            field: The field of the error.

        Raises:
            ValueRangeError: Neither is it offered, nor may all of its word be named.
            DataFileError: There is no file or folder of its name.
        """
        base = split_file_options(name)[0]
        word, _, path = base.partition(":")
        if word not in self.free and base not in self.offered:
            offered = f" ({', '.join(self.offered)})" if self.offered else ""
            raise ValueRangeError(
                f"expected a player that this server offers{offered}, got {name[:MAX_QUOTED_CHARS]!r}: "
                f"{word} names files of its machine, which 'gammond serve --offer' lets clients use",
                field=field,
            )
        try:
            is_there = Path(path).exists()
        except (OSError, ValueError):  # a name that no file can have
            is_there = False
        if not path or not is_there:
            raise DataFileError(
                f"expected a file or folder, got {path[:200]!r}: there is none", field="player"
            )


NO_FILE_PLAYERS = FilePlayers()
"""Where none can be named."""


class PlayerRegistry:
    """Players by name. Evaluators play with the engines of the service; other players are made and kept.

    Args:
        list_evaluators: Lists the names of the evaluators.
        get_engine: Returns the engine of a name and a number of threads; may block.
        file_players: Players that name files.
    """

    def __init__(
        self,
        list_evaluators: Callable[[], Sequence[str]],
        get_engine: Callable[[str, int], Engine],
        file_players: FilePlayers = NO_FILE_PLAYERS,
    ) -> None:
        self._list_evaluators = list_evaluators
        self._get_engine = get_engine
        self._file_players = file_players
        self._make_player = lru_cache(MAX_CACHED_PLAYERS)(self._make_kept)
        self._lock = threading.Lock()

    def list_names(self) -> list[str]:
        """List all players.

        Raises:
            DataFileError: The evaluators cannot be listed.
        """
        kinds = SHIPPED.list_kind_names()
        names = [*SESSION_PLAYERS, *self._list_evaluators(), *kinds, *self._file_players.offered]
        return list(dict.fromkeys(names))

    def check_player(self, text: str) -> str:
        """Return a player's name and options, which `find` then takes.

        Args:
            text: ``net``, ``human``, or as `Catalogue.parse_player` takes it; of those that name files what
                `FilePlayers` lets through.

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
        if isinstance(spec, EvaluatorSpec):
            return spec.play_by(self._get_engine(spec.evaluator, threads))
        with self._lock:
            return self._make_player(spec)

    def _parse(self, text: str) -> PlayerSpec:
        return SHIPPED.parse_player(text, self._list_evaluators(), SESSION_PLAYERS)

    def _make_kept(self, spec: KindSpec | str) -> Player:
        """Make a player of a kind, or one that names files."""
        return self._file_players.catalogue.load_player(spec) if isinstance(spec, str) else spec.make()
