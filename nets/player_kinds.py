"""Kinds of players: those that are no evaluators of the manifest, found in the folder `nets.players`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from engine.errors import ValueRangeError
from engine.players import Player
from nets import players
from nets.options import Parameter, did_you_mean, parameters, read_options, written

OptionsT = TypeVar("OptionsT", bound=Struct)


@dataclass(frozen=True)
class PlayerKind(Generic[OptionsT]):
    """A kind of player.

    Attributes:
        name: What it is called, before any colon; that of its module in `nets.players`, with ``-`` for ``_``.
        summary: A phrase for the reader, in lower case, without full stop.
        options: A frozen struct; its fields are the options behind the colon, as `nets.options` describes
            them. Its ``__post_init__`` may refuse options that do not go together.
        make: Makes the player, given its options and the manifest's file; may take seconds. The player can
            be called from several threads.
        is_deep: Whether a player with these options takes its time over a play, as by look-ahead.
        hashes: sha256 by name of the nets that it plays with, given what `make` is given.
    """

    name: str
    summary: str
    options: type[OptionsT]
    make: Callable[[OptionsT, Path], Player]
    is_deep: Callable[[OptionsT], bool] = lambda _: False
    hashes: Callable[[OptionsT, Path], dict[str, str]] = lambda _, __: {}

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its options, described."""
        return parameters(self.options)

    def read(self, text: str) -> OptionsT:
        """Read the options of a player as people write it.

        Args:
            text: ``NAME`` or ``NAME:OPTION=VALUE,...``.

        Raises:
            FormatError: An option is unknown, stands twice, or has no value or one of another kind.
            ValueRangeError: A value is outside its bounds.
        """
        _, colon, rest = text.partition(":")
        values = read_options(rest, self.parameters, self.name) if colon else {}
        return msgspec.convert(values, self.options)

    def called(self, options: OptionsT) -> str:
        """Write a player as `read` takes it; options that have their defaults are left out."""
        given = [each for each in self.parameters if getattr(options, each.name) != each.default]
        texts = [f"{each.name}={written(getattr(options, each.name))}" for each in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name


def kind_names() -> list[str]:
    """List the names of all kinds, in their order; none of their modules is loaded."""
    return sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(players.__path__))


def find_kind(name: str) -> PlayerKind[Any] | None:
    """Find a kind by name.

    Args:
        name: Any text.

    Returns:
        The kind, or None where none has this name.
    """
    if name not in kind_names():
        return None
    module = importlib.import_module(f"{players.__name__}.{name.replace('-', '_')}")
    kind: PlayerKind[Any] = module.KIND
    return kind


def player_kinds() -> list[PlayerKind[Any]]:
    """Load all kinds, in the order of their names."""
    return [kind for kind in map(find_kind, kind_names()) if kind is not None]


def unknown_player(name: str, known: Iterable[str]) -> ValueRangeError:
    """Make the error for a name that no player has.

    Args:
        name: What came.
        known: What could have come.
    """
    known = list(known)
    return ValueRangeError(
        f"no player is called {name[:40]!r}{did_you_mean(name, known)}, expected one of {', '.join(known)}",
        field="player",
    )
