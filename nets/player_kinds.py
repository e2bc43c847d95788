"""Kinds of players that are no evaluators of the manifest, found in `nets.players` and `nets.heritage`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from engine.errors import ValueRangeError
from engine.options import Field, did_you_mean, format_value, list_fields, parse_options
from engine.play.player import Player

_HERE = Path(__file__).parent

OptionsT = TypeVar("OptionsT", bound=Struct)


@dataclass(frozen=True)
class PlayerKind(Generic[OptionsT]):
    """A kind of player.

    Attributes:
        name: What it is called, before any colon; that of its module in `nets.players`, with ``-`` for ``_``.
        summary: A phrase for the reader, in lower case, without full stop.
        options: A frozen struct; its fields are the options behind the colon, as
            `engine.options` describes them. Its ``__post_init__`` may refuse options that do not go together.
        make: Makes the player, given its options and the manifest's file; may take seconds. The player can
            be called from several threads.
        is_deep: Whether a player with these options takes its time over a play, as by look-ahead.
        net_hashes: sha256 by name of the nets that it plays with, given what `make` is given.
    """

    name: str
    summary: str
    options: type[OptionsT]
    make: Callable[[OptionsT, Path], Player]
    is_deep: Callable[[OptionsT], bool] = lambda _: False
    net_hashes: Callable[[OptionsT, Path], dict[str, str]] = lambda _, __: {}

    @property
    def fields(self) -> tuple[Field, ...]:
        """The options.

        Raises:
            TypeError: An option is free text. Clients of the server set options, and may not name files.
        """
        fields = list_fields(self.options)
        if texts := [field.name for field in fields if field.kind == "string"]:
            raise TypeError(f"the option {texts[0]} of {self.name} is free text")
        return fields

    def parse_options(self, text: str) -> OptionsT:
        """Read the options of a player as people write it.

        Args:
            text: ``NAME`` or ``NAME:OPTION=VALUE,...``.

        Raises:
            FormatError: An option is unknown, stands twice, or has no value or one of another kind.
            ValueRangeError: A value is outside its bounds.
        """
        _, colon, rest = text.partition(":")
        values = parse_options(rest, self.fields, self.name, error_field="player") if colon else {}
        return msgspec.convert(values, self.options)

    def format_name(self, options: OptionsT) -> str:
        """Write a player as `read` takes it; options that have their defaults are left out."""
        given = [each for each in self.fields if getattr(options, each.name) != each.default]
        texts = [f"{each.name}={format_value(getattr(options, each.name))}" for each in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name


def list_kind_names() -> list[str]:
    """List the names of all kinds, in alphabetical order; none of their modules is loaded."""
    return sorted(_find_modules())


@functools.cache
def _find_modules() -> dict[str, str]:
    """Map kinds to modules: those in `nets.players`, and in each ``players`` folder of `nets.heritage`."""
    modules = {}
    wings = [_HERE / "players", *sorted((_HERE / "heritage").glob("*/players"))]
    for wing in wings:
        package = ".".join(("nets", *wing.relative_to(_HERE).parts))
        for found in pkgutil.iter_modules([str(wing)]):
            modules[found.name.replace("_", "-")] = f"{package}.{found.name}"
    return modules


def find_kind(name: str) -> PlayerKind[Any] | None:
    """Find a kind by name.

    Args:
        name: Any text.

    Returns:
        The kind, or None where none has this name.
    """
    module = _find_modules().get(name)
    if module is None:
        return None
    kind: PlayerKind[Any] = importlib.import_module(module).KIND
    return kind


def load_player_kinds() -> list[PlayerKind[Any]]:
    """Load all kinds, in the order of their names."""
    return [kind for kind in map(find_kind, list_kind_names()) if kind is not None]


def make_unknown_player_error(name: str, known: Iterable[str]) -> ValueRangeError:
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
